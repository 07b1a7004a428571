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
 * What may be issued to the user of an authorization: an offer, a credential of what the identity provider says of them, or,
 * where everybody is the local admin, of what they fill in.
 * Nothing that a wallet sends is ever a claim.
 */
export type Issuable =
  | { readonly kind: 'offer'; readonly offering: ShownOffering }
  | {
      readonly kind: 'claims'
      readonly context: IssuanceContext
      readonly credentialSubject: Readonly<Record<string, unknown>>
    }
  /** The local admin says what is in it. */
  | { readonly kind: 'form'; readonly context: IssuanceContext }

/** Names it in the form of its page: what is decided is what was shown. */
export const issuableName = (issuable: Issuable): string =>
  issuable.kind === 'offer' ? `offer:${issuable.offering.offeringId}` : `${issuable.kind}:${issuable.context.id}`

export const denied = (description: string): OAuthError => new OAuthError('access_denied', description)

/** The offering of which a form said that it is an offer; undefined where it was something else. */
export function offeringNamed(name: string): string | undefined {
  const [kind, id] = name.split(':')
  return kind === 'offer' ? id : undefined
}

/** What is made for a user is offered in every format. */
const wholeType = (context: IssuanceContext) =>
  ({
    schemaName: context.name,
    offered: [],
    profile: 'final',
    asMdoc: context.mdoc !== null && context.x5c !== null,
  }) as const

/** What {@link createIssuables} is made of. */
export interface IssuablesPorts {
  readonly store: Pick<Openid4vciStore, 'newestOfferingFor' | 'shownOffering'>
  readonly config: Pick<Config, 'authDisabled' | 'issuerProfile' | 'signIn'>
  readonly offered: Pick<Offered, 'configurations' | 'requestedOf'>
  readonly requestedContexts: RequestedOffers['requestedContexts']
  readonly clock: () => Date
}

export type Issuables = ReturnType<typeof createIssuables>

/** What may be issued to the users of authorizations. */
export function createIssuables({ store, config, offered, requestedContexts, clock }: IssuablesPorts) {
  /**
   * Says why the statement that gives codes for offers (`decision-store.ts`) would give none.
   *
   * @throws OAuthError `access_denied` where an offer is closed, for another user, or bound to a DID that is not theirs
   */
  const assertTheirs = ({ userSub, userDids, instanceJkt }: UsersAuthorization, offering: WalletOffering): void => {
    const reason = closedReason(offering, clock())
    if (reason !== undefined) throw denied(reason)
    // The wallet began, and did not know which offer it would be.
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

  /** Of a schema that says which of the provider's claims a credential is made of. */
  const ofProvidedClaims = (
    { provided, request }: UsersAuthorization,
    contexts: readonly IssuanceContext[],
  ): Issuable | undefined => {
    const context = contexts.find(({ id }) => id === provided.made?.schemaId)
    if (context === undefined || provided.made === undefined) return undefined
    offered.requestedOf(request, wholeType(context))
    return { kind: 'claims', context, credentialSubject: provided.made.credentialSubject }
  }

  /** Of the first type that is asked for. */
  const ofForm = ({ request }: UsersAuthorization, [context]: readonly IssuanceContext[]): Issuable | undefined => {
    if (context === undefined || !isLocalAdmin(config)) return undefined
    offered.requestedOf(request, wholeType(context))
    return { kind: 'form', context }
  }

  const madeOf = (authorization: UsersAuthorization, contexts: readonly IssuanceContext[]): Issuable | undefined =>
    ofProvidedClaims(authorization, contexts) ?? ofForm(authorization, contexts)

  return {
    /**
     * What is issued in answer to an authorization request: the offer that its `issuer_state` chose; else the newest open one
     * that was made for the user; else what their claims make; else what the local admin fills in.
     *
     * @throws OAuthError `access_denied` where there is nothing for this user, `invalid_scope` where nothing known is asked for
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

    /** What a page showed, as it is now. @throws OAuthError `access_denied` where it cannot be issued any more */
    async issuableNamed(authorization: UsersAuthorization, name: string): Promise<Issuable> {
      const offeringId = offeringNamed(name)
      if (offeringId !== undefined) return offerNamed(authorization, offeringId)
      const made = madeOf(authorization, await requestedContexts(authorization.request))
      if (made === undefined || issuableName(made) !== name) throw denied('The credential is not issued any more.')
      return made
    },

    /** The configurations that a wallet may take of what is made for its user. */
    configurationsOf: (context: IssuanceContext): readonly string[] => offered.configurations(wholeType(context)),
  }
}
