import type { Formats } from '../../../formats/registry.js'
import { OAuthError } from '../../../protocol/oauth/error.js'
import { parseConfigurationId } from '../../issuance/configurations.js'
import type { IssuanceContext } from '../../issuance/store.js'
import { closedReason } from '../offer.js'
import type { WalletOffering } from '../offer-store.js'
import type { Offered } from '../offered.js'
import type { RequestedConfigurations } from '../requested-configurations.js'
import type { OfferLink, Seals } from '../sealed.js'
import type { Openid4vciStore } from '../store.js'
import type { KnownType, StoredRequest } from './authorization.js'

/** An offer and the configurations that a wallet requests from it. */
export interface RequestedOffer {
  readonly offering: WalletOffering
  readonly requested: RequestedConfigurations
}

const invalid = (description: string) => new OAuthError('invalid_request', description)

const unknownState = () => invalid('The issuer_state is unknown or has expired.')

/** All ids in a request that may name configurations. A later check compares these ids with the offer. */
export function configurationNames({ scope, authorizationDetails }: StoredRequest): readonly string[] {
  const scopes = (scope ?? '').split(' ').filter((name) => name !== '')
  const details = [...(authorizationDetails ?? '').matchAll(/"credential_configuration_id"\s*:\s*"([^"\\]+)"/g)]
  return [...scopes, ...details.map(([, id]) => id ?? '')].slice(0, 64)
}

/** The error for a request that names no credential of this issuer. */
export const nothingKnown = () =>
  new OAuthError('invalid_scope', 'Neither scope nor authorization_details name a credential of this issuer.')

/** The highest number of credential types that are read for a request without an offer. */
const MAX_TYPES = 8

/** Dependencies of {@link createRequestedOffers}. */
export interface RequestedOffersPorts {
  readonly store: Pick<Openid4vciStore, 'offering'>
  readonly seals: Pick<Seals, 'openIssuerState'>
  readonly offered: Pick<Offered, 'publishedOf' | 'requested' | 'requestedOf'>
  readonly formats: Formats
  /** The issuable version of a type; undefined for an unknown type. */
  readonly contextOf: (type: string) => Promise<IssuanceContext | undefined>
  readonly clock: () => Date
}

export type RequestedOffers = ReturnType<typeof createRequestedOffers>

/** Finds the offers and types that authorization requests name. */
export function createRequestedOffers({ store, seals, offered, formats, contextOf, clock }: RequestedOffersPorts) {
  /** §5.1.3: anyone may send an `issuer_state`. This value selects an offer and does not authenticate the sender. */
  const offerLinkOf = ({ issuerState }: StoredRequest): OfferLink | null => {
    if (issuerState === undefined) return null
    const link = seals.openIssuerState(issuerState)
    if (link === undefined) throw unknownState()
    return link
  }

  /**
   * Returns the configurations of an open offer that a request names.
   *
   * @throws OAuthError `invalid_request`, `invalid_scope` or `invalid_authorization_details`
   */
  const assertRequestable = (request: StoredRequest, offering: WalletOffering | undefined): RequestedOffer => {
    if (offering === undefined) throw unknownState()
    const reason = closedReason(offering, clock(), offerLinkOf(request)?.linkNumber)
    if (reason !== undefined) throw invalid(reason)
    return { offering, requested: offered.requestedOf(request, offering) }
  }

  /** The credential types that a request names, in the request's order. */
  const namedTypes = (request: StoredRequest): readonly string[] => {
    const names = configurationNames(request).map((id) => parseConfigurationId(formats, id)?.name)
    return [...new Set(names.filter((name) => name !== undefined))]
  }

  return {
    offerLinkOf,
    assertRequestable,
    namedTypes,

    /**
     * The offer that an authorization request names; undefined for a request without an offer.
     *
     * @throws OAuthError `invalid_request`, `invalid_scope` or `invalid_authorization_details`
     */
    async requestedOffer(request: StoredRequest): Promise<RequestedOffer | undefined> {
      const link = offerLinkOf(request)
      return link === null ? undefined : assertRequestable(request, await store.offering(link.offeringId))
    },

    /**
     * Checks that a request without an offer names at least one known configuration. After the sign-in, another check
     * decides whether the user may get the credential.
     *
     * @param types the known types among the types that the request names
     * @throws OAuthError `invalid_scope` or `invalid_authorization_details`
     */
    assertKnown({ scope, authorizationDetails }: StoredRequest, types: readonly KnownType[]): void {
      const known = types.flatMap(({ name, asMdoc }) => offered.publishedOf(name, asMdoc))
      const { detailed, scoped } = offered.requested({ scope, authorization_details: authorizationDetails }, known)
      if (detailed.length === 0 && scoped.length === 0) throw nothingKnown()
    },

    /** The issuable versions of the types that a request names, in the request's order. */
    async requestedContexts(request: StoredRequest): Promise<readonly IssuanceContext[]> {
      const contexts = await Promise.all(
        namedTypes(request)
          .slice(0, MAX_TYPES)
          .map((type) => contextOf(type)),
      )
      return contexts.filter((context) => context !== undefined)
    },
  }
}
