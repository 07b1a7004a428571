import type { X509Certificate } from 'node:crypto'
import { IssuerKeyError } from '../issuer-keys/issuer-key-error.js'
import type { ListedEntity } from '../issuer-keys/listed-trust.js'
import { decodeBase64url } from '../jose/base64url.js'
import type { Jwk } from '../jose/jwk.js'
import { type RegistrationContent, readContent } from './content.js'
import { type Envelope, openJwt, tooLarge } from './envelope.js'
import { malformed, RegistrationCertificateError, type RegistrationFault } from './fault.js'
import { MAX_REGISTRATION_CERTIFICATE } from './limits.js'

/** The signer of a registration certificate: its key, and the entity of a trusted list that vouches for it. */
export interface RegistrationSigner {
  readonly jwk: Jwk
  readonly listed?: ListedEntity
  /** The certificate of the signer. Absent if no root and no list was asked. */
  readonly leaf?: X509Certificate
}

/** An authentic registration certificate (TS 119 475 §5.2). Its times and its status are not checked. */
export interface RegistrationCertificate {
  readonly form: 'jwt' | 'cwt'
  readonly content: RegistrationContent
  readonly signer: RegistrationSigner
}

/**
 * Judges the chain of a signer, such as `trustedChain` with the roots and lists of registrars. The roots of access
 * certificates must not count: otherwise each relying party could sign its own registration.
 *
 * @param x5c base64 DER, the signer's certificate first, as it was sent
 * @throws IssuerKeyError for a chain that is not trusted
 */
export type JudgeSigner = (x5c: unknown) => RegistrationSigner

/**
 * Reads a registration certificate, judges its signer, and verifies its signature (TS 119 475 §5.2, GEN-5.2.1-04). The
 * times are checked by {@link validityFault}, the status by its caller.
 *
 * @param data a compact JWS (`rc-wrp+jwt`), or a CWT (`rc-wrp+cwt`) as octets or as base64url
 * @throws RegistrationCertificateError with the failed check
 */
export async function openRegistrationCertificate(
  data: string | Uint8Array,
  judge: JudgeSigner,
): Promise<RegistrationCertificate> {
  const envelope = await open(data)
  const signer = judged(envelope, judge)
  envelope.verify(signer.jwk)
  return { form: envelope.form, content: readContent(envelope.claims), signer }
}

async function open(data: string | Uint8Array): Promise<Envelope> {
  if (data.length > MAX_REGISTRATION_CERTIFICATE * 2) throw tooLarge()
  if (typeof data === 'string' && data.includes('.')) return openJwt(data)
  const bytes = typeof data === 'string' ? decodeBase64url(data) : data
  if (bytes === undefined || bytes.length === 0) throw malformed('it', 'must be a compact JWS, or a CWT in base64url')
  const { openCwt } = await import('./cwt.js')
  return openCwt(bytes)
}

function judged({ x5c }: Envelope, judge: JudgeSigner): RegistrationSigner {
  try {
    return judge(x5c)
  } catch (error) {
    if (!(error instanceof IssuerKeyError)) throw error
    throw new RegistrationCertificateError(
      'signer',
      `The signer of the registration certificate is not trusted: ${error.message}`,
      { cause: error },
    )
  }
}

/** The clock of the signer may be ahead by so much. */
const LEEWAY_MS = 60_000
/** GEN-5.2.4-08: at most 12 months. A leap year has 366 days. */
const LONGEST_MS = 366 * 86_400_000

/**
 * Why a certificate does not count at `now`: it is not valid yet, has expired, or is valid for longer than 12 months
 * (GEN-5.2.4-08). A certificate without `exp` ends only by its status. Undefined if it counts.
 */
export function validityFault(
  { issuedAt, notBefore = issuedAt, expiresAt }: RegistrationContent,
  now: Date,
): RegistrationFault | undefined {
  const begin = Math.max(issuedAt.getTime(), notBefore.getTime())
  if (begin > now.getTime() + LEEWAY_MS) {
    const at = new Date(begin).toISOString()
    return { check: 'not-yet-valid', sentence: `The registration certificate is not valid before ${at}.` }
  }
  if (expiresAt === undefined) return undefined
  if (expiresAt.getTime() - issuedAt.getTime() > LONGEST_MS) {
    return { check: 'too-long', sentence: 'The registration certificate is valid for longer than 12 months.' }
  }
  if (expiresAt > now) return undefined
  return { check: 'expired', sentence: `The registration certificate expired at ${expiresAt.toISOString()}.` }
}
