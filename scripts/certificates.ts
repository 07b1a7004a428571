import 'reflect-metadata'
import { webcrypto } from 'node:crypto'
import {
  AuthorityKeyIdentifierExtension,
  BasicConstraintsExtension,
  CertificatePolicyExtension,
  ExtendedKeyUsageExtension,
  type Extension,
  type JsonGeneralName,
  KeyUsageFlags,
  KeyUsagesExtension,
  Name,
  SubjectAlternativeNameExtension,
  SubjectKeyIdentifierExtension,
  X509Certificate,
  X509CertificateGenerator,
} from '@peculiar/x509'
import { exportJWK, exportPKCS8, importPKCS8, type JWK } from 'jose'

const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' }
const DAY_MS = 86_400_000
/** Lifetime of certificates. It is longer than the lifetime of mobile documents, which would otherwise expire with the certificate. */
const LIFETIME_DAYS = 450
/** The attribute `organizationIdentifier` of a subject (ETSI EN 319 412-3 §4.2.1). */
const ORGANIZATION_IDENTIFIER = '2.5.4.97'
/** The validity of a new certificate begins this long before now, for systems whose clock is a little behind. */
const LEEWAY_MS = 3_600_000

/** A certificate, with the private key of the certified key pair (P-256). */
export interface Certified {
  readonly certificate: X509Certificate
  readonly privateKey: webcrypto.CryptoKey
  /** The key as a JWK with private and public members, and with `x5c`. */
  readonly jwk: JWK
  /** The private key and then the certificate, as PEM. */
  readonly pem: string
}

export interface CertificateOptions {
  readonly name: string
  /** The certificate that issues the new certificate. If omitted, the new certificate is self-signed, like a root. */
  readonly issuer?: Certified
  readonly dns?: readonly string[]
  readonly uri?: readonly string[]
  readonly email?: readonly string[]
  /** The legal name of the organization. */
  readonly organization?: string
  /** The identifier of the organization (ETSI EN 319 412-1 §5.1.4), such as `VATDE-123456789`. */
  readonly organizationIdentifier?: string
  /** Object identifiers of policies, and of purposes (`extendedKeyUsage`). */
  readonly policies?: readonly string[]
  readonly purposes?: readonly string[]
  /** Days until the end. A negative number makes a certificate that has expired. Default: 450. */
  readonly days?: number
}

const namesOf = ({ dns = [], uri = [], email = [] }: CertificateOptions): JsonGeneralName[] => [
  ...dns.map((value) => ({ type: 'dns' as const, value })),
  ...uri.map((value) => ({ type: 'url' as const, value })),
  ...email.map((value) => ({ type: 'email' as const, value })),
]

/** The subject. Each attribute is a relative distinguished name of its own, so no text is parsed as a name. */
const subjectOf = ({ name, organization, organizationIdentifier }: CertificateOptions): Name =>
  new Name([
    { C: ['DE'] },
    ...(organization === undefined ? [] : [{ O: [{ utf8String: organization }] }]),
    ...(organizationIdentifier === undefined
      ? []
      : [{ [ORGANIZATION_IDENTIFIER]: [{ utf8String: organizationIdentifier }] }]),
    { CN: [{ utf8String: name }] },
  ])

function extensionsOf(options: CertificateOptions): Extension[] {
  const names = namesOf(options)
  const isAuthority = options.issuer === undefined
  const usage = isAuthority ? KeyUsageFlags.keyCertSign | KeyUsageFlags.cRLSign : KeyUsageFlags.digitalSignature
  return [
    new BasicConstraintsExtension(isAuthority, undefined, true),
    new KeyUsagesExtension(usage, true),
    ...(names.length === 0 ? [] : [new SubjectAlternativeNameExtension(names)]),
    ...(options.policies === undefined ? [] : [new CertificatePolicyExtension([...options.policies])]),
    ...(options.purposes === undefined ? [] : [new ExtendedKeyUsageExtension([...options.purposes])]),
  ]
}

/** Makes a root, or a certificate under a root. */
export async function makeCertificate(options: CertificateOptions): Promise<Certified> {
  const keys = await webcrypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify'])
  const subject = subjectOf(options).toString()
  const { issuer, days = LIFETIME_DAYS } = options
  const certificate = await X509CertificateGenerator.create({
    serialNumber: Buffer.from([1, ...webcrypto.getRandomValues(new Uint8Array(12))]).toString('hex'),
    subject,
    issuer: issuer?.certificate.subject ?? subject,
    notBefore: new Date(Date.now() - LEEWAY_MS + Math.min(days, 0) * DAY_MS * 2),
    notAfter: new Date(Date.now() + days * DAY_MS),
    signingAlgorithm: ALGORITHM,
    publicKey: keys.publicKey,
    signingKey: issuer?.privateKey ?? keys.privateKey,
    extensions: [
      ...extensionsOf(options),
      await SubjectKeyIdentifierExtension.create(keys.publicKey),
      await AuthorityKeyIdentifierExtension.create(issuer?.certificate.publicKey ?? keys.publicKey),
    ],
  })
  const jwk = { ...(await exportJWK(keys.privateKey)), alg: 'ES256', use: 'sig' }
  return {
    certificate,
    privateKey: keys.privateKey,
    jwk: { ...jwk, x5c: [certificate.toString('base64').replace(/\s/g, '')] },
    pem: `${await exportPKCS8(keys.privateKey)}\n${certificate.toString('pem')}\n`,
  }
}

/** Reads a root back from the PEM of `Certified`. */
export async function readCertificate(pem: string): Promise<Certified> {
  const certificate = new X509Certificate(pem.slice(pem.indexOf('-----BEGIN CERTIFICATE-----')))
  const privateKey = await importPKCS8(pem.slice(0, pem.indexOf('-----BEGIN CERTIFICATE-----')), 'ES256', {
    extractable: true,
  })
  const x5c = [certificate.toString('base64').replace(/\s/g, '')]
  return { certificate, privateKey, jwk: { ...(await exportJWK(privateKey)), alg: 'ES256', use: 'sig', x5c }, pem }
}

/** The certificate alone, as PEM. */
export const publicPem = ({ certificate }: Certified): string => `${certificate.toString('pem')}\n`
