import { errors } from '../../errors.js'
import type { JsonObject } from '../../protocol/json/json-object.js'
import type { MdocMapping } from '../../protocol/mdoc/elements.js'
import { type Work, WorkExceededError } from '../../protocol/work.js'

/** What one step of a pointer may cost, by the schema that it goes through, in units of work. */
const MAX_STEP = 4096

/** As the API shows it. */
export const mdocOf = ({ doctype, namespaces }: MdocMapping) => ({
  doctype,
  namespaces: Object.fromEntries(Object.entries(namespaces).map(([name, elements]) => [name, { ...elements }])),
})

function payFor(pointers: readonly string[], body: JsonObject, work: Work): void {
  const steps = pointers.reduce((sum, pointer) => sum + pointer.split('/').length - 1, 0)
  try {
    work.spend(steps * Math.min(JSON.stringify(body).length, MAX_STEP))
  } catch (thrown) {
    if (!(thrown instanceof WorkExceededError)) throw thrown
    throw errors.badRequest('mdoc.namespaces must not name so many elements of so large a schema')
  }
}

/**
 * Makes sure that the pointers of a mapping lead to claims that the schema declares.
 *
 * @throws 400 naming each that does not
 */
export async function assertPointers(body: JsonObject, { namespaces }: MdocMapping, work: Work): Promise<void> {
  const elements = Object.entries(namespaces).flatMap(([namespace, pointers]) =>
    Object.entries(pointers).map(([element, pointer]) => ({ place: `${namespace}.${element}`, pointer })),
  )
  payFor(
    elements.map(({ pointer }) => pointer),
    body,
    work,
  )
  const { declaresClaim } = await import('../../protocol/mdoc/mdoc.js')
  const unknown = elements.filter(({ pointer }) => !declaresClaim(body, pointer))
  if (unknown.length > 0)
    throw errors.invalid(
      unknown.map(
        ({ place, pointer }) => `mdoc.namespaces.${place} names ${pointer}, which the schema does not declare`,
      ),
    )
}
