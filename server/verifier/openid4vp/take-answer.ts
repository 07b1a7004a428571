import type { Config } from '../../config/config.js'
import type { Handover } from '../../formats/verifying.js'
import type { Metrics } from '../../metrics/metrics.js'
import { presentReturnUrl } from '../../pages/addresses.js'
import { OAuthError } from '../../protocol/oauth/error.js'
import { withParameters } from '../../protocol/oauth/redirect-uri.js'
import type { ProtocolReply } from '../../protocol/oauth/reply.js'
import type { Presentations, WalletAnswer } from '../../protocol/openid4vp/authorization-response.js'
import { responsePublicKey } from '../../protocol/openid4vp/response-encryption.js'
import { ResponseError } from '../../protocol/openid4vp/response-error.js'
import type { Work } from '../../protocol/work.js'
import type { EvidenceKeeping } from '../evidence/evidence.js'
import type { JudgedAnswer } from '../evidence/make.js'
import { checksOfRefused } from '../presentations/checks.js'
import { type PresentationChecks, PresentationError } from '../presentations/presentation-error.js'
import { verifiedClaims } from '../presentations/verified-claims.js'
import type { Binding, VerifiedVpToken, VerifyVpToken } from '../presentations/verify-vp-token.js'
import { responseCodeHash } from '../sessions/result.js'
import { opened, type SessionSecrets, type SessionVault } from '../sessions/secrets.js'
import {
  EXPIRED_MESSAGE,
  isFinal,
  responseFailed,
  responseVerified,
  type Session,
  type Transition,
  WALLET_ANSWERED,
  wayOf,
} from '../sessions/session.js'
import type { Ending } from '../sessions/store.js'
import type { VerificationSessions } from '../sessions/verification-sessions.js'

const ANSWERED = 'Authorization request was answered already.'
const NOT_FETCHED = 'Authorization request was not fetched yet.'
const MAX_DESCRIPTION = 200

const refusal = (description: string, cause?: unknown) => new OAuthError('invalid_request', description, { cause })

/** §8.2: always a JSON object, because some wallets fail on an empty body. */
const accepted = (body: Record<string, unknown>): ProtocolReply => ({
  status: 200,
  headers: { 'cache-control': 'no-store' },
  body,
})

/** An answer, from any channel. */
export interface Answering extends Pick<Binding, 'audience'> {
  readonly channel: Channel
  /** @throws ResponseError for data that do not answer the request */
  readonly read: (secrets: SessionSecrets) => WalletAnswer
}

/** `Handover` without the key, which the session's secrets hold. */
type Channel = Handover extends infer Way ? (Way extends Handover ? Omit<Way, 'encryptionKey'> : never) : never

/** An answer whose evidence is kept, before its outcome is known. */
type EvidentAnswer = Omit<JudgedAnswer, 'refused'>

function orRefusal(read: () => WalletAnswer): WalletAnswer {
  try {
    return read()
  } catch (thrown) {
    throw thrown instanceof ResponseError ? refusal(thrown.message, thrown) : thrown
  }
}

/** Limits a text to the characters of RFC 6749 §5.2, because the wallet receives the text too. */
const wireText = (text: string): string => new OAuthError('invalid_request', text).toBody().error_description

const returning = (redirectUri: string | undefined): Record<string, string> =>
  redirectUri === undefined ? {} : { redirect_uri: redirectUri }

/** Dependencies of {@link createTakeAnswer}. */
export interface TakeAnswerPorts {
  readonly verificationSessions: Pick<VerificationSessions, 'end' | 'expireNow'>
  readonly sessionVault: Pick<SessionVault, 'reveal' | 'randomValue'>
  readonly verifyVpToken: VerifyVpToken
  readonly evidence: Pick<EvidenceKeeping, 'begin' | 'make'>
  readonly clock: () => Date
  readonly config: Pick<Config, 'verifierBaseUrl'>
  readonly metrics: Pick<Metrics, 'verificationSession'>
}

/** Verifies an answer and ends its session. @throws OAuthError */
export type TakeAnswer = (session: Session, work: Work, answering: Answering) => Promise<ProtocolReply>

