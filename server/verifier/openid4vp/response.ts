import type { Deps } from '../../deps.js'
import type { Handover } from '../../formats/verifying.js'
import { presentReturnUrl } from '../../pages/addresses.js'
import { OAuthError } from '../../protocol/oauth/error.js'
import { withParameters } from '../../protocol/oauth/redirect-uri.js'
import type { ProtocolReply } from '../../protocol/oauth/reply.js'
import {
  type AuthorizationResponse,
  type Presentations,
  readAuthorizationResponse,
  type WalletAnswer,
} from '../../protocol/openid4vp/authorization-response.js'
import { responsePublicKey } from '../../protocol/openid4vp/response-encryption.js'
import { ResponseError } from '../../protocol/openid4vp/response-error.js'
import type { Work } from '../../protocol/work.js'
import { checksOfRefused } from '../presentations/checks.js'
import { type PresentationChecks, PresentationError } from '../presentations/presentation-error.js'
import { verifiedClaims } from '../presentations/verified-claims.js'
import { type Binding, type VerifiedVpToken, verifyVpToken } from '../presentations/verify-vp-token.js'
import { expireSessions } from '../sessions/expire.js'
import { responseCodeHash } from '../sessions/result.js'
import { randomValue, revealSecrets, type SessionSecrets } from '../sessions/secrets.js'
import {
  EXPIRED_MESSAGE,
  isFinal,
  responseFailed,
  responseUriOf,
  responseVerified,
  type Session,
  type Transition,
  WALLET_ANSWERED,
  wayOf,
} from '../sessions/session.js'
import type { Ending } from '../sessions/store.js'
import { dialectOf } from './profiles/profile.js'
import { requestNotFound } from './refusals.js'

const ANSWERED = 'Authorization request was answered already.'
const NOT_FETCHED = 'Authorization request was not fetched yet.'
const MAX_DESCRIPTION = 200

const refusal = (description: string, cause?: unknown) => new OAuthError('invalid_request', description, { cause })

/** §8.2: always a JSON object, since some wallets fail on an empty body. */
const accepted = (body: Record<string, unknown>): ProtocolReply => ({
  status: 200,
  headers: { 'cache-control': 'no-store' },
  body,
})

/**
 * Takes a wallet's response (OpenID4VP 1.0 §8). A response that is not from the wallet that fetched the request is refused
 * and does not change the session, since the QR code is public. One that does not satisfy the query ends the session; the
 * wallet and the session get the same message.
 */
export async function receiveResponse(
  deps: Deps,
  requestId: string,
  form: AuthorizationResponse,
  work: Work,
): Promise<ProtocolReply> {
  const session = await deps.stores.verificationSessions.byRequest(requestId)
  if (session === undefined || session.clientId === null || wayOf(session) === 'browser') throw requestNotFound()
  const dialect = dialectOf(session.profile)
  const asked = { id: requestId, dcqlQuery: session.dcqlQuery, formats: deps.formats }
  const { client_id: clientId } = dialect.client(session.clientId)
  return takeAnswer(deps, session, work, {
    audience: clientId,
    channel: { clientId, responseUri: responseUriOf(deps.config, requestId) },
    read: (secrets) => readAuthorizationResponse(form, secrets, (sent) => dialect.presentations(sent, asked)),
  })
}

/** An answer, in whatever way it came. */
export interface Answering extends Pick<Binding, 'audience'> {
  readonly channel: Channel
  /** @throws ResponseError for one that is not an answer to the request. */
  readonly read: (secrets: SessionSecrets) => WalletAnswer
}

/** `Handover` without the key, which is among the secrets. */
type Channel = Handover extends infer Way ? (Way extends Handover ? Omit<Way, 'encryptionKey'> : never) : never

/** Judges an answer and ends its session. @throws OAuthError */
export async function takeAnswer(
  deps: Deps,
  session: Session,
  work: Work,
  { audience, channel, read }: Answering,
): Promise<ProtocolReply> {
  await assertAwaiting(deps, session)
  const secrets = await revealSecrets(deps, session)
  const answer = orRefusal(() => read(secrets))
  if (answer.kind === 'error') return endByWallet(deps, session, answer)
  const { nonce, encryptionKey } = secrets
  const handover = { ...channel, encryptionKey: encryptionKey && responsePublicKey(encryptionKey) }
  const verified = await verifyOrEnd(deps, session, { nonce, audience, handover }, answer, work)
  return complete(deps, session, verified)
}

