import { hash, timingSafeEqual, type X509Certificate } from 'node:crypto'
import {
  CredentialError,
  DEFAULT_LEEWAY_SECONDS,
  foundIssuerKey,
  type IssuerKey,
  type VerifyOptions,
} from '../credential/verification.js'
import { isBytes } from './cbor/values.js'
import { contentOf, decodeCredential, type MdocContent } from './content.js'
import { verifySign1 } from './cose/sign1.js'
import { type IssuerSigned, type IssuerSignedItem, readIssuerSigned } from './issuer-signed.js'
import type { MobileSecurityObject, ValidityInfo } from './mobile-security-object.js'

const ISSUER_SIGNATURE = 'Issuer signature'

/** A mobile document that has passed all checks of its issuer's data. The caller checks its status. */
export interface VerifiedMdoc extends MdocContent {
  /** The name in the certificate: its URI, the origin of its DNS name, or its subject. */
  readonly issuer: string
  readonly issuerKey: IssuerKey
  /** Only the path from the leaf to the trust anchor is verified. */
  readonly x5c: readonly string[]
}

/**
 * Verifies a mobile document as its issuer sends it, without a presentation (OpenID4VCI 1.0 Appendix A.2.4; ISO/IEC
 * 18013-5 §9.3.1). It checks the issuer's signature and certificate chain, the validity, and the digest of every item,
 * over the received bytes.
 *
 * @param issuerSigned base64url of the encoded IssuerSigned
 * @param options `resolveIssuerKey` receives the chain as a header's `x5c`, and the doctype: no DID and no URL proves an
 * mdoc's issuer. `algorithms` are JOSE names, and each name includes both of its COSE numbers: ES256 includes -7 and
 * -9. `work` is the budget for decoding.
 * @throws CredentialError with a sentence about the first check that fails.
 */
export async function verifyIssuerSigned(issuerSigned: string, options: VerifyOptions): Promise<VerifiedMdoc> {
  const { value, decoding } = decodeCredential(issuerSigned, options.work)
  return verifyIssuer(readIssuerSigned(value, decoding), options)
}

/** Verifies everything that the issuer has signed. Throws CredentialError. */
export async function verifyIssuer(document: IssuerSigned, options: VerifyOptions): Promise<VerifiedMdoc> {
  const content = contentOf(document)
  options.onPassed?.('format')
  const { x5c } = content
  if (x5c === undefined) throw new CredentialError(`${ISSUER_SIGNATURE} has no x5chain.`, { check: 'issuer-key' })
  const sent = { header: { x5c }, payload: { docType: content.doctype } }
  const { jwk, issuer, certificate, authority, listed } = await foundIssuerKey(
    sent,
    options.resolveIssuerKey,
    'Credential',
  )
  if (certificate === undefined) {
    throw new CredentialError('Credential issuer key is proven by no certificate.', { check: 'issuer-key' })
  }
  options.onPassed?.('issuer-key')
  verifySign1(document.issuerAuth, { key: jwk, what: ISSUER_SIGNATURE, algorithms: options.algorithms })
  checkValidity(content.validityInfo, certificate, options)
  options.onPassed?.('validity')
  checkDigests(document)
  options.onPassed?.('signature')
  const issuerKey = {
    jwk,
    issuer,
    ...(authority === undefined ? {} : { authority }),
    ...(listed === undefined ? {} : { listed }),
  }
  return { ...content, issuer, issuerKey, x5c }
}

/** ISO/IEC 18013-5 §9.3.1, step 5. */
function checkValidity(
  { signed, validFrom, validUntil }: ValidityInfo,
  certificate: X509Certificate,
  options: VerifyOptions,
) {
  const { now, leewaySeconds = DEFAULT_LEEWAY_SECONDS } = options
  const refusal = (verdict: string) => new CredentialError(`Credential ${verdict}.`, { check: 'validity' })
  const leeway = leewaySeconds * 1000
  if (now.getTime() >= validUntil.getTime()) throw refusal('has expired')
  if (validFrom.getTime() > now.getTime() + leeway || signed.getTime() > now.getTime() + leeway) {
    throw refusal('is not valid yet: its validityInfo lies in the future')
  }
  if (validFrom < signed) throw refusal('is valid from before it was signed')
  if (signed.getTime() < Date.parse(certificate.validFrom) || signed.getTime() > Date.parse(certificate.validTo)) {
    throw refusal('was signed when the certificate of its issuer was not valid')
  }
}

/** ISO/IEC 18013-5 §9.3.1, step 3. */
function checkDigests({ namespaces, mobileSecurityObject }: IssuerSigned): void {
  for (const [namespace, items] of namespaces)
    for (const item of items) checkDigest(namespace, item, mobileSecurityObject)
}

function checkDigest(
  namespace: string,
  { digestId, bytes }: IssuerSignedItem,
  { valueDigests, digestAlgorithm }: MobileSecurityObject,
): void {
  const signed = valueDigests.get(namespace)?.get(digestId)
  const digest = hash(digestAlgorithm, bytes, 'buffer')
  if (!isBytes(signed) || signed.length !== digest.length || !timingSafeEqual(signed, digest)) {
    throw new CredentialError('Credential has an item that its issuer did not sign in that namespace.', {
      check: 'signature',
    })
  }
}
