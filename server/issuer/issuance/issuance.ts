import type { Config } from '../../config/config.js'
import type { StatusLists } from '../../status-lists/status-lists.js'
import type { SubjectHash } from './active-sets.js'
import { createIssue } from './issue.js'
import { type ContextForPorts, createContextFor } from './issuer-context.js'
import type { RetentionConfig } from './retention.js'
import type { Sign, SignedInstance } from './sign.js'
import type { IssuanceStore } from './store.js'
import { credentialView, type StoredObject, shownObject, type ViewRequest } from './vc-object.js'

/** Dependencies of {@link createIssuance}. */
export interface IssuancePorts {
  readonly store: Pick<IssuanceStore, 'context' | 'offeringContext' | 'record'>
  readonly allot: StatusLists['allot']
  readonly activeSchema: ContextForPorts['activeSchema']
  readonly knowsIssuer: ContextForPorts['knowsIssuer']
  readonly config: Pick<Config, 'issuerBaseUrl' | 'sdJwtIssuer'> & RetentionConfig
  readonly sign: Sign
  readonly subjectHash: SubjectHash
  readonly clock: () => Date
  readonly newId: () => string
}

export type Issuance = ReturnType<typeof createIssuance>

/** The operations that every kind of issuance needs: read the type with its issuer, sign, and store. */
export function createIssuance(ports: IssuancePorts) {
  const { store, allot, activeSchema, knowsIssuer, config, sign, subjectHash, clock, newId } = ports

  return {
    sign,

    subjectHash,

    issue: createIssue({ sign, allot, store, subjectHash, config, clock, newId }),

    context: createContextFor({ store, activeSchema, knowsIssuer }),

    /** The active schema of a type and the issuer that signs by default; undefined for an unknown type. */
    contextByDefault: (type: string) => store.context(type, undefined, undefined),

    /** The credential object that the API shows for a signed credential of any format. */
    view: (request: ViewRequest, id: string, signed: SignedInstance, now: Date) =>
      credentialView(config, request, id, signed, now),

    /** A stored credential object as the API shows it. Without its claims, it is made from the columns of the record. */
    shown: (credential: StoredObject) => shownObject(config, credential),

    /**
     * An offering with all data for issuing from it; undefined if the offering cannot be claimed by its id.
     *
     * @param sub the user who claims the offering; null without a user. The result contains the DIDs of the user's
     *   holders.
     */
    offeringContext: (offeringId: string, sub: string | null) => store.offeringContext(offeringId, sub),
  }
}
