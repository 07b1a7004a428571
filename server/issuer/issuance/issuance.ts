import { errors, type ServiceError } from '../../api/errors.js'
import type { Config } from '../../config/config.js'
import type { Keys } from '../../keys/keys.js'
import type { StatusLists } from '../../status-lists/status-lists.js'
import type { Schemas } from '../schemas/schemas.js'
import { createIssue } from './issue.js'
import { createSign } from './sign.js'
import type { IssuanceContext, IssuanceStore } from './store.js'

/** Who requests a signature: a user by their `sub`, or a caller with the client secret. */
export type Commissioner = { readonly sub: string } | 'client'

/** What {@link createIssuance} is made of. */
export interface IssuancePorts {
  readonly store: Pick<IssuanceStore, 'context' | 'offeringContext' | 'record'>
  readonly allot: StatusLists['allot']
  readonly activeSchema: Schemas['active']
  /** Whether there is an issuer that a user knows; any issuer where no user is named. */
  readonly knowsIssuer: (issuerId: string, sub: string | undefined) => Promise<boolean>
  readonly config: Pick<Config, 'issuerBaseUrl' | 'sdJwtIssuer'>
  readonly keys: Pick<Keys, 'signer'>
  readonly random: (length: number) => Uint8Array
  readonly clock: () => Date
  readonly newId: () => string
}

export type Issuance = ReturnType<typeof createIssuance>

/** What every way to a credential needs: the type with its issuer, a signature, a record. */
export function createIssuance(ports: IssuancePorts) {
  const { store, allot, activeSchema, knowsIssuer, config, keys, random, clock, newId } = ports
  const sign = createSign({ config, keys, random, clock })

  return {
    sign,

    issue: createIssue({ sign, allot, store, config, clock, newId }),

    /**
     * The active schema of a type and the issuer that signs it. An issuer signs for its creator, and for every caller the
     * types that it is assigned to; to other callers it does not exist. The default issuer signs for every caller.
     *
     * @param unknownType what is thrown for an unknown type; a 404 unless given
     * @throws 500 for an unknown issuer, 400 for one that the schema is not assigned to.
     */
    async context(
      type: string,
      issuerId: string | undefined,
      commissioner: Commissioner,
      unknownType: () => ServiceError = errors.schemaNotFound,
    ): Promise<IssuanceContext> {
      const sub = commissioner === 'client' ? undefined : commissioner.sub
      const context = await store.context(type, issuerId, sub)
      if (context !== undefined) return context
      if ((await activeSchema(type)) === undefined) throw unknownType()
      if (issuerId === undefined || !(await knowsIssuer(issuerId, sub))) throw errors.issuerNotFound()
      throw errors.badRequest(`issuerId must be an issuer that the schema ${type} is assigned to`)
    },

    /**
     * An offering with all that is needed to issue from it; undefined where nobody can claim it by its id.
     *
     * @param sub the user who claims it, whose holders' DIDs come with it; null for nobody
     */
    offeringContext: (offeringId: string, sub: string | null) => store.offeringContext(offeringId, sub),
  }
}
