import { createHmac, timingSafeEqual } from 'node:crypto'
import { type Context, onlyLooks } from '../../../api/context.js'
import { ServiceError } from '../../../api/errors.js'
import type { Deps } from '../../../deps.js'
import { sha256 } from '../../../keys/secret-hash.js'
import { type Languages, languagesOf } from '../../../pages/languages.js'
import { messagePage } from '../../../pages/page.js'
import { secretKey } from '../../../protocol/jose/secret-key.js'
import { OAuthError } from '../../../protocol/oauth/error.js'
import type { ProtocolReply } from '../../../protocol/oauth/reply.js'
import { assertSubject } from '../../issuance/subject.js'
import { claimTitles } from '../../schemas/claims.js'
import type { ConsentContext } from '../offer-store.js'
import { CODE_SECONDS } from './authorization.js'
import { answerWallet, refuseWallet } from './authorize.js'
import { consentPage } from './consent-page.js'
import type { OfferGrant } from './decision-store.js'
import { claimsOf, type Filled, formOf, problemsOf } from './form-fields.js'
import type { SentForm } from './form-page.js'
import {
  configurationsOf,
  denied,
  type Issuable,
  issuableFor,
  issuableName,
  issuableNamed,
  offeringNamed,
} from './issuable.js'
import { beginLogin } from './login.js'
import { openedRequest } from './parameters.js'
import { browserHashOf, decided, notFound, type Visited, visited } from './visited.js'

/**
 * The token of the form, against cross-site requests: only a page that was sent to this browser contains it. It names what
 * the page showed.
 */
function formToken(deps: Pick<Deps, 'sealingKey'>, id: string, browserHash: string, shown: string): string {
  const mac = createHmac('sha256', secretKey(deps.sealingKey('consent'))).update(`${id} ${browserHash} ${shown}`)
  return `${shown}.${mac.digest('base64url')}`
}

/** What the page of a form showed; undefined where the token is not one of ours. */
function shownOnForm(
  deps: Pick<Deps, 'sealingKey'>,
  id: string,
  browserHash: string,
  sent: unknown,
): string | undefined {
  const token = String(sent)
  const shown = token.slice(0, Math.max(token.lastIndexOf('.'), 0))
  const [one, other] = [Buffer.from(token), Buffer.from(formToken(deps, id, browserHash, shown))]
  return one.length === other.length && timingSafeEqual(one, other) ? shown : undefined
}

/** How long a wallet may take what was made for its user. */
const MADE_SECONDS = 86_400

/** Begins each message about a form. */
const FORM = 'claims'

/** What the page shows of it. */
async function consentContext({ stores }: Deps, issuable: Issuable): Promise<ConsentContext> {
  if (issuable.kind === 'offer') return issuable.offering
  const { context } = issuable
  return {
    schemaName: context.name,
    schemaTitle: context.title,
    schemaDisplay: context.display,
    schemaBody: context.body,
    schemaClaims: context.claims,
    issuerDisplay: await stores.openid4vci.issuerDisplay(context.issuerId),
    credentialSubject: issuable.kind === 'claims' ? issuable.credentialSubject : {},
    deferred: false,
  }
}

/** @throws OAuthError `access_denied` where the schema does not accept what the provider says of the user */
async function assertValid({ deps, work, request }: Context, issuable: Issuable): Promise<void> {
  if (issuable.kind !== 'claims') return
  try {
    await assertSubject(deps.formats, issuable.context, issuable.credentialSubject, 'claimsFrom', work)
  } catch (thrown) {
    if (!(thrown instanceof ServiceError)) throw thrown
    deps.log.warn({ requestId: request.requestId, reason: thrown.message }, 'claims of the provider do not fit')
    throw denied('What is known of the user does not make this credential.')
  }
}

const readersLanguages = ({ request }: Context): Languages => languagesOf(request.headers['accept-language'])

/** The page of what may be issued. */
async function pageOf(ctx: Context, found: Visited, issuable: Issuable, sent?: SentForm): Promise<ProtocolReply> {
  const { deps } = ctx
  const context = await consentContext(deps, issuable)
  const { authorization, browserHash } = found
  const languages = readersLanguages(ctx)
  const token = formToken(deps, authorization.id, browserHash, issuableName(issuable))
  const form =
    issuable.kind === 'form'
      ? {
          parts: formOf(issuable.context.body, claimTitles(issuable.context, languages)),
          ...(sent === undefined ? {} : { sent }),
        }
      : undefined
  return consentPage(deps.config, authorization, context, token, languages, form)
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
    await assertValid(ctx, issuable)
    return await pageOf(ctx, found, issuable)
  } catch (thrown) {
    if (!(thrown instanceof OAuthError)) throw thrown
    const { decisions } = deps.stores
    return onlyLooks(ctx.request) || (await decisions.deny(id, found.browserHash, deps.clock())) !== undefined
      ? refuseWallet(deps, authorization.request, thrown)
      : decided(deps)
  }
}

/** What is known whole. */
type Decided = Exclude<Issuable, { kind: 'form' }>

/** What the form of the local admin makes; or its page again, which says what is wrong. */
async function filledForm(
  ctx: Context,
  found: Visited,
  issuable: Issuable & { readonly kind: 'form' },
  filled: Filled,
): Promise<Decided | ProtocolReply> {
  const { deps, work } = ctx
  const { context } = issuable
  const parts = formOf(context.body, claimTitles(context, readersLanguages(ctx)))
  const credentialSubject = claimsOf(parts, filled)
  try {
    await assertSubject(deps.formats, context, credentialSubject, FORM, work)
    return { kind: 'claims', context, credentialSubject }
  } catch (thrown) {
    if (!(thrown instanceof ServiceError)) throw thrown
    const messages = typeof thrown.messages === 'string' ? [thrown.messages] : thrown.messages
    return pageOf(ctx, found, issuable, { filled, problems: problemsOf(parts, messages, FORM) })
  }
}

