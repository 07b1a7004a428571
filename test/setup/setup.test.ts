import { createServer } from 'node:http'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { SETUP_ITEMS } from '../../server/setup/setup.contract.js'
import { postSchema, SUBJECT } from '../issuer/purchase.js'
import { portOf } from '../support/local-server.js'
import { CLIENT_SECRET, startService, type TestService } from '../support/service.js'

const PATH = '/api/v1/setup'

interface Item {
  readonly id: string
  readonly state: string
  readonly sentence: string
  readonly action: string | null
  readonly expiresAt?: string
}

let service: TestService
/** A server that answers every request but is not this installation. */
const stranger = createServer((_, response) => response.setHeader('content-type', 'application/json').end('{}'))
let strangersUrl: string

beforeAll(async () => {
  service = await startService()
  await new Promise<void>((resolve) => stranger.listen(0, '127.0.0.1', resolve))
  strangersUrl = `http://127.0.0.1:${portOf(stranger)}`
})
afterAll(async () => {
  await service.close()
  stranger.closeAllConnections()
  await new Promise((resolve) => stranger.close(resolve))
})

async function setup(of: TestService): Promise<{ items: Record<string, Item>; warnings: string[]; text: string }> {
  const { status, json, text } = await of.request('GET', PATH, { client: true })
  expect(status, text).toBe(200)
  const items: Item[] = json.items
  expect(items.map(({ id }) => id)).toEqual(SETUP_ITEMS)
  for (const { state, action } of items) if (!['ok', 'unused'].includes(state)) expect(action).toMatch(/\.$/)
  return { items: Object.fromEntries(items.map((each) => [each.id, each])), warnings: json.warnings, text }
}

const beside = (env: Record<string, string>) =>
  startService({
    databaseUrl: service.databaseUrl,
    identityProvider: service.identityProvider,
    maintenance: false,
    outbound: { timeoutMs: 2_000 },
    env,
  })

