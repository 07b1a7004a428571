import type { KeyObject, X509Certificate } from 'node:crypto'
import { type Config, ConfigurationError } from '../config.js'
import { certificateProfile } from '../protocol/issuer-keys/certificate-profile.js'
import { allowsPurpose } from '../protocol/issuer-keys/certificate-purpose.js'
import { certifies } from '../protocol/issuer-keys/x5c-issuer.js'
import { algorithmOfJwk } from '../protocol/jose/algorithms.js'
import { type Jwk, publicJwkOf } from '../protocol/jose/jws.js'

/** The key of ISSUER_X509 and the chain that stands in `x5c`: leaf first, without the root, each base64 DER. */
export interface CertifiedKey {
  readonly alg: string
  readonly privateJwk: Jwk
  readonly publicJwk: Jwk
  readonly x5c: readonly string[]
}

const ALGORITHMS: ReadonlySet<string> = new Set(['ES256', 'ES384', 'EdDSA'])
/** What verifiers take, ours among them. */
const MAX_CERTIFICATES = 8

const refusal = (reason: string) => new ConfigurationError(`Invalid environment variables:\n- ISSUER_X509 ${reason}`)

const isSelfSigned = (certificate: X509Certificate): boolean => certificate.verify(certificate.publicKey)

/** RFC 7515 §4.1.6: each certificate certifies the one before it. */
const isChain = (chain: readonly X509Certificate[]): boolean =>
  chain.every((certificate, at) => {
    const next = chain[at + 1]
    return next === undefined || (certificate.checkIssued(next) && certificate.verify(next.publicKey))
  })

function isValidAt(now: Date): (certificate: X509Certificate) => boolean {
  return ({ validFrom, validTo }) => Date.parse(validFrom) <= now.getTime() && now.getTime() <= Date.parse(validTo)
}

function keyOf(
  privateKey: KeyObject,
  issuerProfile: Config['issuerProfile'],
): Pick<CertifiedKey, 'alg' | 'privateJwk' | 'publicJwk'> {
  let privateJwk: Jwk | undefined
  try {
    privateJwk = privateKey.export({ format: 'jwk' })
  } catch {
    // A curve that has no JWK form.
  }
  const alg = privateJwk === undefined ? undefined : algorithmOfJwk(privateJwk)
  if (privateJwk === undefined || alg === undefined || !ALGORITHMS.has(alg)) {
    throw refusal('must hold a P-256, P-384 or Ed25519 key.')
  }
  if (issuerProfile === 'haip' && alg !== 'ES256') throw refusal('must hold a P-256 key where ISSUER_PROFILE is haip.')
  return { alg, privateJwk, publicJwk: publicJwkOf(privateJwk) }
}

/** RFC 5280 §4.2.1.3, §4.2.1.12: what verifiers look at, ours among them. */
function checkUsage(leaf: X509Certificate, chain: readonly X509Certificate[]): void {
  if (!certificateProfile(leaf).maySign)
    throw refusal('must begin with a certificate whose keyUsage has digitalSignature.')
  if (!chain.every((certificate) => allowsPurpose(certificateProfile(certificate).purposes, 'credential')))
    throw refusal('must hold certificates whose extendedKeyUsage allows signing documents, where they have one.')
}

/** HAIP 1.0 §6.1.1, SD-JWT VC, "Issuer Signature Mechanisms". */
function checkChain(chain: readonly X509Certificate[], issuerBaseUrl: string, now: Date): void {
  const [leaf] = chain
  if (leaf === undefined || isSelfSigned(leaf)) throw refusal('must not begin with a self-signed certificate.')
  if (leaf.ca) throw refusal('must not begin with the certificate of a certification authority.')
  if (chain.length > MAX_CERTIFICATES || !isChain(chain)) {
    throw refusal(`must hold at most ${MAX_CERTIFICATES} certificates, each of which certifies the one before it.`)
  }
  checkUsage(leaf, chain)
  if (!chain.every(isValidAt(now))) throw refusal('must not hold a certificate that has expired or is not valid yet.')
  if (!certifies(leaf, issuerBaseUrl)) {
    throw refusal('must begin with a certificate for the host (dNSName) or the URL (URI) of ISSUER_BASE_URL.')
  }
}

/**
 * Reads ISSUER_X509; undefined where it is not set.
 *
 * @throws {ConfigurationError} where key and certificates do not fit one another, this issuer or this moment.
 */
export function certifiedKey(
  { issuerX509, issuerBaseUrl, issuerProfile }: Pick<Config, 'issuerX509' | 'issuerBaseUrl' | 'issuerProfile'>,
  now: Date,
): CertifiedKey | undefined {
  if (issuerX509 === undefined) return undefined
  const { privateKey, chain } = issuerX509
  if (!chain[0]?.checkPrivateKey(privateKey)) throw refusal('must hold the key of its first certificate.')
  const key = keyOf(privateKey, issuerProfile)
  checkChain(chain, issuerBaseUrl, now)
  // A root says nothing about itself to who trusts it (HAIP 1.0 §6.1.1: the trust anchor is not part of x5c).
  const x5c = chain.filter((certificate) => !isSelfSigned(certificate)).map(({ raw }) => raw.toString('base64'))
  return { ...key, x5c }
}