/** The offering that is made now for a user. */
const madeOf = (deps: Deps, { context, credentialSubject }: Decided & { readonly kind: 'claims' }, now: Date) => ({
  schemaId: context.id,
  issuerId: context.issuerId,
  credentialSubject,
  configurationIds: configurationsOf(deps, context),
  expiresAt: new Date(now.getTime() + MADE_SECONDS * 1000),
})

/** A code, and how it is stored. */
function newCode(deps: Pick<Deps, 'clock' | 'random'>) {
  const now = deps.clock()
  const code = Buffer.from(deps.random(32)).toString('base64url')
  return { code, codeHash: sha256(code), codeExpiresAt: new Date(now.getTime() + CODE_SECONDS * 1000), now }
}

async function accept(ctx: Context, found: Visited, shown: string, filled: Filled): Promise<ProtocolReply> {
  const { deps } = ctx
  const { authorization, browserHash } = found
  const named = await issuableNamed(deps, authorization, shown)
  await assertValid(ctx, named)
  const issuable = named.kind === 'form' ? await filledForm(ctx, found, named, filled) : named
  if (!('kind' in issuable)) return issuable
  if (issuable.kind === 'offer') {
    const { offeringId } = issuable.offering
    const given = await codeForOffer(deps, { id: authorization.id, browserHash, offeringId })
    return given === undefined ? decided(deps) : answerWallet(deps, authorization.request, { code: given.code })
  }
  const { code, ...stored } = newCode(deps)
  const given = await deps.stores.decisions.grantMade({
    id: authorization.id,
    browserHash,
    offeringId: deps.newId(),
    ...stored,
    made: madeOf(deps, issuable, stored.now),
  })
  return given ? answerWallet(deps, authorization.request, { code }) : decided(deps)
}

/** A code for an offer that is open and for this user and wallet, with the request that it answers; undefined where none is given. */
async function codeForOffer(deps: Deps, offer: Pick<OfferGrant, 'id' | 'browserHash' | 'offeringId'>) {
  const { code, ...stored } = newCode(deps)
  const { issuerProfile, signIn } = deps.config
  const asked = { attestedOnly: issuerProfile === 'haip', usersHaveDids: signIn !== undefined }
  const parameters = await deps.stores.decisions.grantOffer({ ...offer, ...stored, ...asked })
  return parameters === undefined ? undefined : { code, parameters }
}

const declines = () => denied('The user declined.')

/** The form of the page, with its fields where it has some. */
interface Decision extends Filled {
  readonly id: string
  readonly decision?: unknown
  readonly token?: unknown
}

/**
 * A decision over an offer that nothing stands against, in one statement (`bench/rows/haip-flow.ts` measures it). That the request
 * fits the offer was checked when the page was made, which its token says, and is again when the code is redeemed. Whom the offer
 * is for is a condition of the one statement by which codes for offers are given, here and stepwise.
 *
 * @returns undefined where it cannot be taken so, and nothing has happened.
 */
async function decidedAtOnce(ctx: Context, { id, decision, token }: Decision): Promise<ProtocolReply | undefined> {
  const { deps } = ctx
  const browserHash = browserHashOf(ctx)
  const shown = browserHash === undefined ? undefined : shownOnForm(deps, id, browserHash, token)
  if (browserHash === undefined || shown === undefined) return undefined
  if (decision === 'decline') {
    const parameters = await deps.stores.decisions.deny(id, browserHash, deps.clock(), ['SignedIn'])
    if (parameters === undefined) return undefined
    return refuseWallet(deps, (await openedRequest(deps, id, parameters)).request, declines())
  }
  const offeringId = offeringNamed(shown)
  if (decision !== 'accept' || offeringId === undefined) return undefined
  const given = await codeForOffer(deps, { id, browserHash, offeringId })
  if (given === undefined) return undefined
  return answerWallet(deps, (await openedRequest(deps, id, given.parameters)).request, { code: given.code })
}

/** Takes the decision, once, and sends the browser back to the wallet. */
export async function decide(ctx: Context, sent: Decision): Promise<ProtocolReply> {
  return (await decidedAtOnce(ctx, sent)) ?? decideStepwise(ctx, sent)
}

/** Says what stands against a decision; and decides over what is made only now. */
async function decideStepwise(ctx: Context, { id, decision, token, ...filled }: Decision): Promise<ProtocolReply> {
  const { deps } = ctx
  const found = await visited(ctx, id)
  if (found === undefined || found.authorization.state === 'Started') return notFound(deps)
  const shown = shownOnForm(deps, id, found.browserHash, token)
  if (shown === undefined)
    return messagePage(
      deps.config.issuerBaseUrl,
      403,
      'This page is out of date',
      'Open the request again in your wallet.',
    )
  if (found.authorization.state !== 'SignedIn') return decided(deps)
  if (decision !== 'accept' && decision !== 'decline')
    return messagePage(deps.config.issuerBaseUrl, 400, 'Nothing was decided', 'decision must be accept or decline.')
  const { authorization, browserHash } = found
  try {
    if (decision === 'accept') return await accept(ctx, found, shown, filled)
    throw declines()
  } catch (thrown) {
    if (!(thrown instanceof OAuthError)) throw thrown
    return (await deps.stores.decisions.deny(id, browserHash, deps.clock())) !== undefined
      ? refuseWallet(deps, authorization.request, thrown)
      : decided(deps)
  }
}
