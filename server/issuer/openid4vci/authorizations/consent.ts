import { createHmac, timingSafeEqual } from 'node:crypto'
import { type Context, onlyLooks } from '../../../context.js'
import type { Deps } from '../../../deps.js'
import { messagePage } from '../../../pages/page.js'
import { OAuthError } from '../../../protocol/oauth/error.js'
import type { ProtocolReply } from '../../../protocol/oauth/reply.js'
import { sha256 } from '../access-token.js'
import { isHaip } from '../haip.js'
import { closedReason } from '../offer.js'
import { canMove, moved } from '../sessions/session.js'
import type { WalletOffering } from '../store.js'
import { type Authorization, CODE_SECONDS } from './authorization.js'
import { answerWallet, refuseWallet } from './authorize.js'
import { consentPage } from './consent-page.js'
import { beginLogin } from './login.js'
import { requestedOf } from './requested-offer.js'
import { decided, notFound, type Visited, visited } from './visited.js'

const denied = (description: string) => new OAuthError('access_denied', description)

/**
 * The token of the form, against cross-site requests: only a page that was sent to this browser contains it. It names the
 * offer that the page showed.
 */
function formToken(
  deps: Pick<Deps, 'sealingKey'>,
  { authorization: { id }, browserHash }: Visited,
  offeringId: string,
): string {
  const mac = createHmac('sha256', deps.sealingKey('consent')).update(`${id} ${browserHash} ${offeringId}`)
  return `${offeringId}.${mac.digest('base64url')}`
}

/** The offer that the page of a form showed; undefined where the token is not one of ours. */
function offeringOfForm(deps: Pick<Deps, 'sealingKey'>, found: Visited, sent: unknown): string | undefined {
  const token = String(sent)
  const offeringId = token.slice(0, Math.max(token.lastIndexOf('.'), 0))
  const [one, other] = [Buffer.from(token), Buffer.from(formToken(deps, found, offeringId))]
  return one.length === other.length && timingSafeEqual(one, other) ? offeringId : undefined
}

/**
 * The offer that an authorization is for: the one that its user was shown, or its `issuer_state` chose, else the newest open
 * one that was made for its user.
 *
 * @throws OAuthError `access_denied` where there is none for this user, or it is bound to a DID that is not theirs
 */
async function offerFor(deps: Deps, authorization: Authorization, shown?: string): Promise<WalletOffering> {
  const { userSub, userDids, request } = authorization
  const offeringId = shown ?? authorization.offeringId
  const { openid4vci } = deps.stores
  const now = deps.clock()
  const offering =
    offeringId !== null
      ? await openid4vci.offering(offeringId)
      : userSub === null
        ? undefined
        : await openid4vci.newestOfferingFor(userSub, configurationNames(request), now)
  if (offering === undefined) throw denied('There is no credential for this user.')
  const reason = closedReason(offering, now)
  if (reason !== undefined) throw denied(reason)
  // The wallet began, and did not know which offer it would be.
  if (isHaip(deps, offering) && authorization.instanceJkt === null) throw denied('The offer is for attested wallets.')
  if (offering.forSubject !== null && offering.forSubject !== userSub) throw denied('The offer is for another user.')
  // Without sign-in, the key proof shows later whether the wallet is the recipient's.
  if (deps.config.signIn !== undefined && offering.recipient !== null && !userDids.includes(offering.recipient))
    throw denied('The offer is for another recipient.')
  return offering
}

/** All configuration ids that a request may name; they are compared with the offer later. */
function configurationNames({ scope, authorizationDetails }: Authorization['request']): readonly string[] {
  const scopes = (scope ?? '').split(' ').filter((name) => name !== '')
  const details = [...(authorizationDetails ?? '').matchAll(/"credential_configuration_id"\s*:\s*"([^"\\]+)"/g)]
  return [...scopes, ...details.map(([, id]) => id ?? '')].slice(0, 64)
}

/** Shows what would be issued to whom, and asks. */
export async function showConsent(ctx: Context, id: string): Promise<ProtocolReply> {
  const { deps } = ctx
  const found = await visited(ctx, id)
  if (found === undefined) return notFound(deps)
  const { authorization } = found
  if (authorization.state === 'Started') return beginLogin(ctx, found)
  if (authorization.state !== 'SignedIn') return decided(deps)
  try {
    const offering = await offerFor(deps, authorization)
    requestedOf(deps, authorization.request, offering)
    const context = await deps.stores.openid4vci.consentContext(offering.offeringId)
    if (context === undefined) return notFound(deps)
    return consentPage(deps.config, authorization, context, formToken(deps, found, offering.offeringId))
  } catch (thrown) {
    if (!(thrown instanceof OAuthError)) throw thrown
    const { authorizations } = deps.stores
    return onlyLooks(ctx.request) || (await authorizations.deny(id, found.browserHash, deps.clock()))
      ? refuseWallet(deps, authorization.request, thrown)
      : decided(deps)
  }
}

async function accept(deps: Deps, { authorization, browserHash }: Visited, shown: string): Promise<ProtocolReply> {
  const offering = await offerFor(deps, authorization, shown)
  requestedOf(deps, authorization.request, offering)
  const now = deps.clock()
  const code = Buffer.from(deps.random(32)).toString('base64url')
  const { session, offeringId } = offering
  const granted = await deps.stores.authorizations.grant({
    id: authorization.id,
    browserHash,
    codeHash: sha256(code),
    codeExpiresAt: new Date(now.getTime() + CODE_SECONDS * 1000),
    offeringId,
    session: session !== null && canMove(session.state, 'Authorized') ? moved(session, 'Authorized') : null,
    now,
  })
  return granted ? answerWallet(deps, authorization.request, { code }) : decided(deps)
}

/** Takes the decision, once, and sends the browser back to the wallet. */
export async function decide(
  ctx: Context,
  { id, decision, token }: { readonly id: string; readonly decision?: unknown; readonly token?: unknown },
): Promise<ProtocolReply> {
  const { deps } = ctx
  const found = await visited(ctx, id)
  if (found === undefined || found.authorization.state === 'Started') return notFound(deps)
  const shown = offeringOfForm(deps, found, token)
  if (shown === undefined)
    return messagePage(deps.config, 403, 'This page is out of date', 'Open the request again in your wallet.')
  if (found.authorization.state !== 'SignedIn') return decided(deps)
  if (decision !== 'accept' && decision !== 'decline')
    return messagePage(deps.config, 400, 'Nothing was decided', 'decision must be accept or decline.')
  const { authorization, browserHash } = found
  try {
    if (decision === 'accept') return await accept(deps, found, shown)
    throw denied('The user declined.')
  } catch (thrown) {
    if (!(thrown instanceof OAuthError)) throw thrown
    return (await deps.stores.authorizations.deny(id, browserHash, deps.clock()))
      ? refuseWallet(deps, authorization.request, thrown)
      : decided(deps)
  }
}
