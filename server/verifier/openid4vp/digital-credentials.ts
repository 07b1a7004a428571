import type { Keys } from '../../keys/keys.js'
import type { ProtocolReply } from '../../protocol/oauth/reply.js'
import { headerFor } from '../../protocol/openid4vp/client-identifier.js'
import {
  type DigitalCredential,
  type DigitalCredentialRequest,
  digitalCredentialRequest,
  originAudiences,
  protocolFor,
  readDigitalCredential,
} from '../../protocol/openid4vp/digital-credentials.js'
import type { Work } from '../../protocol/work.js'
import { opened, type SessionSecrets, type SessionVault } from '../sessions/secrets.js'
import { type Session, signingNames } from '../sessions/session.js'
import type { VerificationSessions } from '../sessions/verification-sessions.js'
import { originNotExpected, requestNotFound } from './refusals.js'
import type { RequestParametersOf } from './request-parameters.js'
import { sentDigitalCredentialRequest } from './sent-request.js'
import type { TakeAnswer } from './take-answer.js'

/** Dependencies of {@link createDigitalCredentialRequest}. */
export interface DigitalCredentialRequestPorts {
  readonly keys: Pick<Keys, 'signer'>
  readonly reveal: SessionVault['reveal']
  readonly parametersOf: RequestParametersOf
}

/**
 * Makes the `digitalCredentialRequest` of a stored request over the Digital Credentials API (OpenID4VP 1.0 Appendix A).
 * A page passes it to `navigator.credentials.get({digital: {requests: [it]}})`. The result can be made any number of
 * times while the session is open. Signed copies differ only in their signatures. If evidence is kept, the
 * request is signed once.
 *
 * @param session an open session with `expectedOrigins`
 * @param secrets the secrets of the session; by default they are read from the session
 */
export type DigitalCredentialRequestOf = (
  session: Session,
  secrets?: SessionSecrets,
) => Promise<DigitalCredentialRequest>

export const createDigitalCredentialRequest =
  ({ keys, reveal, parametersOf }: DigitalCredentialRequestPorts): DigitalCredentialRequestOf =>
  async (stored, known) => {
    const secrets = known ?? (await reveal(stored))
    if (secrets.sent !== undefined) return sentDigitalCredentialRequest(secrets.sent)
    const session = opened(stored, secrets)
    const { clientId: _, ...parameters } = parametersOf(session, secrets)
    return digitalCredentialRequest({
      ...parameters,
      clients: signingNames(session).map((clientId) => ({ clientId, header: headerFor(clientId, session) })),
      signer: await keys.signer(session.keyId, session.kid),
      expectedOrigins: originsOf(session),
      issuedAt: session.createdAt,
      expiresAt: session.expiresAt,
    })
  }

function originsOf({ id, expectedOrigins }: Session): readonly string[] {
  if (expectedOrigins === null) throw new Error(`Session ${id} has no origins.`)
  return expectedOrigins
}

/** Dependencies of {@link createReceiveDigitalCredential}. */
export interface ReceiveDigitalCredentialPorts {
  readonly byRequest: VerificationSessions['byRequest']
  readonly takeAnswer: TakeAnswer
}

/**
 * Processes the answer that a page got from the browser (OpenID4VP 1.0 Appendix A.4), in the same way as a wallet's
 * response. These requests have no `state`. The address, which nobody can guess, replaces the `state`. The page's
 * `Origin` header can only cause a refusal. Proof of the origin is the audience of the answer, which must be one of the
 * expected origins.
 *
 * @param origin the header `Origin`; absent if a backend posts the answer
 */
export type ReceiveDigitalCredential = (
  requestId: string,
  origin: string | undefined,
  credential: DigitalCredential,
  work: Work,
) => Promise<ProtocolReply>

export const createReceiveDigitalCredential =
  ({ byRequest, takeAnswer }: ReceiveDigitalCredentialPorts): ReceiveDigitalCredential =>
  async (requestId, origin, credential, work) => {
    const session = await byRequest(requestId)
    if (session === undefined || session.expectedOrigins === null) throw requestNotFound()
    const { expectedOrigins } = session
    if (origin !== undefined && !expectedOrigins.includes(origin)) {
      throw originNotExpected()
    }
    return takeAnswer(session, work, {
      audience: originAudiences(expectedOrigins),
      channel: { origins: expectedOrigins },
      read: ({ encryptionKey }) =>
        readDigitalCredential(credential, { protocol: protocolFor(signingNames(session)), encryptionKey }),
    })
  }
