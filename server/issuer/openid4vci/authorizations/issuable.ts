import type { Config } from '../../../config/config.js'
import { OAuthError } from '../../../protocol/oauth/error.js'
import type { IssuanceContext } from '../../issuance/store.js'
import { isHaip } from '../haip.js'
import { closedReason } from '../offer.js'
import type { ShownOffering, WalletOffering } from '../offer-store.js'
import type { Offered } from '../offered.js'
import type { Openid4vciStore } from '../store.js'
import type { UsersAuthorization } from './authorization.js'
import { configurationNames, nothingKnown, type RequestedOffers } from './requested-offers.js'
import { isLocalAdmin } from './sign-in.js'

/**
 * A credential that may be issued to the user of an authorization. It is an offer, or it is made from the identity provider's
 * claims, or from the answer of a claims source about the user. If everybody is the local admin, it can also be made from a form. A wallet never supplies claims.
 */
export type Issuable =
  | { readonly kind: 'offer'; readonly offering: ShownOffering }
  | {
      readonly kind: 'claims'
      readonly context: IssuanceContext
      readonly credentialSubject: Readonly<Record<string, unknown>>
    }
  /** The claims source of the type is asked later, when the wallet takes the credential. */
  | { readonly kind: 'source'; readonly context: IssuanceContext }
  /** The local admin enters the claims. */
  | { readonly kind: 'form'; readonly context: IssuanceContext }

/**
 * The name of an issuable credential. The page's form sends this name back, so the decision is about exactly the
 * credential that was shown.
 */
export const issuableName = (issuable: Issuable): string =>
  issuable.kind === 'offer' ? `offer:${issuable.offering.offeringId}` : `${issuable.kind}:${issuable.context.id}`

export const denied = (description: string): OAuthError => new OAuthError('access_denied', description)

/** The id of the offering that a form's name contains; undefined if the form showed no offer. */
export function offeringNamed(name: string): string | undefined {
  const [kind, id] = name.split(':')
  return kind === 'offer' ? id : undefined
}

/** A credential that is made for a user is offered in every format. */
const wholeType = (context: IssuanceContext) =>
  ({
    schemaName: context.name,
    offered: [],
    profile: 'final',
    asMdoc: context.mdoc !== null && context.x5c !== null,
  }) as const

/** Dependencies of {@link createIssuables}. */
export interface IssuablesPorts {
  readonly store: Pick<Openid4vciStore, 'newestOfferingFor' | 'shownOffering'>
  readonly config: Pick<Config, 'authDisabled' | 'issuerProfile' | 'signIn'>
  readonly offered: Pick<Offered, 'configurations' | 'requestedOf'>
  readonly requestedContexts: RequestedOffers['requestedContexts']
  readonly clock: () => Date
}

export type Issuables = ReturnType<typeof createIssuables>

/** Finds the credentials that may be issued to users. */
export function createIssuables({ store, config, offered, requestedContexts, clock }: IssuablesPorts) {
  /**
   * Reports why the statement that stores codes for offers (`decision-store.ts`) would store none.
   *
   * @throws OAuthError `access_denied` if the offer is closed, for another user, or bound to a DID of somebody else
   */
  const assertTheirs = ({ userSub, userDids, instanceJkt }: UsersAuthorization, offering: WalletOffering): void => {
    const reason = closedReason(offering, clock())
    if (reason !== undefined) throw denied(reason)
    // The wallet began the flow and did not know the offer, so PAR could not check it.
    if (isHaip({ config }, offering) && instanceJkt === null) throw denied('The offer is for attested wallets.')
    if (offering.forSubject !== null && offering.forSubject !== userSub) throw denied('The offer is for another user.')
    // Without sign-in, the key proof shows later whether the wallet is the recipient's.
    if (config.signIn !== undefined && offering.recipient !== null && !userDids.includes(offering.recipient))
      throw denied('The offer is for another recipient.')
  }

  const offerFor = (authorization: UsersAuthorization, offering: ShownOffering): Issuable => {
    assertTheirs(authorization, offering)
    offered.requestedOf(authorization.request, offering)
    return { kind: 'offer', offering }
  }

  const offerNamed = async (authorization: UsersAuthorization, offeringId: string): Promise<Issuable> => {
    const offering = await store.shownOffering(offeringId)
    if (offering === undefined) throw denied('There is no credential for this user.')
    return offerFor(authorization, offering)
  }

  const newestOffer = async ({ userSub, request }: UsersAuthorization): Promise<ShownOffering | undefined> =>
    userSub === null ? undefined : store.newestOfferingFor(userSub, configurationNames(request), clock())

  /** A credential made from the provider's claims, if a schema says which claims it needs. */
  const ofProvidedClaims = (
    { provided, request }: UsersAuthorization,
    contexts: readonly IssuanceContext[],
  ): Issuable | undefined => {
    const context = contexts.find(({ id }) => id === provided.made?.schemaId)
    if (context === undefined || provided.made === undefined) return undefined
    offered.requestedOf(request, wholeType(context))
    return { kind: 'claims', context, credentialSubject: provided.made.credentialSubject }
  }

  /** A form for the first requested type. */
  const ofForm = ({ request }: UsersAuthorization, [context]: readonly IssuanceContext[]): Issuable | undefined => {
    if (context === undefined || !isLocalAdmin(config)) return undefined
    offered.requestedOf(request, wholeType(context))
    return { kind: 'form', context }
  }

  /** The first requested type that has a claims source. The source answers about the user who signed in. */
  const ofSource = (
    { userSub, request }: UsersAuthorization,
    contexts: readonly IssuanceContext[],
  ): Issuable | undefined => {
    const context = contexts.find(({ claimsSource }) => claimsSource !== null)
    if (context === undefined || userSub === null || isLocalAdmin(config)) return undefined
    offered.requestedOf(request, wholeType(context))
    return { kind: 'source', context }
  }

  const madeOf = (authorization: UsersAuthorization, contexts: readonly IssuanceContext[]): Issuable | undefined =>
    ofProvidedClaims(authorization, contexts) ?? ofSource(authorization, contexts) ?? ofForm(authorization, contexts)

  return {
    /**
     * The credential for an authorization request. The first match counts: the offer of its `issuer_state`, the newest open
     * offer for the user, the user's claims, the type's claims source, the local admin's form.
     *
     * @throws OAuthError `access_denied` if there is no credential for this user, `invalid_scope` if the request names no known
     *   type
     */
    async issuableFor(authorization: UsersAuthorization): Promise<Issuable> {
      if (authorization.offeringId !== null) return offerNamed(authorization, authorization.offeringId)
      const offering = await newestOffer(authorization)
      if (offering !== undefined) return offerFor(authorization, offering)
      const contexts = await requestedContexts(authorization.request)
      if (contexts.length === 0) throw nothingKnown()
      const made = madeOf(authorization, contexts)
      if (made === undefined) throw denied('There is no credential for this user.')
      return made
    },

    /** The current state of the credential that a page showed. @throws OAuthError `access_denied` if it can no longer be issued */
    async issuableNamed(authorization: UsersAuthorization, name: string): Promise<Issuable> {
      const offeringId = offeringNamed(name)
      if (offeringId !== undefined) return offerNamed(authorization, offeringId)
      const made = madeOf(authorization, await requestedContexts(authorization.request))
      if (made === undefined || issuableName(made) !== name) throw denied('The credential is not issued any more.')
      return made
    },

    /** The configurations of a credential that is made for a user. */
    configurationsOf: (context: IssuanceContext): readonly string[] => offered.configurations(wholeType(context)),
  }
}
