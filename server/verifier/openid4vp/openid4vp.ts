import type { Config } from '../../config/config.js'
import type { Keys } from '../../keys/keys.js'
import type { Metrics } from '../../metrics/metrics.js'
import type { EvidenceKeeping } from '../evidence/evidence.js'
import type { VerifyVpToken } from '../presentations/verify-vp-token.js'
import type { SessionVault } from '../sessions/secrets.js'
import type { VerificationSessions } from '../sessions/verification-sessions.js'
import { createDigitalCredentialRequest, createReceiveDigitalCredential } from './digital-credentials.js'
import { createFixRequest } from './fix-request.js'
import type { KnownFormats } from './profiles/profile.js'
import { createServeRequestObject, createSignRequest } from './request-object.js'
import { createRequestParameters } from './request-parameters.js'
import { createReceiveResponse } from './response.js'
import { createTakeAnswer } from './take-answer.js'
import { createReadTransactionData } from './transaction-data.js'

/** Dependencies of {@link createOpenid4vp}. */
export interface Openid4vpPorts {
  readonly verificationSessions: Pick<
    VerificationSessions,
    'byRequest' | 'verifierFace' | 'retrieve' | 'end' | 'expireNow' | 'replaceSecrets'
  >
  readonly sessionVault: Pick<SessionVault, 'protect' | 'reveal' | 'randomValue'>
  readonly verifyVpToken: VerifyVpToken
  readonly evidence: Pick<EvidenceKeeping, 'begin' | 'make'>
  readonly keys: Pick<Keys, 'signer'>
  readonly formats: KnownFormats
  readonly config: Pick<Config, 'verifierBaseUrl' | 'trustAnchors'>
  readonly clock: () => Date
  readonly metrics: Pick<Metrics, 'verificationSession'>
}

export type Openid4vp = ReturnType<typeof createOpenid4vp>

/** The verifier's part of OpenID4VP: requests for wallets and browsers, and their answers. */
export function createOpenid4vp({
  verificationSessions,
  sessionVault,
  verifyVpToken,
  evidence,
  keys,
  formats,
  config,
  clock,
  metrics,
}: Openid4vpPorts) {
  const { byRequest, verifierFace } = verificationSessions
  const { reveal } = sessionVault
  const parametersOf = createRequestParameters({ formats, config })
  const takeAnswer = createTakeAnswer({
    verificationSessions,
    sessionVault,
    verifyVpToken,
    evidence,
    clock,
    config,
    metrics,
  })
  const sign = createSignRequest({ keys, parametersOf, verifierFace, config })
  const digitalCredentialRequest = createDigitalCredentialRequest({ keys, reveal, parametersOf })
  return {
    parametersOf,
    digitalCredentialRequest,
    transactionData: createReadTransactionData(reveal),
    fixRequest: createFixRequest({ keys, parametersOf, sign, digitalCredentialRequest }),
    serveRequestObject: createServeRequestObject({ verificationSessions, keys, formats, clock, sessionVault, sign }),
    receiveResponse: createReceiveResponse({ byRequest, takeAnswer, formats, config }),
    receiveDigitalCredential: createReceiveDigitalCredential({ byRequest, takeAnswer }),
  }
}
