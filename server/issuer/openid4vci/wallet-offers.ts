import type { Config } from '../../config/config.js'
import { OAuthError } from '../../protocol/oauth/error.js'
import { isHaip } from './haip.js'
import { closedReason, type OfferedBy, type OfferedGrant } from './offer.js'
import { offerNotFound } from './refusals.js'
import type { Seals } from './sealed.js'
import type { Openid4vciStore } from './store.js'

/** Dependencies of {@link createWalletOffers}. */
export interface WalletOffersPorts {
  readonly store: Pick<Openid4vciStore, 'fetchedOffering' | 'offering'>
  readonly config: Pick<Config, 'issuerProfile'>
  readonly seals: Pick<Seals, 'openOfferName'>
  /** The credential offer object of an offering. */
  readonly objectOf: (offering: OfferedBy & OfferedGrant) => Record<string, unknown>
  readonly clock: () => Date
}

export type WalletOffers = ReturnType<typeof createWalletOffers>

/** The offers that wallets fetch. */
export function createWalletOffers({ store, config, seals, objectOf, clock }: WalletOffersPorts) {
  return {
    /**
     * Returns an offer to a wallet. Each call makes a fresh code, which is sealed and not stored. Only the first call for a
     * session writes to the database.
     *
     * @param name the last part of the offer's address
     * @param counts whether a wallet fetches the offer; false for HEAD
     * @throws OAuthError 404 for an unknown offer, 400 for an ended offer.
     */
    async handOut(name: string, counts: boolean): Promise<Record<string, unknown>> {
      const now = clock()
      const link = seals.openOfferName(name)
      if (link === undefined) throw offerNotFound()
      const { offeringId, linkNumber } = link
      const offering = counts
        ? await store.fetchedOffering(link, !isHaip({ config }), now)
        : await store.offering(offeringId)
      if (offering === undefined) throw offerNotFound()
      const reason = closedReason(offering, now, linkNumber)
      if (reason !== undefined) throw new OAuthError('invalid_request', reason)
      const { session } = offering
      if (isHaip({ config }, offering) && session !== null && offering.grant !== 'authorization_code')
        throw new OAuthError('invalid_request', 'Pre-authorized codes are no longer given here.')
      return objectOf(offering)
    },
  }
}
