import { createHash, generateKeyPairSync } from 'node:crypto'
import type { Signer } from '../../../server/protocol/jose/jws.js'
import { createSigner, signCompact } from '../../../server/protocol/jose/jws.js'
import type { ReadList, ReadOptions, RefusedList } from '../../../server/protocol/trust-lists/read-list.js'
import type { TrustedEntity, TrustedService } from '../../../server/protocol/trust-lists/trust-list.js'
import { makeCertificate, type TestCertificate, type TestCertificateOptions } from '../issuer-keys/certificates.js'

export const NOW = new Date('2026-06-01T00:00:00Z')
export const SIGN = 0x80
export const CERTIFY = 0x04
export const LIST_SIGNING = '0.4.0.2231.3.0'
export const ISSUANCE = 'http://uri.etsi.org/19602/SvcType/PID/Issuance'
export const REVOCATION = 'http://uri.etsi.org/19602/SvcType/PID/Revocation'
export const PID_LIST = 'http://uri.etsi.org/19602/LoTEType/EUPIDProvidersList'

/** The operator of the lists of these tests, whose certificate is pinned. */
export const operator = makeCertificate({ subject: 'C=EU/Operator', keyUsage: SIGN, purposes: [LIST_SIGNING] })
/** Somebody else, who signs lists too. */
export const stranger = makeCertificate({ subject: 'C=EU/Operator', keyUsage: SIGN, purposes: [LIST_SIGNING] })

export const authority = (subject: string, options: Partial<TestCertificateOptions> = {}) =>
  makeCertificate({ subject, ca: true, keyUsage: CERTIFY, ...options })

export const leafOf = (issuer: TestCertificate, options: Partial<TestCertificateOptions> = {}) =>
  makeCertificate({ subject: 'C=EU/Signer', issuer, keyUsage: SIGN, ...options })

export const sha256Of = ({ certificate }: TestCertificate) => createHash('sha256').update(certificate.raw).digest('hex')

export const signerWith = ({ privateKey }: TestCertificate): Promise<Signer> =>
  createSigner(privateKey.export({ format: 'jwk' }), 'list-key')

export const options = (more: Partial<ReadOptions> = {}): ReadOptions => ({
  signer: { pem: String(operator.certificate) },
  now: NOW,
  ...more,
})

export const texts = (value: string) => [{ lang: 'en', value }]

export const loteService = (type: string, certificates: readonly TestCertificate[], more: object = {}) => ({
  ServiceInformation: {
    ServiceName: texts('A service'),
    ServiceTypeIdentifier: type,
    ServiceDigitalIdentity: { X509Certificates: certificates.map(({ x5c }) => ({ val: x5c })) },
    ...more,
  },
})

export const loteEntity = (name: string, services: readonly object[]) => ({
  TrustedEntityInformation: {
    TEName: texts(name),
    TEAddress: { TEPostalAddress: [], TEElectronicAddress: [] },
    TEInformationURI: [{ lang: 'en', uriValue: 'https://provider.example' }],
  },
  TrustedEntityServices: services,
})

export const scheme = (more: object = {}) => ({
  LoTEVersionIdentifier: 1,
  LoTESequenceNumber: 7,
  LoTEType: PID_LIST,
  SchemeOperatorName: texts('The operator'),
  SchemeTerritory: 'EU',
  ListIssueDateTime: '2026-05-01T00:00:00Z',
  NextUpdate: '2026-08-01T00:00:00Z',
  ...more,
})

export const lote = (entities: readonly object[], more: object = {}) => ({
  LoTE: { ListAndSchemeInformation: scheme(more), TrustedEntitiesList: entities },
})

/** Signs a payload as a list of the operator, or of another signer. */
export async function signedList(
  payload: Record<string, unknown>,
  { by = operator, header = {} }: { by?: TestCertificate; header?: Record<string, unknown> } = {},
): Promise<Uint8Array> {
  return Buffer.from(await signCompact(await signerWith(by), { x5c: [by.x5c], ...header }, payload))
}

export function listOf(read: ReadList) {
  if (!read.accepted) throw new Error(`Refused: ${read.check}: ${read.sentence}`)
  return read.list
}

export function refusalOf(read: ReadList): RefusedList {
  if (read.accepted) throw new Error('The list was accepted.')
  return read
}

export const service = (
  certificates: readonly TestCertificate[],
  more: Partial<TrustedService> = {},
): TrustedService => ({
  type: ISSUANCE,
  uses: ['issuance'],
  names: { en: 'A service' },
  status: 'granted',
  certificates: certificates.map(({ certificate }) => certificate.raw),
  keys: [],
  ...more,
})

export const entity = (name: string, services: readonly TrustedService[]): TrustedEntity => ({
  names: { en: name },
  services,
})

/** `SubjectPublicKeyInfo` of a kind that nobody knows (algorithm 1.2.3.4). */
const STRANGE_KEY = Buffer.from('300d300506032a0304030400010203', 'hex')

/** A certificate with a key of an unknown kind, which another key has signed. */
export function strangeKey(options: Omit<TestCertificateOptions, 'keyPair'>): TestCertificate {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  // Only `export` of the public key is used.
  return makeCertificate({ ...options, keyPair: { privateKey, publicKey: { export: () => STRANGE_KEY } as never } })
}
