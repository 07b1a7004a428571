import { errors } from '../../api/errors.js'
import type { Deps } from '../../deps.js'
import type { IssuanceContext } from './store.js'

/** Who requests a signature: a user by their `sub`, or a caller with the client secret. */
export type Commissioner = { readonly sub: string } | 'client'

/**
 * The active schema of a type and the issuer that signs it. An issuer signs for its creator, and for every caller the
 * types that it is assigned to; to other callers it does not exist. The default issuer signs for every caller.
 *
 * @throws 404 for an unknown type, 500 for an unknown issuer, 400 for one that the schema is not assigned to.
 */
export async function issuanceContext(
  deps: Pick<Deps, 'stores'>,
  type: string,
  issuerId: string | undefined,
  commissioner: Commissioner,
): Promise<IssuanceContext> {
  const { issuance, schemas, agents } = deps.stores
  const sub = commissioner === 'client' ? undefined : commissioner.sub
  const context = await issuance.context(type, issuerId, sub)
  if (context !== undefined) return context
  if ((await schemas.active(type)) === undefined) throw errors.schemaNotFound()
  if (issuerId === undefined) throw errors.issuerNotFound()
  const known =
    sub === undefined ? await agents.issuerExists(issuerId) : (await agents.issuer(issuerId, sub)) !== undefined
  if (!known) throw errors.issuerNotFound()
  throw errors.badRequest(`issuerId must be an issuer that the schema ${type} is assigned to`)
}
