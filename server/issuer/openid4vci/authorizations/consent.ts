import { createHmac, timingSafeEqual } from 'node:crypto'
import { type Context, onlyLooks } from '../../../context.js'
import type { Deps } from '../../../deps.js'
import { ServiceError } from '../../../errors.js'
import { messagePage } from '../../../pages/page.js'
import { OAuthError } from '../../../protocol/oauth/error.js'
import type { ProtocolReply } from '../../../protocol/oauth/reply.js'
import { assertSubject } from '../../issuance/subject.js'
import { sha256 } from '../access-token.js'
import { canMove, moved } from '../sessions/session.js'
import { CODE_SECONDS } from './authorization.js'
import { answerWallet, refuseWallet } from './authorize.js'
import { type ConsentContext, consentPage } from './consent-page.js'
import { claimsOf, type Filled, formOf, problemsOf } from './form-fields.js'
import type { SentForm } from './form-page.js'
import { configurationsOf, denied, type Issuable, issuableFor, issuableName, issuableNamed } from './issuable.js'
import { beginLogin } from './login.js'
import type { Grant } from './store.js'
import { decided, notFound, type Visited, visited } from './visited.js'

/**
 * The token of the form, against cross-site requests: only a page that was sent to this browser contains it. It names what
 * the page showed.
 */
function formToken(
  deps: Pick<Deps, 'sealingKey'>,
  { authorization: { id }, browserHash }: Visited,
  shown: string,
): string {
  const mac = createHmac('sha256', deps.sealingKey('consent')).update(`${id} ${browserHash} ${shown}`)
  return `${shown}.${mac.digest('base64url')}`
}

/** What the page of a form showed; undefined where the token is not one of ours. */
function shownOnForm(deps: Pick<Deps, 'sealingKey'>, found: Visited, sent: unknown): string | undefined {
  const token = String(sent)
  const shown = token.slice(0, Math.max(token.lastIndexOf('.'), 0))
  const [one, other] = [Buffer.from(token), Buffer.from(formToken(deps, found, shown))]
  return one.length === other.length && timingSafeEqual(one, other) ? shown : undefined
}

/** How long a wallet may take what was made for its user. */
const MADE_SECONDS = 86_400

/** Begins each message about a form. */
const FORM = 'claims'

/** What the page shows of it. */
async function consentContext({ stores }: Deps, issuable: Issuable): Promise<ConsentContext | undefined> {
  if (issuable.kind === 'offer') return stores.openid4vci.consentContext(issuable.offering.offeringId)
  const { context } = issuable
  return {
    schemaName: context.name,
    schemaTitle: context.title,
    schemaDisplay: context.display,
    schemaBody: context.body,
    issuerDisplay: await stores.openid4vci.issuerDisplay(context.issuerId),
    credentialSubject: issuable.kind === 'claims' ? issuable.credentialSubject : {},
    deferred: false,
  }
}

/** @throws OAuthError `access_denied` where the schema does not accept what the provider says of the user */
function assertValid({ deps, work, request }: Context, issuable: Issuable): void {
  if (issuable.kind !== 'claims') return
  try {
    assertSubject(deps.formats, issuable.context, issuable.credentialSubject, 'claimsFrom', work)
  } catch (thrown) {
    if (!(thrown instanceof ServiceError)) throw thrown
    deps.log.warn({ requestId: request.requestId, reason: thrown.message }, 'claims of the provider do not fit')
    throw denied('What is known of the user does not make this credential.')
  }
}

/** The page of what may be issued. */
async function pageOf(deps: Deps, found: Visited, issuable: Issuable, sent?: SentForm): Promise<ProtocolReply> {
  const context = await consentContext(deps, issuable)
  if (context === undefined) return notFound(deps)
  const form =
    issuable.kind === 'form'
      ? { parts: formOf(issuable.context.body), ...(sent === undefined ? {} : { sent }) }
      : undefined
  return consentPage(deps.config, found.authorization, context, formToken(deps, found, issuableName(issuable)), form)
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
    const issuable = await issuableFor(deps, authorization)
    assertValid(ctx, issuable)
    return await pageOf(deps, found, issuable)
  } catch (thrown) {
    if (!(thrown instanceof OAuthError)) throw thrown
    const { authorizations } = deps.stores
    return onlyLooks(ctx.request) || (await authorizations.deny(id, found.browserHash, deps.clock()))
      ? refuseWallet(deps, authorization.request, thrown)
      : decided(deps)
  }
}

