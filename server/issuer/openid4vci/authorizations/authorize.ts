import { type Context, onlyLooks } from '../../../api/context.js'
import type { Deps } from '../../../deps.js'
import { sha256 } from '../../../keys/secret-hash.js'
import { browserCookie, readBrowserCookie } from '../../../pages/browser-cookie.js'
import { messagePage, seeOther } from '../../../pages/page.js'
import {
  type AuthorizationParameters,
  assertNoRequestObject,
  authorizationRequest,
  type RedirectTarget,
  redirectTarget,
} from '../../../protocol/oauth/authorization-request.js'
import { OAuthError } from '../../../protocol/oauth/error.js'
import { withValue } from '../../../protocol/oauth/parameters.js'
import { withParameters } from '../../../protocol/oauth/redirect-uri.js'
import type { ProtocolReply } from '../../../protocol/oauth/reply.js'
import { isHaip, notPushed } from '../haip.js'
import type { WalletOffering } from '../offer-store.js'
import { DECISION_SECONDS } from './authorization.js'
import { isRedirectUriOf } from './parameters.js'
import { requestedOffer } from './requested-offer.js'
import { deciderOf } from './sign-in.js'
import { storeRequest } from './store-request.js'

/** Names the browser that an authorization belongs to. */
export const BROWSER_COOKIE = 'authorization'

/** The browser's cookie, or a new one, and its hash. */
function browserOf({ deps, request }: Context) {
  const known = readBrowserCookie(request.headers.cookie, BROWSER_COOKIE, deps.config.issuerBaseUrl)
  const value = known ?? Buffer.from(deps.random(32)).toString('base64url')
  return {
    hash: sha256(value),
    cookie: browserCookie(BROWSER_COOKIE, value, DECISION_SECONDS, deps.config.issuerBaseUrl),
  }
}

/** An authorization response (RFC 6749 §4.1.2, RFC 9207 §2): by redirect, `state` as it came. */
export const answerWallet = (
  deps: Pick<Deps, 'config'>,
  { redirectUri, state }: RedirectTarget,
  parameters: Readonly<Record<string, string>>,
): ProtocolReply => seeOther(withParameters(redirectUri, { ...parameters, state, iss: deps.config.issuerBaseUrl }))

/** An error response (RFC 6749 §4.1.2.1). */
export const refuseWallet = (deps: Pick<Deps, 'config'>, target: RedirectTarget, refusal: OAuthError): ProtocolReply =>
  answerWallet(deps, target, { ...refusal.toBody() })

/** Sends the browser on to the page of an authorization. */
export const toPage = (deps: Pick<Deps, 'config'>, id: string, cookie?: string): ProtocolReply =>
  seeOther(
    `${deps.config.issuerBaseUrl}/openid4vci/authorize/${id}`,
    cookie === undefined ? {} : { 'set-cookie': cookie },
  )

/** Errors that must not be sent by redirect are shown to the person on a page. */
const unsafe = (deps: Pick<Deps, 'config'>, message: string) =>
  messagePage(deps.config.issuerBaseUrl, 400, 'This request cannot be used', message)

const unknownRequest = (deps: Pick<Deps, 'config'>) =>
  unsafe(deps, 'The request_uri is unknown, has expired or has been used. Start again in your wallet.')

/** HEAD begins nothing: there is no page to go on to. */
export const LOOKED_AT: ProtocolReply = { status: 303, headers: { 'cache-control': 'no-store' } }

/** RFC 9126 §4: only `client_id` and `request_uri` are read; other parameters of the address are ignored. */
async function visit(ctx: Context, requestUri: string, clientId: string | undefined): Promise<ProtocolReply> {
  const { deps } = ctx
  if (clientId === undefined) return unsafe(deps, 'client_id is missing.')
  const now = deps.clock()
  const requestUriHash = sha256(requestUri)
  if (onlyLooks(ctx.request))
    return (await deps.stores.authorizations.isPushed(requestUriHash, clientId, now)) ? LOOKED_AT : unknownRequest(deps)
  const browser = browserOf(ctx)
  const found = await deps.stores.authorizations.visit({
    requestUriHash,
    clientId,
    browserHash: browser.hash,
    ...deciderOf(deps.config),
    expiresAt: new Date(now.getTime() + DECISION_SECONDS * 1000),
    now,
  })
  if (found === undefined) return unknownRequest(deps)
  return toPage(deps, found.id, browser.cookie)
}

/** RFC 6749 §3.1: no parameter is given more than once. */
function assertOnce(repeated: readonly string[]): void {
  const [name] = repeated
  if (name !== undefined) throw new OAuthError('invalid_request', `Parameter ${name} is given more than once.`)
}

/** A request whose parameters stand in the address. */
async function begin(
  ctx: Context,
  parameters: AuthorizationParameters,
  repeated: readonly string[],
): Promise<ProtocolReply> {
  const { deps } = ctx
  const target = redirectTarget(parameters, isRedirectUriOf(deps))
  try {
    assertOnce(repeated)
    assertNoRequestObject(parameters)
    if (isHaip(deps)) throw notPushed()
    const request = authorizationRequest(parameters, target, deps.config.issuerBaseUrl)
    const admit = (offering: Pick<WalletOffering, 'profile'>) => {
      if (isHaip(deps, offering)) throw notPushed()
    }
    if (onlyLooks(ctx.request)) {
      const offer = await requestedOffer(deps, request)
      if (offer !== undefined) admit(offer.offering)
      return LOOKED_AT
    }
    const createdAt = deps.clock()
    const browser = browserOf(ctx)
    const stored = {
      dpopJkt: request.dpopJkt ?? null,
      instanceJkt: null,
      requestUriHash: null,
      browserHash: browser.hash,
      ...deciderOf(deps.config),
      expiresAt: new Date(createdAt.getTime() + DECISION_SECONDS * 1000),
      createdAt,
    }
    const id = await storeRequest(deps, request, stored, [], admit)
    if (id === undefined) throw new Error('A request without proofs was not stored.')
    return toPage(deps, id, browser.cookie)
  } catch (thrown) {
    if (thrown instanceof OAuthError) return refuseWallet(deps, target, thrown)
    throw thrown
  }
}

/** Parameters of an address: texts, and lists of them where a name is given more than once. */
export type SentParameters = Readonly<Record<string, string | readonly string[] | undefined>>

const onceIn = (sent: SentParameters): AuthorizationParameters =>
  Object.fromEntries(
    Object.entries(sent).filter((entry): entry is [string, string | undefined] => !Array.isArray(entry[1])),
  )

/**
 * The authorization endpoint (RFC 6749 §3.1, OpenID4VCI 1.0 §5): a browser brings a wallet's request, is bound to it by a
 * cookie and redirected to the page where a person decides. Errors go to the wallet where that is safe, else to a page.
 */
export async function authorize(ctx: Context, sent: SentParameters): Promise<ProtocolReply> {
  try {
    const repeated = Object.keys(sent).filter((name) => Array.isArray(sent[name]))
    const parameters = withValue(onceIn(sent))
    assertOnce(repeated.filter((name) => name === 'request_uri' || name === 'client_id'))
    const { request_uri: requestUri, client_id: clientId } = parameters
    if (requestUri !== undefined) return await visit(ctx, requestUri, clientId)
    assertOnce(repeated.filter((name) => name === 'redirect_uri'))
    return await begin(ctx, parameters, repeated)
  } catch (thrown) {
    if (thrown instanceof OAuthError) return unsafe(ctx.deps, thrown.message)
    throw thrown
  }
}
