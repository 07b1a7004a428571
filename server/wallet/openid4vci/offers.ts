import type { CredentialOfferObject, IssuerMetadataResult } from '@openid4vc/openid4vci'
import { errors } from '../../api/errors.js'
import type { Config } from '../../config/config.js'
import type { Formats } from '../../formats/registry.js'
import type { OutboundFetch } from '../../outbound/guard.js'
import { isObject } from '../../protocol/json/json-object.js'
import { offerFaults, withoutNulls } from '../../protocol/openid4vci/credential-offer.js'
import { parsedJson } from '../exchange/failure.js'
import { type OfferInvitation, servesNeither } from '../invitations/invitation.js'
import type { IssuerRegistration } from '../registration/issuer-registration.js'
import type { PartyRegistration } from '../registration/registration.contract.js'
import type { IssuerSessions } from './issuer-sessions.js'
import { offeredConfigurations } from './offered-configurations.js'
import type { Expectation } from './verify-received.js'

/** A fetch that keeps the fetched offer. The service can then check rules that the library does not report. */
function keepingFetch(fetch: typeof globalThis.fetch) {
  const got: { offer?: unknown } = {}
  const keeping: typeof globalThis.fetch = async (input, init) => {
    const answer = await fetch(input, init)
    if (!answer.ok) return answer
    const text = await answer.text()
    got.offer = withoutNulls(parsedJson(text))
    const { status, headers } = answer
    return new Response(got.offer === undefined ? text : JSON.stringify(got.offer), { status, headers })
  }
  return { got, fetch: keeping }
}

/** Whether the content of an address looks like an offer: the content has at least one member of an offer. */
const isMeantAsOffer = (offer: unknown): boolean =>
  isObject(offer) && ['credential_issuer', 'credential_configuration_ids', 'grants'].some((name) => name in offer)

/** Dependencies of {@link createOffers}. */
export interface OffersPorts {
  readonly issuerSessions: Pick<IssuerSessions, 'clientFor' | 'metadataOf'>
  readonly formats: Pick<Formats, 'known'>
  readonly config: Pick<Config, 'allowInsecureHttp' | 'trustAnchors'>
  readonly registrationOf: IssuerRegistration
}

export type Offers = ReturnType<typeof createOffers>

/** Credential offers of any issuer (OpenID4VCI 1.0 §4.1), as hosted wallets read them. */
export function createOffers({ issuerSessions, formats, config, registrationOf }: OffersPorts) {
  /** The offered configurations that a hosted wallet can hold. @throws WalletError if there are none. */
  const configurationsIn = (issuance: {
    readonly offer: CredentialOfferObject
    readonly metadata: IssuerMetadataResult
  }): Expectation[] => offeredConfigurations({ config, formats }, issuance.offer, issuance.metadata)

  /** @throws 400 that names each rule of OpenID4VCI 1.0 §4.1.1 that an offer breaks. */
  function assertOffer(offer: unknown): void {
    const faults = offerFaults(offer, config.allowInsecureHttp)
    if (faults.length > 0) throw errors.invalid(faults)
  }

  /** The offer of an address (§4.1.3). The library's error counts only if the offer breaks none of our rules. */
  async function offerAt(fetch: typeof globalThis.fetch, uri: string): Promise<CredentialOfferObject> {
    const { got, fetch: keeping } = keepingFetch(fetch)
    const { client } = issuerSessions.clientFor({ fetch: keeping, signers: [], instanceKey: undefined })
    const query = new URLSearchParams({ credential_offer_uri: uri })
    try {
      return await client.resolveCredentialOffer(`openid-credential-offer://?${query}`)
    } finally {
      if (got.offer !== undefined) assertOffer(got.offer)
    }
  }

  return {
    configurationsIn,

    /**
     * Reads an offer: by value, or from the address that serves it (OpenID4VCI 1.0 §4.1).
     *
     * @throws 400 for an offer that breaks a rule.
     */
    async read(fetch: typeof globalThis.fetch, offer: OfferInvitation): Promise<CredentialOfferObject> {
      if ('uri' in offer) return offerAt(fetch, offer.uri)
      const value = withoutNulls(parsedJson(offer.value))
      if (offer.servedBy !== undefined && !isMeantAsOffer(value)) throw servesNeither(offer.servedBy)
      assertOffer(value)
      try {
        const { client } = issuerSessions.clientFor({ fetch, signers: [], instanceKey: undefined })
        // The library decodes the value once more often than the address encodes the value.
        const query = new URLSearchParams({ credential_offer: encodeURIComponent(JSON.stringify(value)) })
        return await client.resolveCredentialOffer(`openid-credential-offer://?${query}`)
      } catch {
        // An offer by value needs no fetch, so the error can only mean that the offer is unreadable.
        throw errors.badRequest('credential_offer has a form that this wallet does not know')
      }
    },

    /**
     * Describes an offer by the type of the first credential that this wallet can hold. Empty if the issuer's metadata
     * do not name the type. Judges the registration of the issuer.
     */
    async describe(
      fetch: OutboundFetch,
      offer: CredentialOfferObject,
    ): Promise<{ readonly credentialType: string; readonly registration: PartyRegistration }> {
      const metadata = await issuerSessions.metadataOf(
        fetch,
        offer.credential_issuer,
        offer.credential_configuration_ids,
      )
      const configurations = configurationsIn({ offer, metadata })
      const registration = await registrationOf(fetch, metadata, configurations)
      return { credentialType: configurations[0]?.types.at(-1) ?? '', registration }
    },
  }
}
