import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { decodeJwt, decodeProtectedHeader } from 'jose'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { keysCommand } from '../../server/key-rotation/command.js'
import { newIssuer } from '../issuer/issuer-record.js'
import { postSchema, SUBJECT } from '../issuer/purchase.js'
import { environmentOf } from '../keys/environment.js'
import { query } from '../support/postgres.js'
import { startService, type TestService } from '../support/service.js'

const HTTPS = { ISSUER_BASE_URL: 'https://credence.example', VERIFIER_BASE_URL: 'https://verifier.example' }

async function actorsOf(service: TestService) {
  const authorization = await service.bearer('alice', { roles: ['admin'] })
  const { name: type } = await postSchema(service, authorization)
  const sign = async (format: string, issuerId?: string): Promise<{ id: string; credential: string }> => {
    const body = { type, credential_subject: SUBJECT, format, ...(issuerId === undefined ? {} : { issuerId }) }
    const answer = await service.request('POST', '/credentials/sign', { authorization, body })
    expect(answer.status).toBe(201)
    return answer.json
  }
  const verify = async (credential: string) =>
    (await service.request('POST', '/credentials/verify', { authorization, body: { credential } })).json
  const didOf = async (did: string) =>
    (await service.request('GET', `/agent/did/${encodeURIComponent(did)}`, { authorization })).json
  return { authorization, type, sign, verify, didOf }
}

const headerOf = (credential: string) => decodeProtectedHeader(credential.split('~')[0] ?? '')
const claimsOf = (credential: string) =>
  decodeJwt<{ status: { status_list: { uri: string } } }>(credential.split('~')[0] ?? '')

describe.each([
  ['over https, signing as a did:web', { ...HTTPS, ALLOW_INSECURE_HTTP: '' }],
  ['over http, signing as a did:jwk', {}],
])('keys:rotate beside a running service (%s)', (_name, env) => {
  const isWeb = 'ISSUER_BASE_URL' in env
  let service: TestService
  let actors: Awaited<ReturnType<typeof actorsOf>>

  beforeAll(async () => {
    service = await startService({ env })
    actors = await actorsOf(service)
  })
  afterAll(() => service.close())

  it('makes the running service sign its next credential with the new key, and earlier credentials stay valid', async () => {
    const { sign, verify } = actors
    const before = [await sign('jwt_vc_json'), await sign('dc+sd-jwt')]
    await keysCommand([], environmentOf(service))
    const after = [await sign('jwt_vc_json'), await sign('dc+sd-jwt')]
    for (const [position, { credential }] of after.entries()) {
      const former = before[position]?.credential ?? ''
      expect(headerOf(credential).kid).not.toBe(headerOf(former).kid)
      expect(claimsOf(credential).iss === claimsOf(former).iss).toBe(isWeb)
    }
    for (const { credential } of [...before, ...after]) expect((await verify(credential)).isValid).toBe(true)
  })

  it('changes to another algorithm with --alg, and back; metadata name the algorithm', async () => {
    const { sign, verify } = actors
    const announced = async () => {
      const { json } = await service.request('GET', '/.well-known/openid-credential-issuer')
      return json.credential_configurations_supported[actors.type].credential_signing_alg_values_supported
    }
    const credentials: string[] = []
    for (const alg of ['EdDSA', 'ES256']) {
      await keysCommand(['--alg', alg], environmentOf(service))
      for (const format of ['jwt_vc_json', 'dc+sd-jwt']) {
        const { credential } = await sign(format)
        expect(headerOf(credential).alg).toBe(alg)
        credentials.push(credential)
      }
      expect(await announced()).toEqual([alg])
    }
    for (const credential of credentials) expect((await verify(credential)).isValid).toBe(true)
  })

  it('keeps each status list signed by the key of its credentials, and revocation works for all', async () => {
    const { sign, verify } = actors
    const former = await sign('dc+sd-jwt')
    await keysCommand([], environmentOf(service))
    const current = await sign('dc+sd-jwt')
    const lists = [former, current].map(
      ({ credential }) => new URL(claimsOf(credential).status.status_list.uri).pathname,
    )
    expect(lists[0]).not.toBe(lists[1])
    for (const [position, { id, credential }] of [former, current].entries()) {
      for (const path of [lists[position] ?? '', (lists[position] ?? '').replace('/token-', '/')]) {
        const { text } = await service.request('GET', path)
        expect(decodeProtectedHeader(text).kid).toBe(headerOf(credential).kid)
        expect(decodeJwt(text).iss).toBe(claimsOf(credential).iss)
      }
      await service.request('POST', `/api/v1/credentials/${id}/revoke`, { client: true })
      expect(await verify(credential)).toEqual({ isValid: false, error: 'Credential has been revoked.' })
    }
  })

  it('publishes the former keys beside the new key: in the did:web document and the issuer metadata', async () => {
    const { sign } = actors
    const kids = [headerOf((await sign('jwt_vc_json')).credential).kid]
    await keysCommand([], environmentOf(service))
    kids.push(headerOf((await sign('jwt_vc_json')).credential).kid)
    const metadata = await service.request('GET', '/.well-known/jwt-vc-issuer')
    const published = metadata.json.jwks.keys.map((key: { kid: string }) => key.kid)
    expect(published).toEqual(expect.arrayContaining(kids))
    expect(JSON.stringify(metadata.json)).not.toContain('"d":')
    const [web] = await query(
      service.databaseUrl,
      "SELECT uuid, (SELECT count(*)::int FROM keys k WHERE k.key_set_id = d.key_set_id) AS keys FROM dids d JOIN issuers i USING (key_set_id) WHERE d.method = 'web' AND i.is_default",
    )
    const document = await service.request('GET', `/${web?.uuid}/did.json`)
    expect(document.json.verificationMethod).toHaveLength(web?.keys)
    expect(document.json.assertionMethod).toHaveLength(web?.keys)
    if (isWeb) expect(document.json.assertionMethod).toEqual(expect.arrayContaining(kids))
  })

  it('changes the DID of a record whose DID is made from its key; the former DID stays known, and its signatures stay valid', async () => {
    const { sign, verify, didOf } = actors
    const issuer = await newIssuer(service, 'alice', { method: 'key', alg: 'EdDSA' })
    const before = await sign('jwt_vc_json', issuer.id)
    const lines = await keysCommand([], environmentOf(service))
    const after = await sign('jwt_vc_json', issuer.id)
    const { iss = '' } = decodeJwt(after.credential)
    expect([headerOf(after.credential).alg, iss === issuer.did, iss]).toEqual([
      'EdDSA',
      false,
      expect.stringMatching(/^did:key:z6Mk/),
    ])
    expect(lines).toContain(`issuer ${issuer.id} signs with a new key as ${iss}`)
    expect(await didOf(issuer.did)).toMatchObject({ did: issuer.did, method: 'key' })
    expect(await didOf(iss)).toMatchObject({ did: iss, method: 'key' })
    expect((await verify(before.credential)).isValid).toBe(true)
    expect((await verify(after.credential)).isValid).toBe(true)
  })

  it('rotates every key set once: only the new key signs; the audit row has no claims', async () => {
    const keys = () =>
      query(service.databaseUrl, 'SELECT key_set_id, id, retired_at FROM keys ORDER BY key_set_id, created_at, id')
    const before = await keys()
    const lines = await keysCommand([], environmentOf(service))
    const added = (await keys()).filter(({ id }) => !before.some((key) => key.id === id))
    const sets = new Set(before.map(({ key_set_id }) => key_set_id))
    // One key set belongs to no record: it has the keys for the encryption of credential requests.
    expect(lines.at(-1)).toBe(`${sets.size - 1} records have a new key.`)
    expect(new Set(added.map(({ key_set_id }) => key_set_id))).toEqual(sets)
    expect((await keys()).filter(({ retired_at }) => retired_at === null)).toEqual(added)
    const audit = await query(
      service.databaseUrl,
      "SELECT actor, subject_id FROM audit_events WHERE action = 'key.rotated' ORDER BY id DESC LIMIT $1",
      [sets.size],
    )
    expect(new Set(audit.map(({ subject_id }) => subject_id))).toEqual(new Set(added.map(({ id }) => id)))
    expect(new Set(audit.map(({ actor }) => actor))).toEqual(new Set([null]))
  })

  it('does not change keys of holders', async () => {
    const { authorization } = actors
    await service.request('POST', '/agent/holder', { authorization, body: { method: 'web' } })
    const keysOfHolders = () =>
      query(
        service.databaseUrl,
        'SELECT k.id, k.retired_at FROM keys k JOIN dids d USING (key_set_id) WHERE d.holder_id IS NOT NULL',
      )
    const before = await keysOfHolders()
    await keysCommand([], environmentOf(service))
    expect(await keysOfHolders()).toEqual(before)
    expect(before).toHaveLength(1)
  })

  it('moves the domain linkage to the new signing DID', async () => {
    await keysCommand([], environmentOf(service))
    const { json } = await service.request('GET', '/.well-known/did-configuration')
    const records = await query(service.databaseUrl, 'SELECT did FROM issuers UNION ALL SELECT did FROM verifiers')
    expect(json.entries.map(({ did }: { did: string }) => did).sort()).toEqual(records.map(({ did }) => did).sort())
  })
})

