import type { TypeBody } from './draft.js'
import { typeFileOf } from './type-file.js'

/** Saves a type as a JSON file: exactly a body of `POST /schemas`. The browser makes the file. */
export function saveType(body: TypeBody): void {
  const address = URL.createObjectURL(new Blob([typeFileOf(body)], { type: 'application/json' }))
  const link = document.createElement('a')
  link.href = address
  link.download = `${body.name}.json`
  link.click()
  URL.revokeObjectURL(address)
}
