import type { Keys } from '../../keys/keys.js'
import { requestParameters } from '../../protocol/openid4vp/request-object.js'
import type { SessionSecrets } from '../sessions/secrets.js'
import { type Session, wayOf } from '../sessions/session.js'
import type { DigitalCredentialRequestOf } from './digital-credentials.js'
import { isByReference, type SignRequest } from './request-object.js'
import type { RequestParametersOf } from './request-parameters.js'
import { type SentRequest, sentOverBrowser } from './sent-request.js'

/** Dependencies of {@link createFixRequest}. */
export interface FixRequestPorts {
  readonly keys: Pick<Keys, 'signer'>
  readonly parametersOf: RequestParametersOf
  readonly sign: SignRequest
  readonly digitalCredentialRequest: DigitalCredentialRequestOf
}

/** Signs a new request once, so that evidence contains the request that wallets receive. */
export type FixRequest = (session: Session, secrets: SessionSecrets) => Promise<SentRequest>

export const createFixRequest =
  ({ keys, parametersOf, sign, digitalCredentialRequest }: FixRequestPorts): FixRequest =>
  async (session, secrets) => {
    const { publicJwk: key } = await keys.signer(session.keyId, session.kid)
    if (isByReference(session)) return { signed: await sign(session, secrets), key }
    if (wayOf(session) === 'browser') return sentOverBrowser(await digitalCredentialRequest(session, secrets), key)
    return { parameters: requestParameters(parametersOf(session, secrets)) }
  }
