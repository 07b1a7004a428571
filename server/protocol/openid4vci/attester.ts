import type { X509Certificate } from 'node:crypto'
import { readX5c, verifyCertificateChain } from '../issuer-keys/certificate-chain.js'
import { IssuerKeyError } from '../issuer-keys/issuer-key-error.js'
import type { SignatureAlgorithm } from '../jose/algorithms.js'
import { type Jwk, readPublicJwk } from '../jose/jwk.js'
import type { JsonObject } from '../json/json-object.js'

/** What wallet and key attestations, and the proofs of wallets, may be signed with. */
export const ATTESTATION_ALGORITHMS: readonly SignatureAlgorithm[] = ['ES256', 'ES384', 'EdDSA', 'PS256']

/** A wallet provider whose attestations name a key by `iss` and `kid`. */
export interface AttestationProvider {
  readonly iss: string
  readonly keys: readonly Jwk[]
}

/** The trusted wallet providers. */
export interface AttestationTrust {
  /** Roots of wallet and key attestations, for nothing else. */
  readonly trustAnchors: readonly X509Certificate[]
  readonly providers: readonly AttestationProvider[]
}

/** Why an attestation is refused. `message` is one sentence about the first check that fails. */
export class AttestationError extends Error {
  override readonly name = 'AttestationError'
}

function keyByChain(x5c: unknown, { trustAnchors }: AttestationTrust, now: Date): Jwk {
  try {
    const chain = readX5c(x5c)
    // HAIP 1.0 §4.4.1: the trust anchor is not in the header.
    if (chain.some((certificate) => trustAnchors.some((anchor) => anchor.raw.equals(certificate.raw))))
      throw new AttestationError('The x5c of the attestation holds the trust anchor.')
    return verifyCertificateChain(chain, { trustAnchors, now, purpose: 'credential' }).jwk
  } catch (cause) {
    if (!(cause instanceof IssuerKeyError)) throw cause
    throw new AttestationError(`The certificates of the attestation are not trusted: ${cause.message}`, { cause })
  }
}

/**
 * The key that an attestation is signed with: by `x5c` to a trust anchor, or by `iss` and `kid` of a known provider. A `jwk`,
 * `jku` or `x5u` in the header is never looked at.
 *
 * @throws AttestationError
 */
export function attesterKey(header: JsonObject, payload: JsonObject, trust: AttestationTrust, now: Date): Jwk {
  if (header.x5c !== undefined) return keyByChain(header.x5c, trust, now)
  const provider = trust.providers.find(({ iss }) => iss === payload.iss)
  const key = provider?.keys.find(({ kid }) => kid !== undefined && kid === header.kid)
  const jwk = key === undefined ? undefined : readPublicJwk(key)
  if (jwk === undefined) throw new AttestationError('The attestation is of no provider that is trusted here.')
  return jwk
}
