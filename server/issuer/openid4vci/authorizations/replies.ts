import type { Config } from '../../../config/config.js'
import { messagePage, seeOther } from '../../../pages/page.js'
import type { RedirectTarget } from '../../../protocol/oauth/authorization-request.js'
import type { OAuthError } from '../../../protocol/oauth/error.js'
import { withParameters } from '../../../protocol/oauth/redirect-uri.js'
import type { ProtocolReply } from '../../../protocol/oauth/reply.js'

/** HEAD changes nothing, so there is no page to redirect to. */
export const LOOKED_AT: ProtocolReply = { status: 303, headers: { 'cache-control': 'no-store' } }

export type Replies = ReturnType<typeof createReplies>

/** Answers to browsers that wallets redirect to this service. */
export function createReplies({ config }: { readonly config: Pick<Config, 'issuerBaseUrl'> }) {
  const { issuerBaseUrl } = config

  /** An authorization response (RFC 6749 §4.1.2, RFC 9207 §2): a redirect with the unchanged `state`. */
  const answerWallet = (
    { redirectUri, state }: RedirectTarget,
    parameters: Readonly<Record<string, string>>,
  ): ProtocolReply => seeOther(withParameters(redirectUri, { ...parameters, state, iss: issuerBaseUrl }))

  return {
    answerWallet,

    /** An error response (RFC 6749 §4.1.2.1). */
    refuseWallet: (target: RedirectTarget, refusal: OAuthError): ProtocolReply =>
      answerWallet(target, { ...refusal.toBody() }),

    /** Redirects the browser to the page of an authorization. */
    toPage: (id: string, cookie?: string): ProtocolReply =>
      seeOther(`${issuerBaseUrl}/openid4vci/authorize/${id}`, cookie === undefined ? {} : { 'set-cookie': cookie }),

    /** Errors that must not be sent by redirect are shown to the person on a page. */
    unsafe: (message: string): ProtocolReply => messagePage(issuerBaseUrl, 400, 'This request cannot be used', message),

    /** The page for a browser without a matching authorization. */
    notFound: (): ProtocolReply =>
      messagePage(
        issuerBaseUrl,
        404,
        'There is nothing here',
        'This page is unknown, has ended, or was opened in another browser.',
      ),

    /** The page after a decision. */
    decided: (): ProtocolReply =>
      messagePage(
        issuerBaseUrl,
        409,
        'This has been decided',
        'You have already decided, perhaps in another window. Continue in your wallet.',
      ),

    /** The page for a form that was not shown to this browser. */
    outOfDate: (): ProtocolReply =>
      messagePage(issuerBaseUrl, 403, 'This page is out of date', 'Open the request again in your wallet.'),

    /** The page for a form without a decision. */
    undecided: (): ProtocolReply =>
      messagePage(issuerBaseUrl, 400, 'Nothing was decided', 'decision must be accept or decline.'),

    /** The page for an answer of the provider that belongs to another sign-in. */
    otherLogin: (): ProtocolReply =>
      messagePage(issuerBaseUrl, 400, 'This sign-in cannot be used', 'Open the request again in your wallet.'),
  }
}
