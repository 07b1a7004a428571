import { errors } from '../../api/errors.js'
import type { Caller } from '../../auth/caller.js'
import type { StoredDid } from '../../dids/store.js'

/** Who a flow is for: one of the caller's DIDs. */
export interface FlowHolder {
  readonly did: string
  /** Where the DID is that of a hosted holder, whose key this service has. */
  readonly hosted: { readonly holderId: string; readonly did: StoredDid } | undefined
}

/** What {@link createFlowHolderOf} is made of. */
export interface FlowHolderPorts {
  readonly findDid: (did: string) => Promise<StoredDid | undefined>
  /** Whether a holder was made by the user with a `sub`. */
  readonly isOwnedBy: (holderId: string, sub: string) => Promise<boolean>
}

/**
 * The caller's DID: that of a holder whom they created, or one that their token names.
 *
 * @throws 403 `Access to holder denied.` for any other.
 */
export type FlowHolderOf = ReturnType<typeof createFlowHolderOf>

/** Binds {@link FlowHolderOf} to its ports. */
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

/** @throws 400 where this service has no key of the DID. */
export function hostedOnly({ hosted }: FlowHolder, purpose: string): NonNullable<FlowHolder['hosted']> {
  if (hosted !== undefined) return hosted
  throw errors.badRequest(`did must be a DID of a hosted holder to ${purpose}`)
}
