import type { Deps } from '../../deps.js'
import { OAuthError } from '../../protocol/oauth/error.js'
import { withParameters } from '../../protocol/oauth/redirect-uri.js'
import type { ProtocolReply } from '../../protocol/oauth/reply.js'
import {
  type AuthorizationResponse,
  type Presentations,
  readAuthorizationResponse,
  type WalletAnswer,
} from '../../protocol/openid4vp/authorization-response.js'
import { ResponseError } from '../../protocol/openid4vp/response-error.js'
import type { Work } from '../../protocol/work.js'
import { PresentationError } from '../presentations/presentation-error.js'
import { verifiedClaims } from '../presentations/verified-claims.js'
import { type Binding, type VerifiedVpToken, verifyVpToken } from '../presentations/verify-vp-token.js'
import { expireSessions } from '../sessions/expire.js'
import { responseCodeHash } from '../sessions/result.js'
import { randomValue, revealSecrets, type SessionSecrets } from '../sessions/secrets.js'
import { EXPIRED_MESSAGE, isFinal, responseFailed, responseVerified, type Session, wayOf } from '../sessions/session.js'
import { dialectOf } from './profiles/profile.js'
import { requestNotFound } from './request.js'

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
  return takeAnswer(deps, session, work, {
    audience: dialect.client(session.clientId).client_id,
    read: (secrets) => readAuthorizationResponse(form, secrets, (sent) => dialect.presentations(sent, asked)),
  })
}

/** An answer, in whatever way it came. */
export interface Answering extends Pick<Binding, 'audience'> {
  /** @throws ResponseError for one that is not an answer to the request. */
  readonly read: (secrets: SessionSecrets) => WalletAnswer
}

/** Judges an answer and ends its session. @throws OAuthError */
export async function takeAnswer(
  deps: Deps,
  session: Session,
  work: Work,
  { audience, read }: Answering,
): Promise<ProtocolReply> {
  await assertAwaiting(deps, session)
  const secrets = await revealSecrets(deps, session)
  const answer = orRefusal(() => read(secrets))
  if (answer.kind === 'error') return endByWallet(deps, session, answer)
  const verified = await verifyOrEnd(deps, session, { nonce: secrets.nonce, audience }, answer, work)
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
  const { redirectUri } = await end(deps, session, `Wallet answered ${code}${why}`)
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
    const { errorMessage, redirectUri } = await end(deps, session, thrown.message)
    deps.metrics.verificationSession('refused', thrown.check)
    throw new OAuthError('invalid_request', errorMessage, { members: returning(redirectUri), cause: thrown })
  }
}

/** Where the person goes on, and the hash of the code in that address. */
interface Return {
  readonly redirectUri: string | undefined
  readonly responseCodeHash: string | undefined
}

/** §8.2, §13.3: a fresh code in the redirect, so that only the browser that is sent back can name it. */
function returnOf(deps: Pick<Deps, 'random'>, { redirectUri }: Session): Return {
  if (redirectUri === null) return { redirectUri: undefined, responseCodeHash: undefined }
  const code = randomValue(deps)
  return {
    redirectUri: withParameters(redirectUri, { response_code: code }),
    responseCodeHash: responseCodeHash(code),
  }
}

const returning = (redirectUri: string | undefined): Record<string, string> =>
  redirectUri === undefined ? {} : { redirect_uri: redirectUri }

/** Ends a session in Error. @throws 400 where another answer ended it first. */
async function end(
  deps: Pick<Deps, 'clock' | 'random' | 'stores'>,
  session: Session,
  message: string,
): Promise<{ errorMessage: string; redirectUri: string | undefined }> {
  const errorMessage = wireText(message)
  const { redirectUri, responseCodeHash } = returnOf(deps, session)
  const ending = { responseCodeHash, action: 'presentation.refused' } as const
  const first = await deps.stores.verificationSessions.end(
    session.id,
    responseFailed(errorMessage),
    ending,
    deps.clock(),
  )
  if (!first) throw refusal(ANSWERED)
  return { errorMessage, redirectUri }
}

async function complete(
  deps: Deps,
  session: Session,
  { credentials, discarded }: VerifiedVpToken,
): Promise<ProtocolReply> {
  const { redirectUri, responseCodeHash } = returnOf(deps, session)
  const ending = {
    result: credentials.map(verifiedClaims),
    discarded,
    responseCodeHash,
    action: 'presentation.verified',
  } as const
  const first = await deps.stores.verificationSessions.end(session.id, responseVerified, ending, deps.clock())
  if (!first) throw refusal(ANSWERED)
  deps.metrics.verificationSession('verified')
  return accepted(returning(redirectUri))
}
