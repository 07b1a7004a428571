import { errors } from '../../api/errors.js'
import type { Caller } from '../../auth/caller.js'
import type { Deps } from '../../deps.js'
import type { StoredDid } from '../../dids/store.js'

/** Who a flow is for: one of the caller's DIDs. */
export interface FlowHolder {
  readonly did: string
  /** Where the DID is that of a hosted holder, whose key this service has. */
  readonly hosted: { readonly holderId: string; readonly did: StoredDid } | undefined
}

/**
 * The caller's DID: that of a holder whom they created, or one that their token names.
 *
 * @throws 403 `Access to holder denied.` for any other.
 */
export async function flowHolder(deps: Pick<Deps, 'stores'>, caller: Caller, did: string): Promise<FlowHolder> {
  const stored = await deps.stores.dids.find(did)
  const holderId = stored?.holderId ?? undefined
  if (stored !== undefined && holderId !== undefined && (await deps.stores.holders.isOwnedBy(holderId, caller.sub))) {
    return { did, hosted: { holderId, did: stored } }
  }
  if (caller.tokenDids.includes(did)) return { did, hosted: undefined }
  throw errors.holderDenied()
}

/** @throws 400 where this service has no key of the DID. */
export function hostedOnly({ hosted }: FlowHolder, purpose: string): NonNullable<FlowHolder['hosted']> {
  if (hosted !== undefined) return hosted
  throw errors.badRequest(`did must be a DID of a hosted holder to ${purpose}`)
}
