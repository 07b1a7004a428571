import type { Deps } from '../../../deps.js'
import { OAuthError } from '../../../protocol/oauth/error.js'
import type { IssuanceContext } from '../../issuance/store.js'
import { isHaip } from '../haip.js'
import { closedReason, offeredConfigurations } from '../offer.js'
import type { ShownOffering, WalletOffering } from '../offer-store.js'
import type { UsersAuthorization } from './authorization.js'
import { configurationNames, nothingKnown, requestedContexts, requestedOf } from './requested-offer.js'
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

/**
 * Says why the statement that gives codes for offers (`decisions/store.ts`) would give none.
 *
 * @throws OAuthError `access_denied` where an offer is closed, for another user, or bound to a DID that is not theirs
 */
function assertTheirs(
  deps: Deps,
  { userSub, userDids, instanceJkt }: UsersAuthorization,
  offering: WalletOffering,
): void {
  const reason = closedReason(offering, deps.clock())
  if (reason !== undefined) throw denied(reason)
  // The wallet began, and did not know which offer it would be.
  if (isHaip(deps, offering) && instanceJkt === null) throw denied('The offer is for attested wallets.')
  if (offering.forSubject !== null && offering.forSubject !== userSub) throw denied('The offer is for another user.')
  // Without sign-in, the key proof shows later whether the wallet is the recipient's.
  if (deps.config.signIn !== undefined && offering.recipient !== null && !userDids.includes(offering.recipient))
    throw denied('The offer is for another recipient.')
}

async function offerNamed(deps: Deps, authorization: UsersAuthorization, offeringId: string): Promise<Issuable> {
  const offering = await deps.stores.openid4vci.shownOffering(offeringId)
  if (offering === undefined) throw denied('There is no credential for this user.')
  assertTheirs(deps, authorization, offering)
  requestedOf(deps, authorization.request, offering)
  return { kind: 'offer', offering }
}

async function newestOffer(deps: Deps, { userSub, request }: UsersAuthorization): Promise<ShownOffering | undefined> {
  if (userSub === null) return undefined
  return deps.stores.openid4vci.newestOfferingFor(userSub, configurationNames(request), deps.clock())
}

/** Of a schema that says which of the provider's claims a credential is made of. */
function ofProvidedClaims(
  deps: Deps,
  { provided, request }: UsersAuthorization,
  contexts: readonly IssuanceContext[],
): Issuable | undefined {
  const context = contexts.find(({ id }) => id === provided.made?.schemaId)
  if (context === undefined || provided.made === undefined) return undefined
  requestedOf(deps, request, wholeType(context))
  return { kind: 'claims', context, credentialSubject: provided.made.credentialSubject }
}

/** Of the first type that is asked for. */
function ofForm(
  deps: Deps,
  { request }: UsersAuthorization,
  [context]: readonly IssuanceContext[],
): Issuable | undefined {
  if (context === undefined || !isLocalAdmin(deps.config)) return undefined
  requestedOf(deps, request, wholeType(context))
  return { kind: 'form', context }
}

/**
 * What is issued in answer to an authorization request: the offer that its `issuer_state` chose; else the newest open one
 * that was made for the user; else what their claims make; else what the local admin fills in.
 *
 * @throws OAuthError `access_denied` where there is nothing for this user, `invalid_scope` where nothing known is asked for
 */
export async function issuableFor(deps: Deps, authorization: UsersAuthorization): Promise<Issuable> {
  if (authorization.offeringId !== null) return offerNamed(deps, authorization, authorization.offeringId)
  const offering = await newestOffer(deps, authorization)
  if (offering !== undefined) {
    assertTheirs(deps, authorization, offering)
    requestedOf(deps, authorization.request, offering)
    return { kind: 'offer', offering }
  }
  const contexts = await requestedContexts(deps, authorization.request)
  if (contexts.length === 0) throw nothingKnown()
  const made = ofProvidedClaims(deps, authorization, contexts) ?? ofForm(deps, authorization, contexts)
  if (made === undefined) throw denied('There is no credential for this user.')
  return made
}

/** What a page showed, as it is now. @throws OAuthError `access_denied` where it cannot be issued any more */
export async function issuableNamed(deps: Deps, authorization: UsersAuthorization, name: string): Promise<Issuable> {
  const offeringId = offeringNamed(name)
  if (offeringId !== undefined) return offerNamed(deps, authorization, offeringId)
  const contexts = await requestedContexts(deps, authorization.request)
  const made = ofProvidedClaims(deps, authorization, contexts) ?? ofForm(deps, authorization, contexts)
  if (made === undefined || issuableName(made) !== name) throw denied('The credential is not issued any more.')
  return made
}

/** What is made for a user is offered in every format. */
const wholeType = (context: IssuanceContext) =>
  ({
    schemaName: context.name,
    offered: [],
    profile: 'final',
    asMdoc: context.mdoc !== null && context.x5c !== null,
  }) as const

/** The configurations that a wallet may take of what is made for its user. */
export const configurationsOf = (deps: Pick<Deps, 'config' | 'formats'>, context: IssuanceContext): readonly string[] =>
  offeredConfigurations(deps, wholeType(context))