async function assertAwaiting(deps: Deps, session: Session): Promise<void> {
  if (isFinal(session.state)) throw refusal(session.errorMessage === EXPIRED_MESSAGE ? EXPIRED_MESSAGE : ANSWERED)
  const now = deps.clock()
  if (session.expiresAt <= now) {
    await expireSessions(deps, now, 1, session.id)
    throw refusal(EXPIRED_MESSAGE)
  }
  if (session.state === 'RequestCreated') throw refusal(NOT_FETCHED)
}

function orRefusal(read: () => WalletAnswer): WalletAnswer {
  try {
    return read()
  } catch (thrown) {
    throw thrown instanceof ResponseError ? refusal(thrown.message, thrown) : thrown
  }
}

/** Characters of RFC 6749 §5.2 only, as they go out to the wallet too. */
const wireText = (text: string): string => new OAuthError('invalid_request', text).toBody().error_description

/** §8.5. The person is sent back all the same (§8.2; HAIP 1.0 §5.1). */
async function endByWallet(
  deps: Deps,
  session: Session,
  { error, description }: Extract<WalletAnswer, { kind: 'error' }>,
): Promise<ProtocolReply> {
  const code = /^[\w.-]{1,64}$/.test(error) ? error : 'an unknown error'
  const why = description === undefined || description === '' ? '.' : `: ${description.slice(0, MAX_DESCRIPTION)}`
  const { redirectUri } = await endInError(deps, session, `${WALLET_ANSWERED}${code}${why}`)
  deps.metrics.verificationSession('declined')
  return accepted(returning(redirectUri))
}

async function verifyOrEnd(
  deps: Deps,
  session: Session,
  binding: Binding,
  presentations: Presentations,
  work: Work,
): Promise<VerifiedVpToken> {
  try {
    return await verifyVpToken(deps, session, binding, presentations, work)
  } catch (thrown) {
    if (!(thrown instanceof PresentationError)) throw thrown
    const { errorMessage, redirectUri } = await endInError(deps, session, thrown.message, checksOfRefused(thrown))
    deps.metrics.verificationSession('refused', thrown.check)
    throw new OAuthError('invalid_request', errorMessage, { members: returning(redirectUri), cause: thrown })
  }
}

const returning = (redirectUri: string | undefined): Record<string, string> =>
  redirectUri === undefined ? {} : { redirect_uri: redirectUri }

/**
 * Ends a session. §8.2, §13.3: a fresh code in the redirect, so that only the browser that is sent back can name it; back to the
 * request's page first, where it has one.
 *
 * @returns where the person goes on; undefined where there is nothing to go on to
 * @throws 400 where another answer ended it first
 */
async function endAndReturn(
  deps: Pick<Deps, 'clock' | 'config' | 'random' | 'stores'>,
  session: Session,
  transition: Transition,
  ending: Omit<Ending, 'responseCodeHash'>,
): Promise<string | undefined> {
  const { id, redirectUri } = session
  const code = randomValue(deps)
  const stored = { ...ending, responseCodeHash: responseCodeHash(code) }
  const ended = await deps.stores.verificationSessions.end(id, transition, stored, deps.clock())
  if (ended === undefined) throw refusal(ANSWERED)
  // Over the Digital Credentials API nobody has left the page.
  if (wayOf(session) === 'browser') return undefined
  const next = ended.pageId === null ? redirectUri : presentReturnUrl(deps.config, ended.pageId)
  return next === null ? undefined : withParameters(next, { response_code: code })
}

/** Ends a session in Error. @throws 400 where another answer ended it first. */
async function endInError(
  deps: Deps,
  session: Session,
  message: string,
  checks: readonly PresentationChecks[] = [],
): Promise<{ errorMessage: string; redirectUri: string | undefined }> {
  const errorMessage = wireText(message)
  const redirectUri = await endAndReturn(deps, session, responseFailed(errorMessage), {
    action: 'presentation.refused',
    checks,
  })
  return { errorMessage, redirectUri }
}

async function complete(
  deps: Deps,
  session: Session,
  { credentials, discarded, checks }: VerifiedVpToken,
): Promise<ProtocolReply> {
  const redirectUri = await endAndReturn(deps, session, responseVerified, {
    result: credentials.map(verifiedClaims),
    discarded,
    checks,
    action: 'presentation.verified',
  })
  deps.metrics.verificationSession('verified')
  return accepted(returning(redirectUri))
}
