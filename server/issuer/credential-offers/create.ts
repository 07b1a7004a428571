import type { Caller } from '../../auth/caller.js'
import type { Config } from '../../config/config.js'
import type { Metrics } from '../../metrics/metrics.js'
import { receivePageUrl } from '../../pages/addresses.js'
import type { Work } from '../../protocol/work.js'
import { offeringFullUrl } from '../offerings/offering-json.js'
import { credentialOfferOf } from '../openid4vci/offer.js'
import type { Seals } from '../openid4vci/sealed.js'
import type { OfferSessionStore } from '../openid4vci/sessions/store.js'
import type { OfferFormats, OfferRequest, PrepareOffer } from './prepare.js'

/** Dependencies of {@link createMakeOffer}. */
export interface MakeOfferPorts {
  readonly prepare: PrepareOffer
  readonly store: Pick<OfferSessionStore, 'insert'>
  readonly metrics: Pick<Metrics, 'offerSession'>
  readonly config: Pick<Config, 'issuerBaseUrl' | 'issuerLegacyProfiles' | 'issuerProfile'>
  readonly formats: OfferFormats
  readonly seals: Pick<Seals, 'issuerState' | 'preAuthorizedCode'>
}

export type MakeOffer = ReturnType<typeof createMakeOffer>

/** Makes a credential offer with one redemption, and its session. */
export function createMakeOffer({ prepare, store, metrics, config, formats, seals }: MakeOfferPorts) {
  return async (caller: Caller, request: OfferRequest, work: Work) => {
    const { offering, session, page, context } = await prepare(caller, request, work)
    const { id, grant, profile, deferred, claimsAtIssuance } = offering
    await store.insert(offering, session, page)
    metrics.offerSession('created')
    const offered = {
      offeringId: id,
      schemaName: context.name,
      asMdoc: context.mdoc !== null && context.x5c !== null,
      offered: request.credentialConfigurationIds,
      session,
      grant,
      profile,
      deferred,
      claimsAtIssuance,
    }
    return {
      credentialOfferSessionId: id,
      credentialOfferUri: offeringFullUrl(config, { id, profile, walletUrl: request.walletUrl }),
      credentialOffer: credentialOfferOf({ config, formats, seals }, offered),
      ...(session.code === undefined ? {} : { txCode: session.code }),
      ...(page === undefined ? {} : { pageUrl: receivePageUrl(config, page.id) }),
    }
  }
}
