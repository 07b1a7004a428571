import type { Config } from '../../../config/config.js'
import type { Contact } from '../../../pages/contact.js'
import type { Html } from '../../../pages/html.js'
import { inEnglish, messagePage, seeOther } from '../../../pages/page.js'
import { type Speech, speechFor } from '../../../pages/speech.js'
import type { RedirectTarget } from '../../../protocol/oauth/authorization-request.js'
import type { OAuthError } from '../../../protocol/oauth/error.js'
import { withParameters } from '../../../protocol/oauth/redirect-uri.js'
import type { ProtocolReply } from '../../../protocol/oauth/reply.js'
import type { BrowserRequest } from './visits.js'

type ErrorTitle =
  | 'error.unusableRequest'
  | 'error.nothingHere'
  | 'error.decided'
  | 'error.outOfDate'
  | 'error.undecided'
  | 'error.otherLogin'

/** HEAD changes nothing, so there is no page to redirect to. */
export const LOOKED_AT: ProtocolReply = { status: 303, headers: { 'cache-control': 'no-store' } }

export type Replies = ReturnType<typeof createReplies>

/** Answers to browsers that wallets redirect to this service. */
export function createReplies({ config }: { readonly config: Pick<Config, 'issuerBaseUrl' | 'serviceContact'> }) {
  const { issuerBaseUrl, serviceContact } = config

  /** An authorization response (RFC 6749 §4.1.2, RFC 9207 §2): a redirect with the unchanged `state`. */
  const answerWallet = (
    { redirectUri, state }: RedirectTarget,
    parameters: Readonly<Record<string, string>>,
  ): ProtocolReply => seeOther(withParameters(redirectUri, { ...parameters, state, iss: issuerBaseUrl }))

  /** A page with a message in the reader's language. */
  const messageOf = (
    request: BrowserRequest,
    status: number,
    title: ErrorTitle,
    message: (speech: Speech) => string | Html,
    contact?: Contact,
  ): ProtocolReply => {
    const speech = speechFor(request, issuerBaseUrl)
    return messagePage(issuerBaseUrl, speech, status, speech.say(title), message(speech), contact)
  }

  return {
    answerWallet,

    /** An error response (RFC 6749 §4.1.2.1). */
    refuseWallet: (target: RedirectTarget, refusal: OAuthError): ProtocolReply =>
      answerWallet(target, { ...refusal.toBody() }),

    /** Redirects the browser to the page of an authorization. */
    toPage: (id: string, cookie?: string): ProtocolReply =>
      seeOther(`${issuerBaseUrl}/openid4vci/authorize/${id}`, cookie === undefined ? {} : { 'set-cookie': cookie }),

    /** Errors that must not be sent by redirect are shown to the person on a page. */
    unsafe: (request: BrowserRequest, message: string): ProtocolReply =>
      messageOf(request, 400, 'error.unusableRequest', () => inEnglish(message)),

    /** The page for a browser without a matching authorization. */
    notFound: (request: BrowserRequest): ProtocolReply =>
      messageOf(request, 404, 'error.nothingHere', (speech) => speech.say('error.unknownPage'), serviceContact),

    /** The page after a decision. */
    decided: (request: BrowserRequest): ProtocolReply =>
      messageOf(request, 409, 'error.decided', (speech) => speech.say('error.decidedText')),

    /** The page for a form that was not shown to this browser. */
    outOfDate: (request: BrowserRequest): ProtocolReply =>
      messageOf(request, 403, 'error.outOfDate', (speech) => speech.say('error.openAgain')),

    /** The page for a form without a decision. */
    undecided: (request: BrowserRequest): ProtocolReply =>
      messageOf(request, 400, 'error.undecided', (speech) => speech.say('error.undecidedText')),

    /** The page for an answer of the provider that belongs to another sign-in. */
    otherLogin: (request: BrowserRequest): ProtocolReply =>
      messageOf(request, 400, 'error.otherLogin', (speech) => speech.say('error.openAgain')),
  }
}
