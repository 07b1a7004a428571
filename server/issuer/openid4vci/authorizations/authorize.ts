import { onlyLooks } from '../../../api/context.js'
import type { Config } from '../../../config/config.js'
import { sha256 } from '../../../keys/secret-hash.js'
import {
  type AuthorizationParameters,
  assertNoRequestObject,
  authorizationRequest,
  redirectTarget,
} from '../../../protocol/oauth/authorization-request.js'
import { OAuthError } from '../../../protocol/oauth/error.js'
import { withValue } from '../../../protocol/oauth/parameters.js'
import type { ProtocolReply } from '../../../protocol/oauth/reply.js'
import { isHaip, notPushed, type ProfiledOffer } from '../haip.js'
import { DECISION_SECONDS } from './authorization.js'
import { isRedirectUriOf } from './parameters.js'
import { LOOKED_AT, type Replies } from './replies.js'
import type { RequestedOffers } from './requested-offers.js'
import { deciderOf } from './sign-in.js'
import type { AuthorizationStore } from './store.js'
import type { StoreRequest } from './store-request.js'
import type { BrowserRequest, Visits } from './visits.js'

/** RFC 6749 §3.1: no parameter is given more than once. */
function assertOnce(repeated: readonly string[]): void {
  const [name] = repeated
  if (name !== undefined) throw new OAuthError('invalid_request', `Parameter ${name} is given more than once.`)
}

/** The parameters of a URL. A name that is given more than once has a list of texts. */
export type SentParameters = Readonly<Record<string, string | readonly string[] | undefined>>

const onceIn = (sent: SentParameters): AuthorizationParameters =>
  Object.fromEntries(
    Object.entries(sent).filter((entry): entry is [string, string | undefined] => !Array.isArray(entry[1])),
  )

/** Dependencies of {@link createAuthorize}. */
export interface AuthorizePorts {
  readonly config: Pick<
    Config,
    'allowInsecureHttp' | 'authDisabled' | 'issuerBaseUrl' | 'issuerProfile' | 'signIn' | 'walletRedirectUris'
  >
  readonly authorizations: Pick<AuthorizationStore, 'isPushed' | 'visit'>
  readonly requestedOffer: RequestedOffers['requestedOffer']
  readonly storeRequest: StoreRequest
  readonly visits: Pick<Visits, 'browserOf'>
  readonly replies: Replies
  readonly clock: () => Date
}

/**
 * The authorization endpoint (RFC 6749 §3.1, OpenID4VCI 1.0 §5): a browser opens a wallet's request. A cookie binds the
 * browser to the request, and the browser is redirected to the page where a person decides. Errors are redirected to
 * the wallet if that is safe, and otherwise shown on a page.
 */
export type Authorize = (browserRequest: BrowserRequest, sent: SentParameters) => Promise<ProtocolReply>

export function createAuthorize({
  config,
  authorizations,
  requestedOffer,
  storeRequest,
  visits,
  replies,
  clock,
}: AuthorizePorts): Authorize {
  const isRedirectUri = isRedirectUriOf(config)

  const unknownRequest = (browserRequest: BrowserRequest) =>
    replies.unsafe(
      browserRequest,
      'The request_uri is unknown, has expired or has been used. Start again in your wallet.',
    )

  /** RFC 9126 §4: only `client_id` and `request_uri` are read. Other parameters of the URL are ignored. */
  const visit = async (
    browserRequest: BrowserRequest,
    requestUri: string,
    clientId: string | undefined,
  ): Promise<ProtocolReply> => {
    if (clientId === undefined) return replies.unsafe(browserRequest, 'client_id is missing.')
    const now = clock()
    const requestUriHash = sha256(requestUri)
    if (onlyLooks(browserRequest))
      return (await authorizations.isPushed(requestUriHash, clientId, now)) ? LOOKED_AT : unknownRequest(browserRequest)
    const browser = visits.browserOf(browserRequest)
    const found = await authorizations.visit({
      requestUriHash,
      clientId,
      browserHash: browser.hash,
      ...deciderOf(config),
      expiresAt: new Date(now.getTime() + DECISION_SECONDS * 1000),
      now,
    })
    return found === undefined ? unknownRequest(browserRequest) : replies.toPage(found.id, browser.cookie)
  }

  /** HAIP 1.0 accepts pushed requests only. */
  const admit = (offering?: ProfiledOffer): void => {
    if (isHaip({ config }, offering)) throw notPushed()
  }

  /** Handles a request whose parameters are in the URL. */
  const begin = async (
    browserRequest: BrowserRequest,
    parameters: AuthorizationParameters,
    repeated: readonly string[],
  ): Promise<ProtocolReply> => {
    const target = redirectTarget(parameters, isRedirectUri)
    try {
      assertOnce(repeated)
      assertNoRequestObject(parameters)
      admit()
      const request = authorizationRequest(parameters, target, config.issuerBaseUrl)
      if (onlyLooks(browserRequest)) {
        const offer = await requestedOffer(request)
        if (offer !== undefined) admit(offer.offering)
        return LOOKED_AT
      }
      const createdAt = clock()
      const browser = visits.browserOf(browserRequest)
      const stored = {
        dpopJkt: request.dpopJkt ?? null,
        instanceJkt: null,
        requestUriHash: null,
        browserHash: browser.hash,
        ...deciderOf(config),
        expiresAt: new Date(createdAt.getTime() + DECISION_SECONDS * 1000),
        createdAt,
      }
      const id = await storeRequest(request, stored, [], admit)
      if (id === undefined) throw new Error('A request without proofs was not stored.')
      return replies.toPage(id, browser.cookie)
    } catch (thrown) {
      if (thrown instanceof OAuthError) return replies.refuseWallet(target, thrown)
      throw thrown
    }
  }

  return async (browserRequest, sent) => {
    try {
      const repeated = Object.keys(sent).filter((name) => Array.isArray(sent[name]))
      const parameters = withValue(onceIn(sent))
      assertOnce(repeated.filter((name) => name === 'request_uri' || name === 'client_id'))
      const { request_uri: requestUri, client_id: clientId } = parameters
      if (requestUri !== undefined) return await visit(browserRequest, requestUri, clientId)
      assertOnce(repeated.filter((name) => name === 'redirect_uri'))
      return await begin(browserRequest, parameters, repeated)
    } catch (thrown) {
      if (thrown instanceof OAuthError) return replies.unsafe(browserRequest, thrown.message)
      throw thrown
    }
  }
}
