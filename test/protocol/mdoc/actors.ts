import { randomBytes } from 'node:crypto'
import type { VerifyOptions } from '../../../server/protocol/credential/verification.js'
import { x5cIssuerKey } from '../../../server/protocol/issuer-keys/x5c-issuer.js'
import type { SignatureAlgorithm } from '../../../server/protocol/jose/algorithms.js'
import { createSigner, generateKeyPair, type Signer } from '../../../server/protocol/jose/jws.js'
import { issueMdoc, type MdocInput, mdocElementsOf } from '../../../server/protocol/mdoc/mdoc.js'
import { Work } from '../../../server/protocol/work.js'
import { makeCertificate, type TestCertificate } from '../issuer-keys/certificates.js'

export const NOW = new Date('2026-06-01T12:00:00Z')
export const DOCTYPE = 'org.iso.18013.5.1.mDL'
export const NAMESPACE = 'org.iso.18013.5.1'
export const MORE = 'org.iso.18013.5.1.aamva'

/** The schema, the mapping and a subject of a driving licence. */
export const SCHEMA = {
  type: 'object',
  properties: {
    name: { type: 'object', properties: { family: { type: 'string' }, given: { type: 'string' } } },
    birthDate: { type: 'string', format: 'date' },
    issued: { $ref: '#/$defs/moment' },
    portrait: { type: 'string', contentEncoding: 'base64' },
    height: { type: 'number' },
    organDonor: { type: 'boolean' },
    privileges: {
      type: 'array',
      items: { type: 'object', properties: { code: { type: 'string' }, from: { type: 'string', format: 'date' } } },
    },
  },
  $defs: { moment: { type: 'string', format: 'date-time' } },
}
export const MAPPING = {
  doctype: DOCTYPE,
  namespaces: {
    [NAMESPACE]: {
      family_name: '/name/family',
      given_name: '/name/given',
      birth_date: '/birthDate',
      issue_date: '/issued',
      portrait: '/portrait',
      height: '/height',
      driving_privileges: '/privileges',
    },
    [MORE]: { organ_donor: '/organDonor' },
  },
}
export const SUBJECT = {
  name: { family: 'Möbius', given: 'Ada' },
  birthDate: '1990-12-24',
  issued: '2026-01-02T03:04:05Z',
  portrait: 'AAH+/w==',
  height: 171.5,
  organDonor: true,
  privileges: [{ code: 'B', from: '2010-01-02' }],
}

/** The subject in a mobile document, as JSON. */
export const ELEMENTS = {
  [NAMESPACE]: {
    family_name: 'Möbius',
    given_name: 'Ada',
    birth_date: '1990-12-24',
    issue_date: '2026-01-02T03:04:05Z',
    portrait: 'AAH-_w',
    height: 171.5,
    driving_privileges: [{ code: 'B', from: '2010-01-02' }],
  },
  [MORE]: { organ_donor: true },
}

export interface Actor extends TestCertificate {
  readonly signer: Signer
}

const asActor = async (certificate: TestCertificate): Promise<Actor> => ({
  ...certificate,
  signer: await createSigner(certificate.privateKey.export({ format: 'jwk' }), 'key'),
})

export const makeAuthority = (subject = 'Authority') => makeCertificate({ subject, ca: true, keyUsage: 0x04 })

/** An issuer under an authority. */
export const makeIssuer = (authority: TestCertificate, options: Partial<Parameters<typeof makeCertificate>[0]> = {}) =>
  asActor(
    makeCertificate({
      subject: 'C=DE/Issuer',
      issuer: authority,
      keyUsage: 0x80,
      purposes: ['1.0.18013.5.1.2'],
      uri: ['https://issuer.example'],
      ...options,
    }),
  )

export async function makeHolder(alg: SignatureAlgorithm = 'ES256'): Promise<Signer> {
  return createSigner((await generateKeyPair(alg)).privateJwk, 'holder')
}

/** A driving licence of an issuer for a holder. */
export function issue(issuer: Actor, holder: Signer, changes: Partial<MdocInput> = {}): Promise<string> {
  return issueMdoc({
    signer: issuer.signer,
    x5c: [issuer.x5c],
    doctype: DOCTYPE,
    elements: mdocElementsOf(MAPPING, SUBJECT, SCHEMA, new Work(1_000_000)),
    deviceKey: holder.publicJwk,
    issuedAt: new Date('2026-06-01T10:00:00Z'),
    expiresAt: new Date('2026-09-01T10:00:00Z'),
    randomBytes,
    ...changes,
  })
}

/** Trust in every issuer with a chain to an authority. */
export const trusting = (authority: TestCertificate, now = NOW): VerifyOptions => ({
  now,
  resolveIssuerKey: async ({ x5c }) =>
    x5cIssuerKey(x5c, undefined, { trustAnchors: [authority.certificate], now, withoutRoots: true }),
})
