/**
 * The kind of signer that a chain proves:
 *
 * - `credential`: the signer of a credential or of its status list
 * - `request`: the signer of a request for a credential
 * - `list`: the signer of a trusted list
 */
export type CertificatePurpose = 'credential' | 'request' | 'list'

// Object identifiers as hexadecimal DER content.
const ANY = '551d2500' // anyExtendedKeyUsage
const PKIX = '2b060105050703' // id-kp
const PKIX_KNOWN = 40
const SERVER_AUTH = '2b06010505070301'
const CLIENT_AUTH = '2b06010505070302'
const READER_AUTH = '28818c5d050106' // mdlReaderAuth (ISO/IEC 18013-5)
const STEP_UP = ['6086480186f8420401', '2b0601040182370a0303'] // further identifiers for TLS, by Netscape and Microsoft
const MICROSOFT = '2b060104018237'
const KERBEROS = '2b0601050203'

/** mdlDS (ISO/IEC 18013-5): signer of mobile driving licences. */
export const DOCUMENT_SIGNER = '28818c5d050102'

const DOCUMENTS: ReadonlySet<string> = new Set([
  ANY,
  '2b06010505070324', // id-kp-documentSigning (RFC 9336)
  '2b06010505070325', // id-kp-jwt (RFC 9509)
  DOCUMENT_SIGNER,
  '2b0601040182370a030c', // document signing of Microsoft
  '2a864886f72f010105', // document signing of Adobe
])

/** Purposes of verifiers: mdoc reader, and TLS, since a client identifier can be a DNS name (`x509_san_dns`). */
const REQUESTS: ReadonlySet<string> = new Set([SERVER_AUTH, CLIENT_AUTH, READER_AUTH, ...STEP_UP])

/**
 * Whether a purpose is known to have nothing to do with signing documents. Such purposes are TLS, code, mail, IPsec,
 * time stamps, OCSP, all other purposes registered up to id-kp 40, purposes of Microsoft and Kerberos, and mdoc
 * readers.
 */
function isForSomethingElse(purpose: string): boolean {
  if (DOCUMENTS.has(purpose)) return false
  if (purpose === READER_AUTH || STEP_UP.includes(purpose)) return true
  if (purpose.startsWith(MICROSOFT) || purpose.startsWith(KERBEROS)) return true
  return purpose.startsWith(PKIX) && Number.parseInt(purpose.slice(PKIX.length), 16) <= PKIX_KNOWN
}

/**
 * Whether a certificate may be part of a chain for a purpose (RFC 5280 §4.2.1.12): it has no `extendedKeyUsage`, or
 * lists at least one suitable purpose. An unknown purpose is suitable: ecosystems of credentials define additional
 * purposes, and the operator has configured the trust anchors for credentials.
 *
 * @param purposes object identifiers as hexadecimal DER content; undefined if the extension is absent
 */
export function allowsPurpose(purposes: readonly string[] | undefined, purpose: CertificatePurpose): boolean {
  if (purposes === undefined) return true
  return purposes.some((listed) => !isForSomethingElse(listed) || (purpose === 'request' && REQUESTS.has(listed)))
}
