import type { Deps } from '../../deps.js'
import { errors } from '../../errors.js'
import type { IssuanceContext } from './store.js'

/**
 * The active schema of a type and the issuer that signs it.
 *
 * @throws 404 for an unknown type, 500 for an unknown issuer, 400 for one that the schema is not assigned to.
 */
export async function issuanceContext(
  deps: Deps,
  type: string,
  issuerId: string | undefined,
): Promise<IssuanceContext> {
  const context = await deps.stores.issuance.context(type, issuerId)
  if (context !== undefined) return context
  if ((await deps.stores.schemas.active(type)) === undefined) throw errors.schemaNotFound()
  if (issuerId === undefined || !(await deps.stores.agents.issuerExists(issuerId))) throw errors.issuerNotFound()
  throw errors.badRequest(`issuerId must be an issuer that the schema ${type} is assigned to`)
}
