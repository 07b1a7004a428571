import { readFileSync } from 'node:fs'
import { type CredenceInputs, isCredenceError } from '../../../client/index.js'
import type { Stage } from '../stage.js'
import { TYPE } from './purchase.js'

const demonstrationSchema = new URL('../../../prisma/seed/proof-of-purchase.json', import.meta.url)

/** Makes the credential type, if the service does not have it yet. */
export async function prepareSchema(stage: Stage): Promise<void> {
  stage.step(`Look for the schema ${TYPE}`)
  const versions = await stage.credence.schemas.versions.query({ schemaId: TYPE }).catch((error: unknown) => {
    if (isCredenceError(error) && error.data?.httpStatus === 404) return []
    throw error
  })
  stage.saw('versions', versions.length === 0 ? 'none' : versions.map(({ version }) => version).join(', '))
  if (versions.length > 0) return
  stage.step('Post it')
  const posted: CredenceInputs['schemas']['create'] = JSON.parse(readFileSync(demonstrationSchema, 'utf8'))
  const made = await stage.credence.schemas.create.mutate(posted)
  stage.saw('schema', `${made.name} version ${made.version} at ${made.schemaUri}`)
  stage.mustBe('its state', made.active, true)
}
