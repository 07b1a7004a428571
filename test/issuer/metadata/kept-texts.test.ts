import { decodeJwt, decodeProtectedHeader } from 'jose'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createMetadataTexts } from '../../../server/issuer/metadata/kept-texts.js'
import { keysCommand } from '../../../server/key-rotation/command.js'
import { rotateEncryptionKey } from '../../../server/key-rotation/encryption-key.js'
import { environmentOf } from '../../keys/environment.js'
import { makeCertificate } from '../../protocol/issuer-keys/certificates.js'
import { query } from '../../support/postgres.js'
import { startService, type TestService } from '../../support/service.js'
import { recordStatements } from '../../support/statements.js'
import { newIssuer } from '../issuer-record.js'
import { newTypeName, postOffering, postSchema } from '../purchase.js'

const ISSUER = '/.well-known/openid-credential-issuer'
const SERVER = '/.well-known/oauth-authorization-server'

/** Two processes of one installation. Both have already served metadata. */
let first: TestService
let second: TestService
let alice: string
let later = 0

beforeAll(async () => {
  const clock = () => new Date(Date.now() + later)
  // There is no maintenance job, because its statements would be counted.
  first = await startService({ clock, maintenance: false })
  const { databaseUrl, identityProvider, url } = first
  const env = { ISSUER_BASE_URL: url, VERIFIER_BASE_URL: url }
  second = await startService({ databaseUrl, identityProvider, env, clock, maintenance: false })
  alice = await first.bearer('alice', { roles: ['admin'] })
})
afterAll(async () => {
  await second.close()
  await first.close()
})

const textOf = async (service: TestService, path: string, headers: Readonly<Record<string, string>> = {}) => {
  const answer = await service.request('GET', path, { headers })
  expect(answer.status, answer.text).toBe(200)
  return answer.text
}

const JWT = { accept: 'application/jwt' }

/** Reads the metadata. Checks that the content is the same in all formats and at both processes. */
async function told() {
  const [one, two] = await Promise.all(
    [first, second].map(async (service) => {
      const issuer = JSON.parse(await textOf(service, ISSUER))
      const signed = await textOf(service, ISSUER, JWT)
      const server = JSON.parse(await textOf(service, SERVER))
      const { iss, sub: _, iat, ...claims } = decodeJwt(signed)
      expect(claims).toEqual(issuer)
      return { issuer, server, iss, iat, header: decodeProtectedHeader(signed) }
    }),
  )
  if (one === undefined || two === undefined) throw new Error('Both answer.')
  expect({ ...two, iat: 0 }).toEqual({ ...one, iat: 0 })
  return one
}

const configuration = async (id: string) => (await told()).issuer.credential_configurations_supported[id]

