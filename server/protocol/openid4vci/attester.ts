import type { X509Certificate } from 'node:crypto'
import { IssuerKeyError } from '../issuer-keys/issuer-key-error.js'
import type { ListedTrust } from '../issuer-keys/listed-trust.js'
import { trustedChain } from '../issuer-keys/trusted-chain.js'
import type { SignatureAlgorithm } from '../jose/algorithms.js'
import { type Jwk, readPublicJwk } from '../jose/jwk.js'
import type { JsonObject } from '../json/json-object.js'

/** Algorithms that wallet attestations and their proofs may be signed with. */
export const ATTESTATION_ALGORITHMS: readonly SignatureAlgorithm[] = ['ES256', 'ES384', 'EdDSA', 'PS256']

/** A wallet provider that is known by configured keys. Its attestations name a key with `iss` and `kid`. */
export interface AttestationProvider {
  /** The only wallet that the provider attests. */
  readonly clientId: string
  readonly iss: string
  readonly keys: readonly Jwk[]
}

/** The trusted wallet providers. */
export interface AttestationTrust {
  /** Root certificates that are trusted for wallet attestations and key attestations only. */
  readonly trustAnchors: readonly X509Certificate[]
  /** Trusted lists of wallet providers. */
  readonly lists?: ListedTrust | undefined
  /** The same lists, for signers of status lists. */
  readonly statusLists?: ListedTrust | undefined
  readonly providers: readonly AttestationProvider[]
}

/** Thrown if an attestation is refused. `message` is one sentence about the first check that fails. */
export class AttestationError extends Error {
  override readonly name = 'AttestationError'
}

/** The signer of an attestation, or of a status list for an attestation. */
export interface Attester {
  readonly jwk: Jwk
  /** `iss`; undefined if it is absent. It may be absent if certificates identify the signer. */
  readonly iss: string | undefined
}

function keyByChain(x5c: unknown, { trustAnchors, lists }: AttestationTrust, now: Date, what: string): Jwk {
  try {
    // HAIP 1.0 §4.4.1: the trust anchor is not in the header.
    return trustedChain(x5c, { trustAnchors, lists, now, purpose: 'credential', withoutRoots: true }).jwk
  } catch (cause) {
    if (!(cause instanceof IssuerKeyError)) throw cause
    throw new AttestationError(`The certificates of the ${what} are not trusted: ${cause.message}`, { cause })
  }
}

/**
 * Finds the signer of an attestation, or of a status list for an attestation. The key is proven by a chain in `x5c` to
 * a trust anchor, or by `iss` and `kid` of a known provider. A `jwk`, `jku` or `x5u` in the header is never read.
 *
 * @param what names the signed object in the error message: `wallet attestation`, `status list of the key attestation`
 * @throws AttestationError
 */
export function attesterOf(
  header: JsonObject,
  payload: JsonObject,
  trust: AttestationTrust,
  now: Date,
  what = 'attestation',
): Attester {
  const iss = typeof payload.iss === 'string' ? payload.iss : undefined
  if (header.x5c !== undefined) return { jwk: keyByChain(header.x5c, trust, now, what), iss }
  const keys = trust.providers.filter((known) => known.iss === iss).flatMap((known) => known.keys)
  const key = keys.find(({ kid }) => kid !== undefined && kid === header.kid)
  const jwk = key === undefined ? undefined : readPublicJwk(key)
  if (jwk === undefined) throw new AttestationError(`The ${what} is not from a trusted provider.`)
  return { jwk, iss }
}
