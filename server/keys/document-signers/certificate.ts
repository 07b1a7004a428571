import { hash, type KeyObject, X509Certificate } from 'node:crypto'
import { isIP } from 'node:net'
import { isSelfSigned } from '../../protocol/issuer-keys/certificate-chain.js'
import { type CertificateParts, certificateParts } from '../../protocol/issuer-keys/certificate-parts.js'
import { derElements, derMembers, encodeDer } from '../../protocol/issuer-keys/der.js'
import { algorithmOfJwk } from '../../protocol/jose/algorithms.js'
import type { Signer } from '../../protocol/jose/jws.js'
import { SIGNING_PARAMETERS, signingWith, x509Library } from '../x509-library.js'

/**
 * The documents of a signer: mobile documents (`mdoc`), or all other documents with a chain (`token`). These are SD-JWT VCs, status
 * lists and metadata.
 */
export type SignerUse = 'token' | 'mdoc'

/** Serial numbers have at most 20 octets (RFC 5280 §4.1.2.2). The octet before the random ones makes the number positive. */
const SERIAL_OCTETS = 16
/** Maximum length of a common name (RFC 5280 Appendix A.1, `ub-common-name`). */
const MAX_NAME_CHARACTERS = 64

const SEQUENCE = 0x30
const SET = 0x31
const OBJECT_IDENTIFIER = 0x06
const UTF8_STRING = 0x0c
const NAME_TAGS = { dns: 0x82, uri: 0x86 } as const
const PERIOD_TAGS = { notBefore: 0x80, notAfter: 0x81 } as const

/** Object identifiers as hexadecimal DER content: extensions of the authority. */
const SUBJECT_KEY_IDENTIFIER = '551d0e'
const ISSUER_ALTERNATIVE_NAME = '551d12'
const CRL_DISTRIBUTION_POINTS = '551d1f'
/** Attributes of the authority's subject that the signer has too: country, state, organization, organizationIdentifier. */
const SHARED_ATTRIBUTES: ReadonlySet<string> = new Set(['550406', '550408', '55040a', '550461'])
const COMMON_NAME = Uint8Array.of(0x55, 0x04, 0x03)

/** `id-mdl-kp-mdlDS` (ISO/IEC 18013-5 Annex B). */
const DOCUMENT_SIGNER = '1.0.18013.5.1.2'

const hex = (octets: Uint8Array | undefined): string => Buffer.from(octets ?? []).toString('hex')
const ascii = (text: string): Uint8Array => Buffer.from(text, 'ascii')
const generalizedTime = (date: Date): Uint8Array => ascii(`${date.toISOString().slice(0, 19).replace(/[-:T]/g, '')}Z`)

/** RFC 5280 §4.2.1.2, method 1: SHA-1 over the public key without its tag, its length and the count of unused bits. */
function keyIdentifierOf(publicKey: KeyObject): string {
  const [, bits] = derMembers(publicKey.export({ type: 'spki', format: 'der' }))
  return hash('sha1', bits?.content.subarray(1) ?? new Uint8Array(), 'hex')
}

/** The identifier of the authority's key, as the authority's certificate names it. */
function authorityKeyIdentifierOf(authority: X509Certificate, { extensions }: CertificateParts): string {
  const stated = extensions.find(({ id }) => id === SUBJECT_KEY_IDENTIFIER)
  const content = stated === undefined ? undefined : derElements(stated.value)[0]?.content
  return content === undefined ? keyIdentifierOf(authority.publicKey) : hex(content)
}

/**
 * The name of a signer: country, state and organization of the authority in their own encoding, and a common name.
 * Authority and signer have the same country (ISO/IEC 18013-5 Annex B).
 */
function subjectOf({ subject }: CertificateParts, hostname: string): Uint8Array {
  const names = derElements(subject?.content ?? new Uint8Array())
  const shared = names.filter(({ content }) => {
    const [attribute] = derElements(content)
    return SHARED_ATTRIBUTES.has(hex(derElements(attribute?.content ?? new Uint8Array())[0]?.content))
  })
  const name = `Document signer ${hostname}`.slice(0, MAX_NAME_CHARACTERS)
  const commonName = encodeDer(
    SET,
    encodeDer(SEQUENCE, encodeDer(OBJECT_IDENTIFIER, COMMON_NAME), encodeDer(UTF8_STRING, Buffer.from(name, 'utf8'))),
  )
  return encodeDer(SEQUENCE, ...shared.map(({ tag, content }) => encodeDer(tag, content)), commonName)
}

/** The host and the URL of the issuer, by which verifiers know it (SD-JWT VC, "X.509"). */
function alternativeNamesOf(issuerBaseUrl: string): Uint8Array {
  const { hostname } = new URL(issuerBaseUrl)
  const isAddress = isIP(hostname.replace(/^\[|\]$/g, '')) !== 0
  return encodeDer(
    SEQUENCE,
    ...(isAddress ? [] : [encodeDer(NAME_TAGS.dns, ascii(hostname))]),
    encodeDer(NAME_TAGS.uri, ascii(issuerBaseUrl)),
  )
}

