import { errors, type ServiceError } from '../../api/errors.js'
import type { Schemas } from '../schemas/schemas.js'
import type { IssuanceContext, IssuanceStore } from './store.js'

/** The caller who requests a signature: a user with a `sub`, or a caller with the client secret. */
export type Commissioner = { readonly sub: string } | 'client'

/** Dependencies of {@link createContextFor}. */
export interface ContextForPorts {
  readonly store: Pick<IssuanceStore, 'context'>
  readonly activeSchema: Schemas['active']
  /** Whether an issuer exists and is visible to the user. Without a user, every issuer is visible. */
  readonly knowsIssuer: (issuerId: string, sub: string | undefined) => Promise<boolean>
}

/** @param unknownType makes the error for an unknown type; a 404 by default */
export type ContextFor = (
  type: string,
  issuerId: string | undefined,
  commissioner: Commissioner,
  unknownType?: () => ServiceError,
) => Promise<IssuanceContext>

/**
 * Reads the active schema of a type and the issuer that signs it. Every caller may use the default issuer, and an
 * issuer that the type is assigned to. The creator of an issuer may use the issuer for every type. For other callers
 * the issuer does not exist.
 *
 * @throws 500 for an unknown issuer, 400 for an issuer that the schema is not assigned to
 */
export function createContextFor({ store, activeSchema, knowsIssuer }: ContextForPorts): ContextFor {
  return async (type, issuerId, commissioner, unknownType = errors.schemaNotFound) => {
    const sub = commissioner === 'client' ? undefined : commissioner.sub
    const context = await store.context(type, issuerId, sub)
    if (context !== undefined) return context
    if ((await activeSchema(type)) === undefined) throw unknownType()
    if (issuerId === undefined || !(await knowsIssuer(issuerId, sub))) throw errors.issuerNotFound()
    throw errors.badRequest(`issuerId must be an issuer that the schema ${type} is assigned to`)
  }
}
