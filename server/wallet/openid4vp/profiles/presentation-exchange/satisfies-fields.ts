import type { Config } from '../../../../config/config.js'
import type { Formats } from '../../../../formats/registry.js'
import type { CredentialView } from '../../../../protocol/openid4vp/query/credential-view.js'
import { type CompiledField, compileVpQuery, VpQueryError } from '../../../../protocol/openid4vp/query/vp-query.js'
import { type Work, WorkExceededError } from '../../../../protocol/work.js'
import type { HeldCredential } from '../../../credentials/held.js'
import type { ExchangeRequest } from '../profile.js'
import { refusedDefinition } from './presentation-definition.js'

/**
 * Checks the parts of an input descriptor that DCQL cannot express (DIF Presentation Exchange 2 §8). For each field, a
 * held credential must have a value that satisfies the field's filter, at one of the field's paths. If there are
 * several values, the verifier decides which value counts.
 *
 * @param work the budget for the check; if it does not suffice, a credential does not fit
 * @returns the check, by the id of a credential query.
 */
export function fieldsCheck(
  formats: Pick<Formats, 'named'>,
  config: Pick<Config, 'issuerBaseUrl'>,
  { descriptors }: ExchangeRequest,
  work: Work,
): (queryId: string, held: HeldCredential) => boolean {
  const compiled = new Map(
    Object.entries(descriptors).map(([queryId, { fields }]) => [queryId, compiledFields(fields, work)] as const),
  )
  return (queryId, { format, compact }) => {
    const view = formats.named(format).holding.exchange?.viewOf(compact, config)
    if (view === undefined) return false
    return (compiled.get(queryId) ?? []).every((field) => isSatisfied(field, view, work))
  }
}

function compiledFields(
  fields: ExchangeRequest['descriptors'][string]['fields'],
  work: Work,
): readonly CompiledField[] {
  try {
    return compileVpQuery([{ fields: [...fields] }], work)[0]?.fields ?? []
  } catch (cause) {
    if (!(cause instanceof VpQueryError)) throw cause
    throw refusedDefinition('takes too much work', { cause })
  }
}

function isSatisfied({ paths, filter }: CompiledField, view: CredentialView, work: Work): boolean {
  try {
    return paths.some(({ path }) =>
      view.select(path, work).some((value) => filter === undefined || filter.validate(value, work).length === 0),
    )
  } catch (thrown) {
    if (thrown instanceof WorkExceededError) return false
    throw thrown
  }
}
