import { createHash, X509Certificate } from 'node:crypto'
import { subjectAlternativeNames } from '../issuer-keys/subject-alternative-name.js'
import type { Jwk } from '../jose/jws.js'
import { LruMap } from '../jose/lru-map.js'
import type { JsonObject } from '../json/json-object.js'
import { attests, type VerifierAttestation } from './verifier-attestation.js'

/** Client identifier prefixes that a verifier may use here (OpenID4VP 1.0 §5.9.3). */
export const CLIENT_ID_PREFIXES = [
  'decentralized_identifier',
  'x509_san_dns',
  'x509_hash',
  'redirect_uri',
  'verifier_attestation',
] as const
export type ClientIdPrefix = (typeof CLIENT_ID_PREFIXES)[number]

/** Thrown if a verifier cannot have a client identifier with a prefix; `message` names the prefix's requirement. */
export class ClientIdentifierError extends Error {
  override readonly name = 'ClientIdentifierError'
}

/** The properties of a verifier that its client identifier depends on. */
export interface Client {
  readonly did: string
  /** The key that signs the verifier's requests. */
  readonly publicJwk: Jwk
  /** The certificate chain of the verifier's key, leaf first, each base64 DER; null if there is none. */
  readonly x5c: readonly string[] | null
  /** The installation's verifier attestation. It may belong to a different verifier of the installation. */
  readonly attestation: VerifierAttestation | undefined
  /** The address that receives the answer to the request (`response_uri`). */
  readonly responseUri: string
  /**
   * Whether the answer comes through the Digital Credentials API of a browser. The request then contains no address for
   * the answer (Appendix A).
   */
  readonly overBrowser: boolean
}

interface CertificateFacts {
  /** SHA-256 of the DER, base64url. */
  readonly hash: string
  readonly dnsNames: readonly string[]
  /** Expiry, in milliseconds since the epoch. */
  readonly end: number
}

/**
 * A cache of facts about certificates, so that each certificate is parsed once. An installation has a few certificates
 * for each of its verifiers.
 */
const read = new LruMap<string, CertificateFacts>(500)

function factsOf(certificate: string): CertificateFacts {
  const known = read.get(certificate)
  if (known !== undefined) return known
  const der = Buffer.from(certificate, 'base64')
  const x509 = new X509Certificate(der)
  const facts = {
    hash: createHash('sha256').update(der).digest('base64url'),
    dnsNames: subjectAlternativeNames(x509).dns,
    end: Date.parse(x509.validTo),
  }
  read.set(certificate, facts)
  return facts
}

/**
 * A verifier's client identifier, with its prefix. Wallets use the prefixed form as the audience too (OpenID4VP 1.0
 * §5.9.3, §14.8).
 *
 * @throws ClientIdentifierError that names the prefix's requirement, if the verifier has no certificate or attestation
 * that fits the request.
 */
export function clientIdentifier(prefix: ClientIdPrefix, client: Client): string {
  const { did, x5c, responseUri } = client
  if (prefix === 'decentralized_identifier') return `${prefix}:${did}`
  if (prefix === 'redirect_uri') return `${prefix}:${responseUri}`
  if (prefix === 'verifier_attestation') return `${prefix}:${attestedName(client)}`
  const [leaf] = x5c ?? []
  if (leaf === undefined) throw new ClientIdentifierError('a certificate of the verifier')
  return certifiedIdentifier(prefix, leaf, responseUri)
}

/**
 * The client identifier, with its prefix, of a verifier that is identified by its certificate (§5.9.3).
 *
 * @param leaf base64 DER
 * @throws ClientIdentifierError for a certificate that is not for the host of the response URI, if the prefix requires it.
 */
export function certifiedIdentifier(prefix: 'x509_san_dns' | 'x509_hash', leaf: string, responseUri: string): string {
  if (prefix === 'x509_hash') return hashIdentifier(leaf)
  const { dnsNames } = factsOf(leaf)
  const host = new URL(responseUri).hostname
  if (!dnsNames.includes(host)) throw new ClientIdentifierError(`a certificate for ${host} (dNSName)`)
  return `${prefix}:${host}`
}

/** What proves the key that signed a request, in addition to the request's client identifier. */
export interface SigningKey {
  /** The key's DID URL. */
  readonly kid: string
  /** The certificate chain of the key without the root, leaf first; null if the verifier does not use a certificate. */
  readonly x5c: readonly string[] | null
  /** The compact verifier attestation for the key (§12); null if the verifier does not use one. */
  readonly verifierAttestation: string | null
}

/**
 * Members of the JOSE header that name a request's key. The prefix of the client identifier decides whether the member
 * is the certificate chain, the attestation or `kid` (OpenID4VP 1.0 §5.9.3).
 */
export function headerFor(clientId: string, { kid, x5c, verifierAttestation }: SigningKey): JsonObject {
  if (clientId.startsWith('x509_')) return { x5c }
  return clientId.startsWith('verifier_attestation:') ? { jwt: verifierAttestation, kid: undefined } : { kid }
}

function attestedName({ attestation, publicJwk, responseUri, overBrowser }: Client): string {
  if (attestation === undefined || !attests(attestation, publicJwk)) {
    throw new ClientIdentifierError("an attestation of the verifier's key")
  }
  // The response URI replaces the redirect URI (§8.2), so the attestation must list the response URI.
  const { subject, redirectUris } = attestation
  if (overBrowser || redirectUris === undefined || redirectUris.includes(responseUri)) return subject
  throw new ClientIdentifierError(
    'an attestation without redirect_uris, since each request has a response_uri of its own',
  )
}

/**
 * The client identifier that contains the hash of a verifier's certificate (OpenID4VP 1.0 §5.9.3 `x509_hash`). `leaf`
 * is base64 DER.
 */
export const hashIdentifier = (leaf: string): string => `x509_hash:${factsOf(leaf).hash}`

/** The time when a chain expires: the earliest end of its certificates. */
export const chainEnd = (x5c: readonly string[]): Date =>
  new Date(Math.min(...x5c.map((certificate) => factsOf(certificate).end)))

/** Whether any certificate of a chain has expired at the time `now`. */
export const hasExpired = (x5c: readonly string[], now: Date): boolean => chainEnd(x5c) < now

/** Whether requests of a client are never signed (OpenID4VP 1.0 §5.9.3 `redirect_uri`). */
export const isUnsigned = (clientId: string): boolean => clientId.startsWith('redirect_uri:')