describe('after a change, metadata have the change at every process and in every format', () => {
  it('a new type, a new version, a withdrawn version', async () => {
    const name = newTypeName()
    expect(await configuration(name)).toBeUndefined()
    await postSchema(first, alice, { name })
    expect((await configuration(name)).display).toEqual([{ name, locale: 'en' }])
    expect((await told()).server.scopes_supported).toContain(name)
    const newer = await postSchema(second, alice, { name, version: 2, display: [{ name: 'Newer' }] })
    expect((await configuration(name)).display).toEqual([{ name: 'Newer', locale: 'en' }])
    await first.request('DELETE', `/schemas/${newer.id}`, { authorization: alice })
    expect((await configuration(name)).display).toEqual([{ name, locale: 'en' }])
  })

  it('a withdrawn version, which is listed until its last offering expires', async () => {
    const { id, name } = await postSchema(first, alice)
    await postOffering(first, {
      credential_type: name,
      expires_at: new Date(Date.now() + later + 600_000).toISOString(),
    })
    await first.request('DELETE', `/schemas/${id}`, { authorization: alice })
    expect(await configuration(name)).toBeDefined()
    later += 1_200_000
    expect(await configuration(name)).toBeUndefined()
    expect((await told()).server.scopes_supported).not.toContain(name)
  })

  it('a display that is edited in the database', async () => {
    const { id, name } = await postSchema(first, alice)
    await told()
    const display = JSON.stringify([{ name: 'Edited' }])
    await query(first.databaseUrl, 'UPDATE schemas SET display = $1 WHERE id = $2', [display, id])
    expect((await configuration(name)).display).toEqual([{ name: 'Edited', locale: 'en' }])
    await query(first.databaseUrl, 'UPDATE issuers SET display = $1 WHERE is_default', [display])
    expect((await told()).issuer.display).toEqual([{ name: 'Edited', locale: 'en' }])
  })

  it('keys: of the issuer, of another issuer with another algorithm, for requests', async () => {
    const name = (await postSchema(first, alice)).name
    const before = await told()
    await keysCommand([], environmentOf(first))
    const after = await told()
    expect([after.header.kid === before.header.kid, after.iss === before.iss]).toEqual([false, false])
    const kidOf = ({ issuer }: typeof before) => issuer.credential_request_encryption.jwks.keys[0].kid
    expect(kidOf(after)).not.toBe(kidOf(before))
    expect((await configuration(name)).credential_signing_alg_values_supported).toEqual(['ES256'])
    await newIssuer(first, 'alice', { alg: 'EdDSA' })
    expect((await configuration(name)).credential_signing_alg_values_supported).toEqual(['EdDSA', 'ES256'])
  })

  it('only the key for requests, for example if the other keys have certificates and are not rotated', async () => {
    const kid = async () => (await told()).issuer.credential_request_encryption.jwks.keys[0].kid
    const before = await kid()
    const { vault, stores } = first.platform
    expect(await rotateEncryptionKey({ vault, ...stores, newId: () => crypto.randomUUID() }, new Date())).toBe(true)
    expect(await kid()).not.toBe(before)
  })

  it("the issuer's certificates", async () => {
    expect((await told()).header.x5c).toBeUndefined()
    const setChain = (chain: string | null) =>
      query(
        first.databaseUrl,
        'UPDATE keys k SET x5c = $1::jsonb FROM issuers i WHERE i.is_default AND k.key_set_id = i.key_set_id',
        [chain],
      )
    const [one, another] = [makeCertificate({ subject: 'One' }).x5c, makeCertificate({ subject: 'Another' }).x5c]
    await setChain(JSON.stringify([one]))
    expect(await told()).toMatchObject({ header: { x5c: [one] }, iss: first.url })
    await setChain(JSON.stringify([another]))
    expect((await told()).header.x5c).toEqual([another])
    await setChain(null)
    expect((await told()).header.x5c).toBeUndefined()
  })
})

describe('metadata without a change', () => {
  it('cost one statement, which simultaneous requests share', async () => {
    await told()
    const record = recordStatements()
    try {
      for (const [path, headers] of [[ISSUER], [ISSUER, JWT], [SERVER]] as const) {
        record.clear()
        await textOf(first, path, headers)
        expect(record.sent()).toHaveLength(1)
      }
      record.clear()
      const { metadata } = first.platform.stores
      await Promise.all(Array.from({ length: 20 }, () => metadata.state(new Date())))
      expect(record.sent()).toHaveLength(1)
    } finally {
      record.stop()
    }
  })

  it('are signed again after an hour, so that iat stays near (OpenID4VCI 1.0 §12.2.3)', async () => {
    const { iat = 0 } = await told()
    later += 1_800_000
    expect((await told()).iat).toBe(iat)
    later += 3_600_000
    expect((await told()).iat ?? 0).toBeGreaterThan(iat + 3_600)
  })

  it('are made again after a failure, and the failure is not repeated', async () => {
    const texts = createMetadataTexts({ state: async () => 'unchanged' }, () => new Date())
    const asked = (text: Promise<string>) => texts('issuer', () => text)
    await expect(asked(Promise.reject(new Error('the database is away')))).rejects.toThrow('the database is away')
    expect(await asked(Promise.resolve('made'))).toBe('made')
    expect(await asked(Promise.resolve('not needed'))).toBe('made')
  })
})
