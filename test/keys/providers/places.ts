import { createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, onTestFinished } from 'vitest'
import { pemOf } from '../../agent/authority.js'
import { HTTPS, leafOf, root } from '../../agent/certified.js'
import { type Issuer, startIssuer } from '../../issuer/openid4vci/actors.js'
import { licenceSchema, postSchema } from '../../issuer/openid4vci/mdoc-actors.js'
import { everyRow } from '../../support/postgres.js'
import { makeToken, PIN, WITHOUT_TOKEN } from './softhsm.js'
import { environmentWith, SUBJECTS, type Subject, testFile } from './subjects.js'

/** A key provider `hsm` of one kind, with a P-256 key that its operator has made. It ends with the test. */
export interface Place {
  readonly env: Readonly<Record<string, string>>
  /** The key that the operator has made, as ISSUER_X509 names it. */
  readonly reference: string
  readonly publicKey: KeyObject
  /** The private keys that the test can read from the outside. */
  readonly privateKeys: () => readonly KeyObject[]
}

/** A token with an imported key, because a test cannot read a key that a token has made. */
async function token(): Promise<Place> {
  const made = await makeToken()
  onTestFinished(() => made.remove())
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const path = join(made.directory, 'imported.pem')
  await writeFile(path, privateKey.export({ format: 'pem', type: 'pkcs8' }))
  const where = ['--token', 'credence', '--label', 'issuer-1', '--id', '0a0b', '--pin', PIN]
  await made.util('--import', path, ...where)
  return { env: made.env, reference: 'issuer-1', publicKey, privateKeys: () => [privateKey] }
}

/** A place of a kind that is spoken to over HTTP, with its double. */
export interface RemotePlace extends Place {
  readonly subject: Subject
}

/** @param members further members of the entry of KEY_PROVIDERS */
export const remotePlace = async (
  begin: (typeof SUBJECTS)[keyof typeof SUBJECTS],
  members: Readonly<Record<string, unknown>> = {},
): Promise<RemotePlace> => {
  const subject = await begin()
  onTestFinished(() => subject.double.close())
  const reference = subject.add('issuer-1')
  const key = subject.double.chest.keys.get('issuer-1')
  if (key === undefined) throw new Error('The double has made no key.')
  return {
    subject,
    env: await environmentWith({ ...subject, settings: { ...subject.settings, ...members } }),
    reference,
    publicKey: createPublicKey(key.publicKey.export({ format: 'pem', type: 'spki' })),
    privateKeys: () => [...subject.double.chest.keys.values()].map(({ privateKey }) => privateKey),
  }
}

/** Every kind, for tests that are the same for all kinds. PKCS#11 is absent without a software token. */
export const PLACES: readonly (readonly [kind: string, begin: () => Promise<Place>])[] = [
  ...(WITHOUT_TOKEN === undefined ? [['pkcs11', token] as const] : []),
  ...Object.entries(SUBJECTS).map(([kind, begin]) => [kind, () => remotePlace(begin)] as const),
]

/** The certificate of the operator's key, below the root of the tests. */
const certificateOf = ({ publicKey }: Place) =>
  leafOf({
    issuer: root,
    subject: 'C=DE/Issuer',
    purposes: ['1.0.18013.5.1.2'],
    keyPair: { publicKey, privateKey: root.privateKey },
  })

/** A service at a public address that issues driving licences in three formats with the operator's key. It ends with the test. */
export async function startCertified(place: Place): Promise<Issuer> {
  const ISSUER_X509 = await testFile(`key: hsm:${place.reference}\n${pemOf(certificateOf(place))}`)
  const env = { ...HTTPS, ...place.env, ISSUER_KEY_PROVIDER: 'hsm', VERIFIER_KEY_PROVIDER: 'hsm', ISSUER_X509 }
  const trust = { TRUSTED_ISSUERS: 'self,x5c', TRUST_ANCHORS: await testFile(String(root.certificate)) }
  const issuer = await startIssuer({ env: { ...env, ...trust } })
  onTestFinished(() => issuer.service.close())
  expect((await postSchema(issuer, licenceSchema())).status).toBe(201)
  return issuer
}

/** The octets that a text has in hexadecimal, base64 or base64url: each run that is long enough for a private key. */
function octetsIn(text: string): Buffer[] {
  const hex = text.match(/[0-9a-f]{64,}/gi) ?? []
  const base64 = text.match(/[A-Za-z0-9+/_-]{43,}/g) ?? []
  return [
    ...hex.map((run) => Buffer.from(run.slice(0, run.length - (run.length % 2)), 'hex')),
    ...base64.map((run) => Buffer.from(run, 'base64')),
  ]
}

const scalarOf = (key: KeyObject) => Buffer.from(String(key.export({ format: 'jwk' }).d), 'base64url')

/**
 * Finds the private keys that a thief of the database has: every run of octets in hexadecimal, base64 or base64url is
 * searched.
 *
 * @returns the public keys, as the `x` of their JWKs
 */
export async function privateKeysIn(databaseUrl: string, keys: readonly KeyObject[]): Promise<string[]> {
  const octets = (await everyRow(databaseUrl)).flatMap(octetsIn)
  const found = keys.filter((key) => {
    const scalar = scalarOf(key)
    return octets.some((run) => run.includes(scalar))
  })
  return found.map((key) => String(createPublicKey(key).export({ format: 'jwk' }).x))
}