describe('keys:rotate', () => {
  let service: TestService
  beforeAll(async () => {
    service = await startService()
  })
  afterAll(() => service.close())

  it('that runs twice at once gives each key set new keys one after the other, never two signing keys', async () => {
    await Promise.all([1, 2, 3].map(() => keysCommand([], environmentOf(service))))
    const current = await query(
      service.databaseUrl,
      'SELECT key_set_id, count(*)::int AS signing FROM keys WHERE retired_at IS NULL GROUP BY key_set_id',
    )
    expect(current.map(({ signing }) => signing)).toEqual([1, 1, 1])
  })

  it('affects no credential that is being issued at the same time', async () => {
    const { sign, verify } = await actorsOf(service)
    const issued: string[] = []
    const issuing = Promise.all(
      Array.from({ length: 4 }, async () => {
        for (let count = 0; count < 8; count += 1) issued.push((await sign('jwt_vc_json')).credential)
      }),
    )
    for (let count = 0; count < 3; count += 1) await keysCommand([], environmentOf(service))
    await issuing
    const answers = await Promise.all(issued.map(verify))
    expect(answers.map(({ isValid }) => isValid)).toEqual(Array(32).fill(true))
  })

  it('is a separate command that reads the service’s environment and reports its changes', async () => {
    const env = { ...process.env, ...environmentOf(service) }
    const script = ['--import', 'tsx', 'server/key-rotation/command.ts']
    const { stdout } = await promisify(execFile)(process.execPath, script, { env })
    expect(stdout).toMatch(
      /^issuer [0-9a-f-]{36} signs with a new key as did:jwk:\S+\nverifier .+\ncredential requests .+\n2 records have a new key\.\n$/,
    )
    await expect(keysCommand(['--reencrpyt'], environmentOf(service))).rejects.toThrow('Usage: npm run keys:rotate')
    await expect(keysCommand([], environmentOf(service, { DATABASE_URL: '' }))).rejects.toThrow(
      'Invalid environment variables:\n- DATABASE_URL must be defined.',
    )
  })
})