export function createTakeAnswer({
  verificationSessions,
  sessionVault,
  verifyVpToken,
  evidence,
  clock,
  config,
  metrics,
}: TakeAnswerPorts): TakeAnswer {
  const assertAwaiting = async (session: Session): Promise<void> => {
    if (isFinal(session.state)) throw refusal(session.errorMessage === EXPIRED_MESSAGE ? EXPIRED_MESSAGE : ANSWERED)
    const now = clock()
    if (session.expiresAt <= now) {
      await verificationSessions.expireNow(session.id, now)
      throw refusal(EXPIRED_MESSAGE)
    }
    if (session.state === 'RequestCreated') throw refusal(NOT_FETCHED)
  }

  /**
   * Ends a session. The redirect has a fresh code, so that only the browser that is sent back knows the code (§8.2,
   * §13.3). The redirect leads to the page of the request, if there is a page.
   *
   * @returns where the person continues; undefined without a redirect URI or page
   * @throws 400 if another answer ended the session first
   */
  const endAndReturn = async (
    session: Session,
    transition: Transition,
    ending: Omit<Ending, 'responseCodeHash' | 'evidence'>,
    answer?: JudgedAnswer,
  ): Promise<string | undefined> => {
    const { id, redirectUri } = session
    const code = sessionVault.randomValue()
    const now = clock()
    const kept = answer === undefined ? undefined : await evidence.make(session, answer, now)
    const stored = { ...ending, responseCodeHash: responseCodeHash(code), evidence: kept }
    const ended = await verificationSessions.end(id, transition, stored, now)
    if (ended === undefined) throw refusal(ANSWERED)
    // Over the Digital Credentials API the person is still on the page.
    if (wayOf(session) === 'browser') return undefined
    const next = ended.pageId === null ? redirectUri : presentReturnUrl(config, ended.pageId)
    return next === null ? undefined : withParameters(next, { response_code: code })
  }

  /** Ends a session in Error. @throws 400 if another answer ended the session first */
  const endInError = async (
    session: Session,
    message: string,
    checks: readonly PresentationChecks[] = [],
    refused?: { readonly answer: EvidentAnswer; readonly error: PresentationError },
  ): Promise<{ errorMessage: string; redirectUri: string | undefined }> => {
    const errorMessage = wireText(message)
    const redirectUri = await endAndReturn(
      session,
      responseFailed(errorMessage),
      { action: 'presentation.refused', checks },
      refused && { ...refused.answer, refused: { error: refused.error, errorMessage } },
    )
    return { errorMessage, redirectUri }
  }

  /** Ends a session after an error of the wallet (§8.5). The wallet still gets the redirect (§8.2; HAIP 1.0 §5.1). */
  const endByWallet = async (
    session: Session,
    { error, description }: Extract<WalletAnswer, { kind: 'error' }>,
  ): Promise<ProtocolReply> => {
    const code = /^[\w.-]{1,64}$/.test(error) ? error : 'an unknown error'
    const why = description === undefined || description === '' ? '.' : `: ${description.slice(0, MAX_DESCRIPTION)}`
    const { redirectUri } = await endInError(session, `${WALLET_ANSWERED}${code}${why}`)
    metrics.verificationSession('declined')
    return accepted(returning(redirectUri))
  }

  const verifyOrEnd = async (
    session: Session,
    binding: Binding,
    presentations: Presentations,
    work: Work,
    answer: EvidentAnswer | undefined,
  ): Promise<VerifiedVpToken> => {
    try {
      return await verifyVpToken(session, binding, presentations, work, answer?.recording)
    } catch (thrown) {
      if (!(thrown instanceof PresentationError)) throw thrown
      const { errorMessage, redirectUri } = await endInError(
        session,
        thrown.message,
        checksOfRefused(thrown),
        answer && { answer, error: thrown },
      )
      metrics.verificationSession('refused', thrown.check)
      throw new OAuthError('invalid_request', errorMessage, { members: returning(redirectUri), cause: thrown })
    }
  }

  const complete = async (
    session: Session,
    { credentials, discarded, checks }: VerifiedVpToken,
    answer: EvidentAnswer | undefined,
  ): Promise<ProtocolReply> => {
    const redirectUri = await endAndReturn(
      session,
      responseVerified,
      { result: credentials.map(verifiedClaims), discarded, checks, action: 'presentation.verified' },
      answer,
    )
    metrics.verificationSession('verified')
    return accepted(returning(redirectUri))
  }

  return async (stored, work, { audience, channel, read }) => {
    await assertAwaiting(stored)
    const secrets = await sessionVault.reveal(stored)
    const session = opened(stored, secrets)
    const answer = orRefusal(() => read(secrets))
    if (answer.kind === 'error') return endByWallet(session, answer)
    const { nonce, encryptionKey } = secrets
    const handover = { ...channel, encryptionKey: encryptionKey && responsePublicKey(encryptionKey) }
    const binding = { nonce, audience, handover }
    const recording = evidence.begin(session)
    const evident = recording && { secrets, binding, answer, recording }
    const verified = await verifyOrEnd(session, binding, answer, work, evident)
    return complete(session, verified, evident)
  }
}
