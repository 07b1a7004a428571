import type { X509Certificate } from 'node:crypto'
import { readX5c, verifyCertificateChain } from '../issuer-keys/certificate-chain.js'
import { IssuerKeyError } from '../issuer-keys/issuer-key-error.js'
import type { SignatureAlgorithm } from '../jose/algorithms.js'
import { type Jwk, readPublicJwk } from '../jose/jwk.js'
import { LruMap } from '../jose/lru-map.js'
import type { JsonObject } from '../json/json-object.js'

/** What wallet attestations and the proofs that belong to them may be signed with. */
export const ATTESTATION_ALGORITHMS: readonly SignatureAlgorithm[] = ['ES256', 'ES384', 'EdDSA', 'PS256']

/** A wallet provider whose attestations name a key by `iss` and `kid`. */
export interface AttestationProvider {
  /** The wallet that it attests, and no other. */
  readonly clientId: string
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

/** Who made an attestation, or a status list for one. */
export interface Attester {
  readonly jwk: Jwk
  /** `iss`; undefined where there is none, as with certificates. */
  readonly iss: string | undefined
}

/** A chain that was verified, and the time for which that holds. */
interface KnownChain {
  readonly jwk: Jwk
  readonly from: number
  readonly until: number
}

/** Of wallet providers, not of wallets: there are few. */
const MAX_CHAINS = 200
const MAX_CHAIN_CHARACTERS = 1_048_576
/** Chains that led to the anchors of a configuration. What does not lead there is never kept. */
const verified = new WeakMap<readonly X509Certificate[], LruMap<string, KnownChain>>()

function knownChains(anchors: readonly X509Certificate[]): LruMap<string, KnownChain> {
  const known = verified.get(anchors) ?? new LruMap<string, KnownChain>(MAX_CHAINS, MAX_CHAIN_CHARACTERS)
  verified.set(anchors, known)
  return known
}

/** Verifies a chain once for as long as all of its certificates are valid. */
function keyByChain(x5c: unknown, trust: AttestationTrust, now: Date): Jwk {
  const chains = knownChains(trust.trustAnchors)
  const text = JSON.stringify(x5c)
  const known = chains.get(text)
  if (known !== undefined && known.from <= now.getTime() && now.getTime() <= known.until) return known.jwk
  const { jwk, path } = verifiedChain(x5c, trust, now)
  const from = Math.max(...path.map(({ validFrom }) => Date.parse(validFrom)))
  const until = Math.min(...path.map(({ validTo }) => Date.parse(validTo)))
  chains.set(text, { jwk, from, until }, text.length)
  return jwk
}

function verifiedChain(x5c: unknown, { trustAnchors }: AttestationTrust, now: Date) {
  try {
    const chain = readX5c(x5c)
    // HAIP 1.0 §4.4.1: the trust anchor is not in the header.
    if (chain.some((certificate) => trustAnchors.some((anchor) => anchor.raw.equals(certificate.raw))))
      throw new AttestationError('The x5c of the attestation holds the trust anchor.')
    return verifyCertificateChain(chain, { trustAnchors, now, purpose: 'credential' })
  } catch (cause) {
    if (!(cause instanceof IssuerKeyError)) throw cause
    throw new AttestationError(`The certificates of the attestation are not trusted: ${cause.message}`, { cause })
  }
}

/**
 * Whose key an attestation is signed with: by `x5c` to a trust anchor, or by `iss` and `kid` of a known provider. A `jwk`,
 * `jku` or `x5u` in the header is never looked at.
 *
 * @throws AttestationError
 */
export function attesterOf(header: JsonObject, payload: JsonObject, trust: AttestationTrust, now: Date): Attester {
  const iss = typeof payload.iss === 'string' ? payload.iss : undefined
  if (header.x5c !== undefined) return { jwk: keyByChain(header.x5c, trust, now), iss }
  const keys = trust.providers.filter((known) => known.iss === iss).flatMap((known) => known.keys)
  const key = keys.find(({ kid }) => kid !== undefined && kid === header.kid)
  const jwk = key === undefined ? undefined : readPublicJwk(key)
  if (jwk === undefined) throw new AttestationError('The attestation is of no provider that is trusted here.')
  return { jwk, iss }
}
