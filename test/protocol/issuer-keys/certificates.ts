import { generateKeyPairSync, type KeyObject, randomBytes, sign, X509Certificate } from 'node:crypto'

/** A certificate for a test, and the private key of the certified key pair. */
export interface TestCertificate {
  certificate: X509Certificate
  privateKey: KeyObject
  /** The certificate as it stands in `x5c`. */
  x5c: string
  subject: string
}

export interface TestCertificateOptions {
  /**
   * The common name. Before it, in this order: a country, an organizationIdentifier, and a serialNumber:
   * `C=DE/OI=VATDE-1/SN=7/Issuer`.
   */
  subject: string
  /** The certificate that issues this certificate. If omitted, the certificate is self-signed. */
  issuer?: TestCertificate
  ca?: boolean
  pathLength?: number
  /** The octet of `keyUsage`: 0x80 digitalSignature, 0x04 keyCertSign; the extension is left out when undefined. */
  keyUsage?: number
  dns?: readonly string[]
  uri?: readonly string[]
  notBefore?: string
  notAfter?: string
  /** The signature algorithm of an issuer. RSASSA-PSS has its parameters as hexadecimal DER. */
  signature?: 'sha1' | 'sha256' | { pss: string }
  /** `extendedKeyUsage`: purposes as dotted object identifiers. */
  purposes?: readonly string[]
  /** Further extensions: object identifier in hexadecimal, criticality, DER value in hexadecimal. */
  extensions?: readonly { id: string; critical: boolean; value: string }[]
  keyPair?: { privateKey: KeyObject; publicKey: KeyObject }
}

const der = (tag: number, ...parts: readonly (Uint8Array | string)[]): Buffer => {
  const content = Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part, 'hex') : part)))
  const length =
    content.length < 0x80
      ? [content.length]
      : content.length < 0x100
        ? [0x81, content.length]
        : [0x82, content.length >> 8, content.length & 0xff]
  return Buffer.concat([Buffer.from([tag, ...length]), content])
}
const sequence = (...parts: readonly (Uint8Array | string)[]) => der(0x30, ...parts)
const objectId = (hex: string) => der(0x06, hex)
const text = (tag: number, value: string) => der(tag, Buffer.from(value, 'utf8'))
const extension = (id: string, critical: boolean, value: Uint8Array | string) =>
  sequence(objectId(id), ...(critical ? ['0101ff'] : []), der(0x04, value))
const attribute = (id: string, value: Uint8Array) => der(0x31, sequence(objectId(id), value))
const NAME = /^(?:C=(?<country>[A-Z]{2})\/)?(?:OI=(?<organization>[^/]*)\/)?(?:SN=(?<serial>[^/]*)\/)?(?<common>.*)$/
const name = (subject: string) => {
  const { country, organization, serial, common = subject } = NAME.exec(subject)?.groups ?? {}
  const attributes = [
    ...(country === undefined ? [] : [attribute('550406', text(0x13, country))]),
    ...(organization === undefined ? [] : [attribute('550461', text(0x0c, organization))]),
    ...(serial === undefined ? [] : [attribute('550405', text(0x13, serial))]),
  ]
  return sequence(...attributes, attribute('550403', text(0x0c, common)))
}
const time = (iso: string) => text(0x18, iso.replace(/[-:T]/g, '').replace(/\.\d+/, ''))

/** A dotted object identifier as DER content (X.690 §8.19), in hexadecimal. */
export function encodeObjectId(dotted: string): string {
  const [first = 0, second = 0, ...others] = dotted.split('.').map(Number)
  const octets = [first * 40 + second, ...others].flatMap((arc) => {
    const groups = [arc & 0x7f]
    for (let rest = Math.floor(arc / 128); rest > 0; rest = Math.floor(rest / 128)) groups.unshift((rest & 0x7f) | 0x80)
    return groups
  })
  return Buffer.from(octets).toString('hex')
}

/** `AlgorithmIdentifier` (RFC 5280 §4.1.1.2) as hexadecimal DER. */
export const algorithmIdentifier = (dotted: string, parameters = '') =>
  sequence(objectId(encodeObjectId(dotted)), parameters).toString('hex')

/** `RSASSA-PSS-params` (RFC 4055 §3.1) from fields by tag number, as hexadecimal DER. */
export const pssParameters = (fields: readonly (readonly [tag: number, field: string])[]) =>
  sequence(...fields.map(([tag, field]) => der(0xa0 + tag, field))).toString('hex')

function extensionsOf(options: TestCertificateOptions): Buffer[] {
  const names = [
    ...(options.dns ?? []).map((value) => text(0x82, value)),
    ...(options.uri ?? []).map((value) => text(0x86, value)),
  ]
  const pathLength = options.pathLength === undefined ? [] : [der(0x02, Buffer.from([options.pathLength]))]
  return [
    ...(options.ca ? [extension('551d13', true, sequence('0101ff', ...pathLength))] : []),
    ...(options.keyUsage === undefined
      ? []
      : [extension('551d0f', true, der(0x03, Buffer.from([0, options.keyUsage])))]),
    ...(options.purposes === undefined
      ? []
      : [
          extension('551d25', false, sequence(...options.purposes.map((purpose) => objectId(encodeObjectId(purpose))))),
        ]),
    ...(names.length === 0 ? [] : [extension('551d11', false, sequence(...names))]),
    ...(options.extensions ?? []).map(({ id, critical, value }) => extension(id, critical, value)),
  ]
}

/** Makes an X.509 certificate (RFC 5280 §4.1), by default valid in 2025 and 2026; P-256 and ECDSA. */
export function makeCertificate(options: TestCertificateOptions): TestCertificate {
  const keyPair = options.keyPair ?? generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const { signature: signedWith = 'sha256' } = options
  const algorithm =
    typeof signedWith === 'object'
      ? sequence(objectId('2a864886f70d01010a'), signedWith.pss)
      : sequence(objectId(signedWith === 'sha1' ? '2a8648ce3d0401' : '2a8648ce3d040302'))
  const extensions = extensionsOf(options)
  const tbs = sequence(
    der(0xa0, '020102'),
    der(0x02, Buffer.concat([Buffer.from([1]), randomBytes(8)])),
    algorithm,
    name(options.issuer?.subject ?? options.subject),
    sequence(time(options.notBefore ?? '2025-01-01T00:00:00Z'), time(options.notAfter ?? '2026-12-31T23:59:59Z')),
    name(options.subject),
    keyPair.publicKey.export({ type: 'spki', format: 'der' }),
    ...(extensions.length === 0 ? [] : [der(0xa3, sequence(...extensions))]),
  )
  // An RSASSA-PSS key already determines its hash, so none is named.
  const hash = typeof signedWith === 'object' ? undefined : signedWith
  const signature = sign(hash, tbs, options.issuer?.privateKey ?? keyPair.privateKey)
  const raw = sequence(tbs, algorithm, der(0x03, '00', signature))
  return {
    certificate: new X509Certificate(raw),
    privateKey: keyPair.privateKey,
    x5c: raw.toString('base64'),
    subject: options.subject,
  }
}
