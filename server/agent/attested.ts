import { type Config, ConfigurationError } from '../config/config.js'
import type { KeyStore } from '../keys/store.js'
import { thumbprint } from '../protocol/jose/jws.js'
import { attestationHasExpired, attests } from '../protocol/openid4vp/verifier-attestation.js'
import type { AgentStore } from './store.js'

interface Attested {
  readonly config: Pick<Config, 'verifierAttestation'>
  readonly agents: Pick<AgentStore, 'defaultVerifier'>
  readonly keys: Pick<KeyStore, 'current'>
}

const refusal = (reason: string) =>
  new ConfigurationError(`Invalid environment variables:\n- VERIFIER_ATTESTATION must ${reason}`)

/**
 * Checks that VERIFIER_ATTESTATION, if set, attests the signing key of the default verifier (OpenID4VP 1.0 §12). It is
 * called under the start lock, after the verifier has its key.
 *
 * @throws {ConfigurationError} if the attestation is for a different key, or is not valid now.
 */
export async function assertAttested({ config, agents, keys }: Attested, now: Date): Promise<void> {
  const { verifierAttestation: attestation } = config
  if (attestation === undefined) return
  if (attestationHasExpired(attestation, now)) throw refusal('not have expired.')
  if (attestation.notBefore !== undefined && attestation.notBefore > now) throw refusal('be valid already (nbf).')
  const record = await agents.defaultVerifier()
  const current = record === undefined ? undefined : await keys.current(record.keySetId)
  if (current === undefined || attests(attestation, current.publicJwk)) return
  const name = thumbprint(current.publicJwk)
  throw refusal(`be for the key of the default verifier: its cnf.jwk does not have the thumbprint ${name} (RFC 7638).`)
}