/** What is known whole. */
type Decided = Exclude<Issuable, { kind: 'form' }>

/** What the form of the local admin makes; or its page again, which says what is wrong. */
async function filledForm(
  { deps, work }: Context,
  found: Visited,
  issuable: Issuable & { readonly kind: 'form' },
  filled: Filled,
): Promise<Decided | ProtocolReply> {
  const { context } = issuable
  const parts = formOf(context.body)
  const credentialSubject = claimsOf(parts, filled)
  try {
    assertSubject(deps.formats, context, credentialSubject, FORM, work)
    return { kind: 'claims', context, credentialSubject }
  } catch (thrown) {
    if (!(thrown instanceof ServiceError)) throw thrown
    const messages = typeof thrown.messages === 'string' ? [thrown.messages] : thrown.messages
    return pageOf(deps, found, issuable, { filled, problems: problemsOf(parts, messages, FORM) })
  }
}

/** The offering that is granted: the one of an offer, or one that is made now, and the session that moves with it. */
function granted({ deps }: Context, issuable: Decided, now: Date): Pick<Grant, 'offeringId' | 'made' | 'session'> {
  if (issuable.kind === 'offer') {
    const { session, offeringId } = issuable.offering
    const authorized = session !== null && canMove(session.state, 'Authorized') ? moved(session, 'Authorized') : null
    return { offeringId, session: authorized }
  }
  const { context, credentialSubject } = issuable
  const made = {
    schemaId: context.id,
    issuerId: context.issuerId,
    credentialSubject,
    configurationIds: configurationsOf(deps, context),
    expiresAt: new Date(now.getTime() + MADE_SECONDS * 1000),
  }
  return { offeringId: deps.newId(), made, session: null }
}

async function accept(ctx: Context, found: Visited, shown: string, filled: Filled): Promise<ProtocolReply> {
  const { deps } = ctx
  const { authorization, browserHash } = found
  const named = await issuableNamed(deps, authorization, shown)
  assertValid(ctx, named)
  const issuable = named.kind === 'form' ? await filledForm(ctx, found, named, filled) : named
  if (!('kind' in issuable)) return issuable
  const now = deps.clock()
  const code = Buffer.from(deps.random(32)).toString('base64url')
  const given = await deps.stores.authorizations.grant({
    id: authorization.id,
    browserHash,
    codeHash: sha256(code),
    codeExpiresAt: new Date(now.getTime() + CODE_SECONDS * 1000),
    ...granted(ctx, issuable, now),
    now,
  })
  return given ? answerWallet(deps, authorization.request, { code }) : decided(deps)
}

/** The form of the page, with its fields where it has some. */
interface Decision extends Filled {
  readonly id: string
  readonly decision?: unknown
  readonly token?: unknown
}

/** Takes the decision, once, and sends the browser back to the wallet. */
export async function decide(ctx: Context, { id, decision, token, ...filled }: Decision): Promise<ProtocolReply> {
  const { deps } = ctx
  const found = await visited(ctx, id)
  if (found === undefined || found.authorization.state === 'Started') return notFound(deps)
  const shown = shownOnForm(deps, found, token)
  if (shown === undefined)
    return messagePage(deps.config, 403, 'This page is out of date', 'Open the request again in your wallet.')
  if (found.authorization.state !== 'SignedIn') return decided(deps)
  if (decision !== 'accept' && decision !== 'decline')
    return messagePage(deps.config, 400, 'Nothing was decided', 'decision must be accept or decline.')
  const { authorization, browserHash } = found
  try {
    if (decision === 'accept') return await accept(ctx, found, shown, filled)
    throw denied('The user declined.')
  } catch (thrown) {
    if (!(thrown instanceof OAuthError)) throw thrown
    return (await deps.stores.authorizations.deny(id, browserHash, deps.clock()))
      ? refuseWallet(deps, authorization.request, thrown)
      : decided(deps)
  }
}
