import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { readEnvironment } from '../../scripts/start/environment.js'
import { type FoundKeys, findMissingKeys } from '../../scripts/start/identity-provider.js'
import { publicAddressOf } from '../../scripts/start/public-address.js'
import { planStart } from '../../scripts/start/settings.js'
import { readConfig } from '../../server/config/config.js'

const plan = (environment: Record<string, string>, keys?: FoundKeys) => planStart(environment, 40_001, undefined, keys)

const CLIENT = { OIDC_ISSUER: 'https://idp.example', OIDC_CLIENT_ID: 'credence' }

/** The settings that are filled in for an identity provider without keys. */
const LOOPBACK = {
  ISSUER_BASE_URL: 'http://localhost:3000',
  VERIFIER_BASE_URL: 'http://localhost:3000',
  ALLOW_INSECURE_HTTP: 'true',
}

const localSettings = {
  ISSUER_BASE_URL: 'http://localhost:3000',
  VERIFIER_BASE_URL: 'http://localhost:3000',
  AUTH_DISABLED: 'true',
  ALLOW_INSECURE_HTTP: 'true',
  TRUSTED_ISSUERS: '*',
}

describe('planStart', () => {
  it('fills in settings for local development if nothing is configured', () => {
    expect(plan({})).toEqual({
      added: localSettings,
      local: true,
      advice: [],
      embeddedDatabase: true,
      address: { host: '127.0.0.1', port: 3000 },
    })
  })

  it.each([{ ISSUER_BASE_URL: 'https://issuer.example' }, { VERIFIER_BASE_URL: 'https://verifier.example' }])(
    'fills in no setting if only base URLs are configured: %o',
    (environment) => {
      expect(plan(environment)).toMatchObject({ added: {}, local: false, embeddedDatabase: true })
    },
  )

  it.each([
    { OIDC_JWKS_URL: 'https://idp.example/jwks' },
    { OIDC_ISSUER: 'https://idp.example', OIDC_CLIENT_ID: 'credence' },
    { OIDC_ISSUER: 'https://idp.example' },
    { OIDC_CLIENT_SECRET: 'secret' },
    { OIDC_AUDIENCE: 'credence' },
    { OIDC_ALGORITHMS: 'ES256' },
    { OIDC_DID_CLAIM: 'dids' },
    { OIDC_SCOPE: 'openid' },
    { OIDC_ROLES_CLAIM: 'roles' },
  ])('attack: with any variable of an identity provider, authentication is never switched off: %o', (environment) => {
    expect(plan(environment)).toMatchObject({ added: LOOPBACK, local: false, embeddedDatabase: true })
    expect(plan(environment).added).toEqual(LOOPBACK)
  })

  it('with OIDC_ISSUER and OIDC_CLIENT_ID needs nothing else, and says what it fills in and what to register', () => {
    const { added, advice } = plan({ ...CLIENT, PORT: '8080' }, { jwksUrl: 'https://idp.example/jwks' })
    const url = 'http://localhost:8080'
    const filled = {
      ISSUER_BASE_URL: url,
      VERIFIER_BASE_URL: url,
      ALLOW_INSECURE_HTTP: 'true',
      OIDC_JWKS_URL: 'https://idp.example/jwks',
    }
    expect(added).toEqual(filled)
    expect(advice).toEqual([
      'npm start fills in only these settings, because these are set: OIDC_CLIENT_ID, OIDC_ISSUER.',
      ...Object.entries(filled).map(([name, value]) => `  ${name}=${value}`),
      `Register these redirect URIs at the identity provider: ${url}/console/callback (also for the return after signing out) and ${url}/openid4vci/authorize/callback`,
    ])
  })

  it('starts as the service itself accepts it', () => {
    const { added } = plan(CLIENT, { jwksUrl: 'https://idp.example/jwks' })
    const config = readConfig({ ...CLIENT, ...added, DATABASE_URL: 'postgres://db.example/credence' })
    expect(config).toMatchObject({ authDisabled: false, console: { mode: 'login' } })
  })

  it('does not change a base URL, and fills in no second one', () => {
    const { added, advice } = plan(
      { ...CLIENT, ISSUER_BASE_URL: 'https://issuer.example' },
      { jwksUrl: 'https://idp.example/jwks' },
    )
    expect(added).toEqual({ OIDC_JWKS_URL: 'https://idp.example/jwks' })
    expect(advice).toContain(
      'VERIFIER_BASE_URL: set the https address of the service, or http://localhost:3000 with ALLOW_INSECURE_HTTP=true.',
    )
  })

  it('does not change OIDC_JWKS_URL or ALLOW_INSECURE_HTTP if they are set', () => {
    const { added } = plan({ ...CLIENT, OIDC_JWKS_URL: 'https://idp.example/other', ALLOW_INSECURE_HTTP: 'false' })
    expect(Object.keys(added)).toEqual(['ISSUER_BASE_URL', 'VERIFIER_BASE_URL'])
  })

  it.each([
    [{ OIDC_CLIENT_ID: 'credence' }, 'OIDC_ISSUER: set the address of the identity provider.'],
    [{ OIDC_CLIENT_SECRET: 'secret' }, 'OIDC_ISSUER: set the address of the identity provider.'],
    [{ OIDC_CLIENT_SECRET: 'secret' }, 'OIDC_CLIENT_ID: set the id of this service at the identity provider.'],
    [
      { OIDC_ISSUER: 'https://idp.example/', OIDC_CLIENT_ID: 'credence' },
      'OIDC_JWKS_URL: set the jwks_uri of https://idp.example/.well-known/openid-configuration.',
    ],
    [
      { OIDC_ISSUER: 'https://idp.example', OIDC_JWKS_URL: 'https://idp.example/jwks' },
      'Nobody can sign in to the console yet. OIDC_CLIENT_ID: set the id of this service at the identity provider.',
    ],
  ])('with %o names what is missing, with the next step: %s', (environment, sentence) => {
    expect(plan(environment).advice).toContain(sentence)
  })

  it('repeats the sentence about a provider that could not be used', () => {
    const { added, advice } = plan(CLIENT, { problem: 'OIDC_ISSUER: the provider calls itself https://other.example.' })
    expect(added).toEqual(LOOPBACK)
    expect(advice.slice(-2)).toEqual([
      'The service still needs:',
      'OIDC_ISSUER: the provider calls itself https://other.example.',
    ])
  })

  it('gives no advice about a login that AUTH_DISABLED switches off', () => {
    const urls = { ISSUER_BASE_URL: 'https://issuer.example', VERIFIER_BASE_URL: 'https://verifier.example' }
    expect(plan({ ...urls, AUTH_DISABLED: 'true' }).advice).toEqual([])
  })

  it('asks no provider, and fills in no setting, in production', async () => {
    const production = { ...CLIENT, NODE_ENV: 'production' }
    await expect(findMissingKeys(production)).resolves.toBeUndefined()
    expect(plan(production)).toMatchObject({ added: {}, advice: [], embeddedDatabase: false })
  })

  it('fills in no setting in production, where the database is never embedded', () => {
    expect(plan({ NODE_ENV: 'production' })).toMatchObject({ added: {}, local: false, embeddedDatabase: false })
  })

  it('treats an empty variable as not set, like the service', () => {
    expect(plan({ OIDC_JWKS_URL: '', OIDC_ISSUER: '', DATABASE_URL: '', TRUSTED_ISSUERS: '', PORT: '' })).toEqual(
      plan({}),
    )
  })

  it('does not change given settings', () => {
    const { TRUSTED_ISSUERS: _, ...rest } = localSettings
    expect(plan({ TRUSTED_ISSUERS: 'self' }).added).toEqual(rest)
  })

  it('uses a given database, together with the other defaults', () => {
    expect(plan({ DATABASE_URL: 'postgresql://db.example/credence' })).toMatchObject({
      local: true,
      embeddedDatabase: false,
    })
  })

  it('names the port that the service will listen on in the base URLs', () => {
    expect(plan({ PORT: '8080', HOST: '0.0.0.0' })).toMatchObject({
      added: { ISSUER_BASE_URL: 'http://localhost:8080' },
      address: { host: '0.0.0.0', port: 8080 },
    })
  })

  it('chooses the port for PORT=0 itself, because the base URLs name the port', () => {
    expect(plan({ PORT: '0' })).toMatchObject({
      added: { PORT: '40001', ISSUER_BASE_URL: 'http://localhost:40001' },
      address: { port: 40_001 },
    })
  })

  it.each(['abc', '-1', '65536', '80.5'])('leaves it to the service to refuse PORT=%s', (PORT) => {
    expect(plan({ PORT })).toMatchObject({ added: localSettings, address: null })
  })
})