describe('GET /api/v1/setup', () => {
  it('describes a fresh installation and the next steps', async () => {
    const { items, warnings } = await setup(service)
    expect(items.issuerBaseUrl).toEqual({
      id: 'issuerBaseUrl',
      state: 'warning',
      sentence: `${service.url} is this machine's own address: wallets on other devices cannot reach it.`,
      action: 'Set ISSUER_BASE_URL to an address that wallets can reach.',
    })
    expect(items.verifierBaseUrl?.state).toBe('warning')
    expect(items.https?.state).toBe('warning')
    expect(items.identityProvider?.state).toBe('ok')
    expect(items.signIn?.state).toBe('missing')
    expect(items.clientSecret?.state).toBe('ok')
    expect(items.keyEncryption?.state).toBe('missing')
    expect(items.issuerKey?.sentence).toMatch(/^The default issuer signs with ES256 as did:/)
    expect(items.issuerCertificate?.state).toBe('unused')
    expect(items.credentialTypes?.state).toBe('missing')
    expect(items.statusLists?.sentence).toMatch(/^There is no status list yet/)
    expect(items.redis?.state).toBe('unused')
    expect(warnings).toContainEqual(expect.stringMatching(/^KEY_ENCRYPTION_KEY is not set/))
  })

  it('reports the first credential type, and fetches the status list', async () => {
    const alice = await service.bearer('alice')
    const { name: type } = await postSchema(service, alice)
    const body = { type, credential_subject: SUBJECT }
    await service.request('POST', '/api/v1/credentials', { authorization: alice, body })
    const { items } = await setup(service)
    expect(items.credentialTypes?.state).toBe('ok')
    expect(items.statusLists).toMatchObject({ state: 'ok', sentence: expect.stringMatching(/^One status list can/) })
  })

  it('warns from 200 KB of issuer metadata, because some wallets do not read larger metadata', async () => {
    await using other = await startService({ env: {} })
    const metadataItem = async () => (await setup(other)).items.issuerMetadata
    expect(await metadataItem()).toMatchObject({ state: 'ok', action: null })
    const display = Array.from({ length: 50 }, (_, at) => ({
      name: 'Receipt',
      locale: `de-x-${at}`,
      description: 'd'.repeat(950),
    }))
    await postSchema(other, await other.bearer('alice'), { display })
    const text = (await other.request('GET', '/.well-known/openid-credential-issuer')).text
    expect(text.length).toBeGreaterThan(200_000)
    expect(await metadataItem()).toMatchObject({
      state: 'warning',
      sentence: `The issuer's metadata are ${Math.ceil(text.length / 1_000)} KB: some wallets refuse more than 256 KB, and then accept no credential.`,
      action: expect.stringContaining('Withdraw types'),
    })
  })

  it('detects another server at a base URL, an unreachable base URL, and status lists that cannot be found', async () => {
    const dead = 'http://127.0.0.1:9'
    await using other = await beside({ ISSUER_BASE_URL: strangersUrl, VERIFIER_BASE_URL: dead })
    const { items } = await setup(other)
    expect(items.issuerBaseUrl).toMatchObject({
      state: 'failed',
      sentence: `${strangersUrl} leads to another program, not to this installation.`,
    })
    expect(items.verifierBaseUrl).toMatchObject({
      state: 'failed',
      sentence: expect.stringContaining(`${dead} could not be reached from this service.`),
      action: expect.stringContaining('VERIFIER_BASE_URL'),
    })
    expect(items.statusLists).toMatchObject({
      state: 'failed',
      sentence: expect.stringContaining('nobody can see whether a credential is revoked'),
    })
  })

  it('with `ask` false answers at once without other servers, even if the base URLs do not answer', async () => {
    const silent = createServer(() => {})
    let connections = 0
    silent.on('connection', () => {
      connections += 1
    })
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve))
    const url = `http://127.0.0.1:${portOf(silent)}`
    await using other = await beside({ ISSUER_BASE_URL: url, VERIFIER_BASE_URL: url })
    const { status, json } = await other.request('GET', `${PATH}?ask=false`, { client: true })
    expect([status, connections]).toEqual([200, 0])
    const items: Item[] = json.items
    const asked = ['issuerBaseUrl', 'verifierBaseUrl', 'identityProvider', 'keyProviders', 'statusLists', 'redis']
    expect(items.map(({ id }) => id)).toEqual(SETUP_ITEMS.filter((id) => !asked.includes(id)))
    silent.closeAllConnections()
    await new Promise((resolve) => silent.close(resolve))
  })

  it('reports that Redis does not answer', async () => {
    await using other = await beside({ REDIS_URL: 'redis://:hidden@127.0.0.1:9' })
    const { items, text } = await setup(other)
    expect(items.redis?.state).toBe('failed')
    expect(text).not.toContain('hidden')
  })

  it('reports that AUTH_DISABLED is true', async () => {
    await using open = await beside({ AUTH_DISABLED: 'true', OIDC_JWKS_URL: '', CLIENT_SECRET: '' })
    const { items, warnings } = await setup(open)
    expect(items.identityProvider?.sentence).toBe('AUTH_DISABLED is true: every caller is an admin.')
    expect(items.clientSecret?.state).toBe('unused')
    expect(warnings).toContainEqual(expect.stringMatching(/^AUTH_DISABLED is true/))
  })

  it('attack: it contains no secret, with any configuration', async () => {
    const secrets = {
      KEY_ENCRYPTION_KEY: Buffer.alloc(32, 7).toString('base64url'),
      OIDC_CLIENT_SECRET: 'the-secret-of-the-client',
      CLIENT_SECRET_PREVIOUS: 'the-former-client-secret',
      REDIS_URL: 'redis://user:the-secret-of-redis@127.0.0.1:9',
    }
    await using other = await startService({
      identityProvider: service.identityProvider,
      maintenance: false,
      env: { ...secrets, OIDC_CLIENT_ID: 'credence', OIDC_ISSUER: service.identityProvider.jwksUrl },
    })
    const { text, items } = await setup(other)
    expect(items.keyEncryption?.state).toBe('ok')
    for (const secret of [...Object.values(secrets), 'the-secret', CLIENT_SECRET]) expect(text).not.toContain(secret)
    const password = new URL(other.databaseUrl).password
    if (password !== '') expect(text).not.toContain(`:${password}@`)
  })

  it('attack: only the client secret and admins can read it; ISSUER_ROLE or VERIFIER_ROLE is not enough', async () => {
    await using strict = await beside({ ISSUER_ROLE: 'issuer', VERIFIER_ROLE: 'verifier' })
    const halves = await strict.bearer('bob', { roles: ['issuer', 'verifier'] })
    expect((await strict.request('GET', PATH, { authorization: halves })).status).toBe(403)
    expect((await strict.request('GET', PATH)).status).toBe(401)
    const admin = await strict.bearer('root', { roles: ['admin'] })
    expect((await strict.request('GET', PATH, { authorization: admin })).status).toBe(200)
  })
})
