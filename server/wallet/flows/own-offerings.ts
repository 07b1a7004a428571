import type { CredentialOfferObject } from '@openid4vc/openid4vci'
import type { Config } from '../../config/config.js'
import type { OfferingIssuance } from '../../issuer/issuance/store.js'
import type { OfferInvitation } from '../invitations/invitation.js'

/** Dependencies of {@link createOwnOfferings}. */
export interface OwnOfferingsPorts {
  readonly config: Pick<Config, 'issuerBaseUrl'>
  /** The address that serves the offer of an offering of this installation. For an empty id: the common prefix of these addresses. */
  readonly offerUri: (offeringId: string) => string
  /** The id of the offering that a pre-authorized code of this installation names; undefined for any other text. */
  readonly offeringIdOf: (code: string) => string | undefined
  /** An offering, with the DIDs of the holders of the user with a `sub`. */
  readonly find: (offeringId: string, sub: string) => Promise<OfferingIssuance | undefined>
}

export type OwnOfferings = ReturnType<typeof createOwnOfferings>

/** Distinguishes offers of this installation from offers of other issuers. */
export function createOwnOfferings({ config, offerUri, offeringIdOf, find }: OwnOfferingsPorts) {
  const prefix = offerUri('')
  return {
    /** An own offering, by the address that serves its offer. No request is needed. */
    async invitedTo(offer: OfferInvitation, sub: string): Promise<OfferingIssuance | undefined> {
      return 'uri' in offer && offer.uri.startsWith(prefix) ? find(offer.uri.slice(prefix.length), sub) : undefined
    },

    /** An own offering, by the pre-authorized code of an offer by value. Only this installation can read the offering in the code. */
    async offeredBy(offer: CredentialOfferObject, sub: string): Promise<OfferingIssuance | undefined> {
      if (offer.credential_issuer !== config.issuerBaseUrl) return undefined
      const code = offer.grants?.['urn:ietf:params:oauth:grant-type:pre-authorized_code']?.['pre-authorized_code']
      const offeringId = code === undefined ? undefined : offeringIdOf(code)
      return offeringId === undefined ? undefined : find(offeringId, sub)
    },
  }
}