describe('npm start -- --public', () => {
  const open = (address: string, environment: Record<string, string> = {}) =>
    planStart(environment, 40_001, publicAddressOf(['--public', address]))

  it('is off by default', () => {
    expect(publicAddressOf(['--dev'])).toBeUndefined()
    expect(plan({}).open).toBeUndefined()
  })

  it('with a tunnel listens on loopback, and allows no plain http', () => {
    expect(open('https://demo.example')).toMatchObject({
      address: { host: '127.0.0.1', port: 3000 },
      open: { url: 'https://demo.example', host: '127.0.0.1', port: 3001 },
      added: {
        ISSUER_BASE_URL: 'https://demo.example',
        VERIFIER_BASE_URL: 'https://demo.example',
        PUBLIC_HOST: '127.0.0.1',
        PUBLIC_PORT: '3001',
        AUTH_DISABLED: 'true',
        ALLOW_INSECURE_HTTP: 'false',
        TRUST_PROXY: 'loopback',
      },
    })
    expect(open('https://demo.example', { PUBLIC_PORT: '4000' }).open).toMatchObject({ port: 4000 })
    expect(publicAddressOf(['--public=https://demo.example/'])).toEqual(
      publicAddressOf(['--public', 'https://demo.example']),
    )
  })

  it.each([
    ['http://192.168.1.20:3001', '0.0.0.0', 3001],
    ['http://10.0.0.4', '0.0.0.0', 80],
    ['http://laptop.local:8080', '0.0.0.0', 8080],
    ['http://[fd00::20]:3001', '::', 3001],
    ['http://127.0.0.1:3001', '127.0.0.1', 3001],
  ])('with an address of the local network listens on all addresses of the same kind: %s', (url, host, port) => {
    const { open: opened, address, added } = open(url)
    expect(opened).toMatchObject({ url, host, port })
    expect(address).toEqual({ host: '127.0.0.1', port: 3000 })
    expect(added).toMatchObject({ ISSUER_BASE_URL: url, ALLOW_INSECURE_HTTP: 'true', PUBLIC_HOST: host })
    expect(added.TRUST_PROXY).toBeUndefined()
  })

  it('with an identity provider does not disable authentication', () => {
    const { added, local } = open('https://demo.example', { OIDC_JWKS_URL: 'https://idp.example/jwks' })
    expect(local).toBe(false)
    expect(added).not.toHaveProperty('AUTH_DISABLED')
    expect(added).toMatchObject({ ISSUER_BASE_URL: 'https://demo.example', PUBLIC_PORT: '3001' })
  })

  it.each([
    'http://demo.example',
    'http://8.8.8.8:3001',
    'ftp://demo.example',
    'demo.example',
    'https://demo.example/path',
    'https://user@demo.example',
    'https://demo.example?a=b',
    '',
  ])('refuses an address that belongs neither to a tunnel nor to the local network: %s', (address) => {
    expect(() => open(address)).toThrow('--public needs the address by which others reach this machine')
  })

  it('without an address describes the needed address', () => {
    expect(() => publicAddressOf(['--public'])).toThrow('--public needs the address')
  })

  it.each([
    [{ NODE_ENV: 'production' }, 'not for production'],
    [{ ISSUER_BASE_URL: 'https://issuer.example' }, '--public chooses ISSUER_BASE_URL'],
    [{ VERIFIER_BASE_URL: 'https://verifier.example' }, '--public chooses VERIFIER_BASE_URL'],
    [{ PUBLIC_HOST: '0.0.0.0' }, '--public chooses PUBLIC_HOST'],
    [{ HOST: '0.0.0.0' }, 'the service itself stays on 127.0.0.1'],
    [{ PUBLIC_PORT: '3000' }, 'Port 3000 is that of the service itself'],
  ])('refuses settings that contradict it: %o', (environment, sentence) => {
    expect(() => open('https://demo.example', environment as Record<string, string>)).toThrow(sentence)
  })
})

describe('readEnvironment', () => {
  it('adds variables of .env to the environment, which takes precedence, even with an empty variable', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'credence-env-'))
    const file = join(directory, '.env')
    await writeFile(file, '# a comment\nPORT=8080\nHOST="0.0.0.0"\nOIDC_JWKS_URL=https://idp.example/jwks\n')
    expect(readEnvironment({ PORT: '9090', OIDC_JWKS_URL: '' }, file)).toEqual({
      PORT: '9090',
      HOST: '0.0.0.0',
      OIDC_JWKS_URL: '',
    })
    await rm(directory, { recursive: true })
  })

  it('is the environment if .env is a plain copy of .env.example', () => {
    const example = fileURLToPath(new URL('../../.env.example', import.meta.url))
    expect(readEnvironment({ PORT: '9090' }, example)).toEqual({ PORT: '9090' })
    expect(planStart(readEnvironment({}, example), 40_001)).toEqual(plan({}))
  })

  it('is the environment if there is no .env', () => {
    expect(readEnvironment({ PORT: '9090' }, '/nowhere/.env')).toEqual({ PORT: '9090' })
  })
})
