import type { Config } from '../../../config/config.js'
import { receivePageUrl } from '../../../pages/addresses.js'
import { offeringFullUrl } from '../../offerings/offering-json.js'
import { closedReason } from '../../openid4vci/offer.js'
import type { Seals } from '../../openid4vci/sealed.js'
import { CONFIDENTIAL_KEY, type Confidential, openConfidential } from '../../openid4vci/sessions/confidential.js'
import { newTxCode, txCodeMatches } from '../../openid4vci/tx-code.js'
import { batchRandom } from '../batch/create-batch.js'
import type { OfferAgain } from './store.js'

/** The parts of an open offer that its creator received. */
export interface OpenOffer {
  readonly credentialOfferUri: string
  readonly pageUrl?: string
  readonly txCode?: string
}

/** Dependencies of {@link createOpenOffer}. */
export interface OpenOfferPorts {
  readonly config: Pick<Config, 'issuerBaseUrl' | 'issuerProfile'>
  readonly seals: Pick<Seals, 'offerName'>
  readonly sealingKey: (label: string) => Uint8Array
  readonly clock: () => Date
}

export type ReadOpenOffer = ReturnType<typeof createOpenOffer>

/** Makes the function that returns the link, page and transaction code of an offer; undefined if the offer is not open. */
export function createOpenOffer({ config, seals, sealingKey, clock }: OpenOfferPorts) {
  const confidentialKey = sealingKey(CONFIDENTIAL_KEY)
  const batchRandomOf = batchRandom(sealingKey)

  /** The transaction code; undefined if the offer has none, or its code was not stored. */
  const codeOf = ({ session }: OfferAgain, confidential: Confidential): string | undefined => {
    const { id, txCode, txCodeHash } = session
    if (txCode === null || txCodeHash === null || confidential.txCode !== undefined) return confidential.txCode
    const code = newTxCode(txCode, batchRandomOf(id))
    return txCodeMatches(sealingKey('tx-code'), id, code, txCodeHash) ? code : undefined
  }

  return (found: OfferAgain): OpenOffer | undefined => {
    const { offering, session, sealed, page, walletUrl } = found
    if (closedReason(offering, clock()) !== undefined) return undefined
    const id = seals.offerName({ offeringId: session.id, linkNumber: session.linkNumber })
    const code = codeOf(found, openConfidential(confidentialKey, session.id, sealed))
    return {
      credentialOfferUri: offeringFullUrl(config, {
        id,
        profile: offering.profile,
        walletUrl: walletUrl ?? undefined,
      }),
      ...(page === undefined ? {} : { pageUrl: receivePageUrl(config, page.id) }),
      ...(code === undefined ? {} : { txCode: code }),
    }
  }
}
