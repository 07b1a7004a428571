import type { CredentialOfferObject } from '@openid4vc/openid4vci'
import { errors } from '../../api/errors.js'
import type { Deps } from '../../deps.js'
import type { StoredDid } from '../../dids/store.js'
import type { HeldCredential } from '../credentials/held.js'
import { keep } from '../credentials/keep.js'
import { failureReason } from '../exchange/failure.js'
import { waitFor } from '../pending/pending.js'
import { type Offered, takeOffer } from './take-offer.js'
import { holderKeys } from './wallet-keys.js'

export interface TakeIntoWallet {
  readonly holderId: string
  /** The `sub` on whose behalf. */
  readonly actor: string
  readonly offer: CredentialOfferObject
  /** The holder's DIDs, the preferred one first. */
  readonly dids: readonly StoredDid[]
  readonly txCode?: string | undefined
  readonly copies?: number | undefined
}

/** What came of an offer. */
export interface Took {
  readonly held: readonly HeldCredential[]
  /** How many credentials are still to come. */
  readonly deferred: number
}

/** What was taken is not lost for what cannot be waited for. */
async function awaitRest(deps: Deps, request: TakeIntoWallet, { taken, deferral }: Offered): Promise<number> {
  if (deferral === undefined) return 0
  try {
    await waitFor(deps, request, deferral)
    return deferral.transactions.length
  } catch (thrown) {
    if (taken.length === 0) throw thrown
    deps.log.warn({ reason: failureReason(thrown) }, 'deferred credential is not waited for')
    return 0
  }
}

/**
 * Takes an offer into a hosted wallet.
 *
 * @throws 400 `Holder has no DIDs created. Cannot accept credential offer.`, before anything is asked of the issuer.
 */
export async function takeIntoWallet(deps: Deps, request: TakeIntoWallet): Promise<Took> {
  if (request.dids.length === 0) throw errors.holderWithoutDid()
  const keys = await holderKeys(deps, request.dids)
  const offered = await takeOffer(deps, {
    offer: request.offer,
    keys,
    txCode: request.txCode,
    copies: request.copies ?? 1,
  })
  const held: HeldCredential[] = []
  for (const credential of offered.taken) held.push(await keep(deps, request, credential))
  return { held, deferred: await awaitRest(deps, request, offered) }
}
