import type { Deps } from '../../deps.js'
import { errors } from '../../errors.js'
import {
  ClientIdentifierError,
  type ClientIdPrefix,
  clientIdentifier,
  hasExpired,
} from '../../protocol/openid4vp/client-identifier.js'
import { attestationHasExpired } from '../../protocol/openid4vp/verifier-attestation.js'
import type { Session } from '../sessions/session.js'
import type { RequestContext } from './store.js'

/**
 * How the verifier names itself: by its certificate where it has one, unless the request says otherwise.
 *
 * @throws 400 where it cannot have that name; 409 where its certificate or attestation has run out.
 */
export function clientOf(
  { clock, config }: Pick<Deps, 'clock' | 'config'>,
  { verifierDid: did, publicJwk, x5c }: RequestContext,
  clientIdPrefix: ClientIdPrefix | undefined,
  responseUri: string,
): Pick<Session, 'clientId' | 'x5c' | 'verifierAttestation'> {
  const prefix = clientIdPrefix ?? (x5c === null ? 'decentralized_identifier' : 'x509_hash')
  const { verifierAttestation: attestation } = config
  const client = { did, publicJwk, x5c, attestation, responseUri }
  const clientId = orNeeds(prefix, () => clientIdentifier(prefix, client))
  if (prefix === 'verifier_attestation' && attestation !== undefined) {
    if (attestationHasExpired(attestation, clock())) throw errors.verifierAttestationExpired()
    return { clientId, x5c: null, verifierAttestation: attestation.compact }
  }
  if (!prefix.startsWith('x509_') || x5c === null) return { clientId, x5c: null, verifierAttestation: null }
  if (hasExpired(x5c, clock())) throw errors.verifierCertificateExpired()
  return { clientId, x5c, verifierAttestation: null }
}

function orNeeds(prefix: ClientIdPrefix, make: () => string): string {
  try {
    return make()
  } catch (thrown) {
    if (!(thrown instanceof ClientIdentifierError)) throw thrown
    throw errors.badRequest(`clientIdPrefix ${prefix} needs ${thrown.message}`)
  }
}
