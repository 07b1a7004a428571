import type { CredentialOfferObject } from '@openid4vc/openid4vci'
import { errors } from '../../api/errors.js'
import type { StoredDid } from '../../dids/store.js'
import type { Keys } from '../../keys/keys.js'
import type { Log } from '../../log/log.js'
import type { OnBehalf, WalletCredentials } from '../credentials/credentials.js'
import type { HeldCredential } from '../credentials/held.js'
import { failureReason } from '../exchange/failure.js'
import type { PendingIssuances } from '../pending/pending.js'
import type { Offered, TakeOffer } from './take-offer.js'
import { holderKeys } from './wallet-keys.js'

/** An offer, and the holder who takes it. */
export interface TakeIntoWallet extends OnBehalf {
  readonly offer: CredentialOfferObject
  /** The holder's DIDs, the preferred DID first. */
  readonly dids: readonly StoredDid[]
  readonly txCode?: string | undefined
  readonly copies?: number | undefined
  /** Whether a person has seen the registration of the issuer. */
  readonly personConfirms?: boolean | undefined
}

/** The result of taking an offer. */
export interface Took {
  readonly held: readonly HeldCredential[]
  /** Number of credentials that the issuer issues later. */
  readonly deferred: number
}

/** Dependencies of {@link createReceiving}. */
export interface ReceivingPorts {
  readonly keys: Pick<Keys, 'signer'>
  readonly takeOffer: TakeOffer
  readonly keep: WalletCredentials['keep']
  readonly waitFor: PendingIssuances['waitFor']
  readonly log: Pick<Log, 'warn'>
}

export type Receiving = ReturnType<typeof createReceiving>

/** How hosted wallets receive credentials. */
export function createReceiving({ keys, takeOffer, keep, waitFor, log }: ReceivingPorts) {
  /**
   * Makes the wallet wait for the deferred credentials of an offer, and returns their number. If the wallet cannot
   * wait, it still keeps the received credentials.
   */
  async function awaitRest(request: TakeIntoWallet, { taken, deferral }: Offered): Promise<number> {
    if (deferral === undefined) return 0
    try {
      await waitFor(request, deferral)
      return deferral.transactions.length
    } catch (thrown) {
      if (taken.length === 0) throw thrown
      log.warn({ reason: failureReason(thrown) }, 'the wallet does not wait for a deferred credential')
      return 0
    }
  }

  return {
    /**
     * Takes an offer into a hosted wallet.
     *
     * @throws 400 `Holder has no DIDs created. Cannot accept credential offer.`, before the first request to the issuer.
     */
    async take(request: TakeIntoWallet): Promise<Took> {
      const { offer, dids, txCode, copies = 1, personConfirms = false } = request
      if (dids.length === 0) throw errors.holderWithoutDid()
      const offered = await takeOffer({ offer, keys: await holderKeys(keys, dids), txCode, copies, personConfirms })
      const held: HeldCredential[] = []
      for (const credential of offered.taken) held.push(await keep(request, credential))
      return { held, deferred: await awaitRest(request, offered) }
    },
  }
}
