import type { Config } from '../../config/config.js'
import type { Keys } from '../../keys/keys.js'
import type { StatusLists } from '../../status-lists/status-lists.js'
import { createIssue } from './issue.js'
import { type ContextForPorts, createContextFor } from './issuer-context.js'
import { createSign, type SignedInstance } from './sign.js'
import type { IssuanceStore } from './store.js'
import { credentialView, type ViewRequest } from './vc-object.js'

/** Dependencies of {@link createIssuance}. */
export interface IssuancePorts {
  readonly store: Pick<IssuanceStore, 'context' | 'offeringContext' | 'record'>
  readonly allot: StatusLists['allot']
  readonly activeSchema: ContextForPorts['activeSchema']
  readonly knowsIssuer: ContextForPorts['knowsIssuer']
  readonly config: Pick<Config, 'issuerBaseUrl' | 'sdJwtIssuer'>
  readonly keys: Pick<Keys, 'signer'>
  readonly random: (length: number) => Uint8Array
  readonly clock: () => Date
  readonly newId: () => string
}

export type Issuance = ReturnType<typeof createIssuance>

/** Every way to a credential needs these operations: the type with its issuer, a signature, a record. */
export function createIssuance(ports: IssuancePorts) {
  const { store, allot, activeSchema, knowsIssuer, config, keys, random, clock, newId } = ports
  const sign = createSign({ config, keys, random, clock })

  return {
    sign,

    issue: createIssue({ sign, allot, store, config, clock, newId }),

    context: createContextFor({ store, activeSchema, knowsIssuer }),

    /** The active schema of a type and the issuer that signs it where none is named; undefined for an unknown type. */
    contextByDefault: (type: string) => store.context(type, undefined, undefined),

    /** The credential object that the API shows of a signed credential, of whatever format. */
    view: (request: ViewRequest, id: string, signed: SignedInstance, now: Date) =>
      credentialView(config, request, id, signed, now),

    /**
     * An offering with all that is needed to issue from it; undefined where nobody can claim it by its id.
     *
     * @param sub the user who claims it, whose holders' DIDs come with it; null for nobody
     */
    offeringContext: (offeringId: string, sub: string | null) => store.offeringContext(offeringId, sub),
  }
}
