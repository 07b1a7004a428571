import { errors } from '../../api/errors.js'
import type { Caller } from '../../auth/caller.js'
import type { StoredDid } from '../../dids/store.js'

/** The DID of the caller for which a flow runs. */
export interface FlowHolder {
  readonly did: string
  /** The hosted holder of the DID, whose key this service has; undefined for other DIDs. */
  readonly hosted: { readonly holderId: string; readonly did: StoredDid } | undefined
}

/** Dependencies of {@link createFlowHolderOf}. */
export interface FlowHolderPorts {
  readonly findDid: (did: string) => Promise<StoredDid | undefined>
  /** Whether the user with a `sub` created a holder. */
  readonly isOwnedBy: (holderId: string, sub: string) => Promise<boolean>
}

/**
 * Resolves the caller's DID: a DID of a holder that the caller created, or a DID in the caller's token.
 *
 * @throws 403 `Access to holder denied.` for any other DID.
 */
export type FlowHolderOf = ReturnType<typeof createFlowHolderOf>

/** Creates {@link FlowHolderOf} from its dependencies. */
export function createFlowHolderOf({ findDid, isOwnedBy }: FlowHolderPorts) {
  return async (caller: Pick<Caller, 'sub' | 'tokenDids'>, did: string): Promise<FlowHolder> => {
    const stored = await findDid(did)
    const holderId = stored?.holderId ?? undefined
    if (stored !== undefined && holderId !== undefined && (await isOwnedBy(holderId, caller.sub))) {
      return { did, hosted: { holderId, did: stored } }
    }
    if (caller.tokenDids.includes(did)) return { did, hosted: undefined }
    throw errors.holderDenied()
  }
}

/** @throws 400 if this service has no key of the DID. */
export function hostedOnly({ hosted }: FlowHolder, purpose: string): NonNullable<FlowHolder['hosted']> {
  if (hosted !== undefined) return hosted
  throw errors.badRequest(`did must be a DID of a hosted holder to ${purpose}`)
}
