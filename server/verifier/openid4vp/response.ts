import type { Config } from '../../config/config.js'
import type { ProtocolReply } from '../../protocol/oauth/reply.js'
import {
  type AuthorizationResponse,
  readAuthorizationResponse,
} from '../../protocol/openid4vp/authorization-response.js'
import type { Work } from '../../protocol/work.js'
import { responseUriOf, wayOf } from '../sessions/session.js'
import type { VerificationSessions } from '../sessions/verification-sessions.js'
import type { KnownFormats } from './profiles/profile.js'
import { profileNamed } from './profiles/profiles.js'
import { requestNotFound } from './refusals.js'
import type { TakeAnswer } from './take-answer.js'

/** Dependencies of {@link createReceiveResponse}. */
export interface ReceiveResponsePorts {
  readonly byRequest: VerificationSessions['byRequest']
  readonly takeAnswer: TakeAnswer
  readonly formats: KnownFormats
  readonly config: Pick<Config, 'verifierBaseUrl'>
}

/**
 * Processes a wallet's response (OpenID4VP 1.0 §8). The QR code is public, so only the wallet that fetched the request
 * may answer. Any other response is refused and does not change the session. A response that does not satisfy the query
 * ends the session; the wallet and the session get the same message.
 */
export type ReceiveResponse = (requestId: string, form: AuthorizationResponse, work: Work) => Promise<ProtocolReply>

export const createReceiveResponse =
  ({ byRequest, takeAnswer, formats, config }: ReceiveResponsePorts): ReceiveResponse =>
  async (requestId, form, work) => {
    const session = await byRequest(requestId)
    if (session === undefined || session.clientId === null || wayOf(session) === 'browser') throw requestNotFound()
    const profile = profileNamed(session.profile)
    const asked = { id: requestId, dcqlQuery: session.dcqlQuery, formats }
    const { client_id: clientId } = profile.clientParameters(session.clientId)
    return takeAnswer(session, work, {
      audience: clientId,
      channel: { clientId, responseUri: responseUriOf(config, requestId) },
      read: (secrets) => readAuthorizationResponse(form, secrets, (sent) => profile.presentations(sent, asked)),
    })
  }