/** `PrivateKeyUsagePeriod` (RFC 3280 §4.2.1.4): the time in which the key signs. The certificate is valid for longer. */
const usagePeriodOf = (from: Date, until: Date): Uint8Array =>
  encodeDer(
    SEQUENCE,
    encodeDer(PERIOD_TAGS.notBefore, generalizedTime(from)),
    encodeDer(PERIOD_TAGS.notAfter, generalizedTime(until)),
  )

export interface SignerCertificateInput {
  /** The certificate of the record's key, which is an authority. */
  readonly authority: X509Certificate
  /** Signs with the key of the authority. */
  readonly signer: Signer
  /** The public key of the new document signer. */
  readonly publicKey: KeyObject
  readonly use: SignerUse
  readonly issuerBaseUrl: string
  /** All times are in whole seconds. */
  readonly notBefore: Date
  readonly notAfter: Date
  /** When the private key ends. */
  readonly keyEndsAt: Date
  /** A cryptographically secure source. */
  readonly random: (length: number) => Uint8Array
}

/**
 * Makes the certificate of a document signer (RFC 5280 §4; ISO/IEC 18013-5 Annex B for mobile documents). The key of the
 * authority signs it.
 *
 * A root publishes its revocation list and its contact in its own certificate. The signer below a root gets both, as
 * ISO/IEC 18013-5 Annex B demands. The revocation list of an intermediate authority is not known, so it is left out.
 *
 * @throws the error of the signer, and an Error if the result is not a certificate of the authority
 */
export async function signerCertificate(input: SignerCertificateInput): Promise<X509Certificate> {
  const { authority, signer, publicKey, use, issuerBaseUrl, notBefore, notAfter, keyEndsAt, random } = input
  const parameters = SIGNING_PARAMETERS[algorithmOfJwk(signer.publicJwk) ?? '']
  if (parameters === undefined) throw new Error(`A key for ${signer.alg} cannot sign certificates.`)
  const x509 = await x509Library()
  const { AuthorityKeyIdentifierExtension, Extension, ExtendedKeyUsageExtension, KeyUsageFlags, Name } = x509
  const parts = certificateParts(authority.raw)
  const copied = isSelfSigned(authority)
    ? parts.extensions.filter(({ id }) => id === ISSUER_ALTERNATIVE_NAME || id === CRL_DISTRIBUTION_POINTS)
    : []
  const dotted: Readonly<Record<string, string>> = {
    [ISSUER_ALTERNATIVE_NAME]: '2.5.29.18',
    [CRL_DISTRIBUTION_POINTS]: '2.5.29.31',
  }
  const issuer = encodeDer(SEQUENCE, parts.subject?.content ?? new Uint8Array())
  const made = await x509.X509CertificateGenerator.create(
    {
      serialNumber: `01${hex(random(SERIAL_OCTETS))}`,
      issuer: new Name(Uint8Array.from(issuer).buffer),
      subject: new Name(Uint8Array.from(subjectOf(parts, new URL(issuerBaseUrl).hostname)).buffer),
      notBefore,
      notAfter,
      publicKey: Uint8Array.from(publicKey.export({ type: 'spki', format: 'der' })).buffer,
      // A placeholder, like in a certificate request: the function `sign` below uses the real key.
      signingKey: { algorithm: parameters } as never,
      signingAlgorithm: parameters,
      extensions: [
        new x509.KeyUsagesExtension(KeyUsageFlags.digitalSignature, true),
        new AuthorityKeyIdentifierExtension(authorityKeyIdentifierOf(authority, parts)),
        new x509.SubjectKeyIdentifierExtension(keyIdentifierOf(publicKey)),
        new Extension('2.5.29.17', false, Uint8Array.from(alternativeNamesOf(issuerBaseUrl))),
        new Extension('2.5.29.16', false, Uint8Array.from(usagePeriodOf(notBefore, keyEndsAt))),
        // ISO/IEC 18013-5 Annex B: critical, and this purpose only.
        ...(use === 'mdoc' ? [new ExtendedKeyUsageExtension([DOCUMENT_SIGNER], true)] : []),
        ...copied.map(({ id, value }) => new Extension(dotted[id] ?? '', false, Uint8Array.from(value))),
      ],
    },
    // The cast is needed because the declared type is the whole Web Cryptography.
    signingWith(signer, signer.publicJwk) as never,
  )
  const certificate = new X509Certificate(Buffer.from(made.rawData))
  // The library writes the names again. A name in another encoding would break the chain for some verifiers.
  const isIssued = certificate.checkIssued(authority) && certificate.verify(authority.publicKey)
  const sameName = hex(certificateParts(certificate.raw).issuer?.content) === hex(parts.subject?.content)
  if (!isIssued || !sameName) throw new Error('The certificate of a document signer does not fit its authority.')
  return certificate
}
