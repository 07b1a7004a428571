import { readFileSync, writeFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parse } from 'dotenv'
import { describe, expect, it } from 'vitest'
import { ConfigurationError, readConfig } from '../../server/config/config.js'
import { VARIABLES } from '../../server/config/variables.js'
import { startupWarnings } from '../../server/setup/startup-warnings.js'
import { TWO_READINGS } from '../support/two-readings.js'

const COMPLETE = {
  ISSUER_BASE_URL: 'https://issuer.example',
  VERIFIER_BASE_URL: 'https://verifier.example',
  DATABASE_URL: 'postgres://user:password@database.example/credence',
  OIDC_JWKS_URL: 'https://login.example/jwks',
}

const KEY = `${'A'.repeat(42)}E`

/** Returns the error text for the operator, or undefined if the configuration is accepted. */
function refusalOf(environment: NodeJS.ProcessEnv): string | undefined {
  try {
    readConfig(environment)
    return undefined
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigurationError)
    return (error as Error).message
  }
}

const refusalWith = (changes: NodeJS.ProcessEnv) => refusalOf({ ...COMPLETE, ...changes })
const line = (problem: string) => `Invalid environment variables:\n- ${problem}`

describe('mandatory variables', () => {
  it.each(['ISSUER_BASE_URL', 'VERIFIER_BASE_URL', 'DATABASE_URL'])('%s must be defined', (name) => {
    expect(refusalWith({ [name]: undefined })).toBe(line(`${name} must be defined.`))
    expect(refusalWith({ [name]: '' })).toBe(line(`${name} must be defined.`))
  })

  it('names every problem at once, with the missing OIDC configuration last on its own line', () => {
    expect(refusalOf({ PORT: 'x', AUTH_DISABLED: 'yes' })).toBe(
      [
        'Invalid environment variables:',
        '- ISSUER_BASE_URL must be defined.',
        '- VERIFIER_BASE_URL must be defined.',
        '- DATABASE_URL must be defined.',
        '- AUTH_DISABLED must be true or false.',
        '- PORT must be an integer from 0 to 65535.',
        'OIDC configuration missing. Set OIDC_JWKS_URL.',
      ].join('\n'),
    )
  })

  it('names only the missing OIDC configuration if there is no other problem', () => {
    expect(refusalWith({ OIDC_JWKS_URL: undefined })).toBe('OIDC configuration missing. Set OIDC_JWKS_URL.')
    expect(refusalWith({ OIDC_JWKS_URL: '', AUTH_DISABLED: 'false' })).toBe(
      'OIDC configuration missing. Set OIDC_JWKS_URL.',
    )
  })

  it('needs no OIDC_JWKS_URL if AUTH_DISABLED is true', () => {
    expect(readConfig({ ...COMPLETE, OIDC_JWKS_URL: '', AUTH_DISABLED: 'true' })).toMatchObject({
      authDisabled: true,
      oidc: { jwksUrl: undefined },
    })
  })

  it('has no other mandatory variable', () => {
    expect(refusalOf(COMPLETE)).toBeUndefined()
  })
})

describe('defaults', () => {
  it('are the defaults of the specification', () => {
    expect(readConfig(COMPLETE)).toMatchObject({
      production: false,
      issuerBaseUrl: 'https://issuer.example',
      verifierBaseUrl: 'https://verifier.example',
      oidc: { issuer: undefined, audience: undefined, algorithms: ['RS256'], didClaim: 'did', rolesClaim: undefined },
      signIn: undefined,
      adminRole: 'admin',
      issuerRole: undefined,
      verifierRole: undefined,
      clientSecrets: [],
      authDisabled: false,
      allowInsecureHttp: false,
      keyEncryptionKeys: [],
      wrapping: { current: undefined, previous: undefined },
      rateLimit: { max: 60, windowSeconds: 60 },
      redisUrl: undefined,
      trustProxy: undefined,
      host: '127.0.0.1',
      port: 3000,
      logLevel: 'info',
      webConcurrency: 1,
      shutdownDelaySeconds: 0,
      outboundAllowedHosts: [],
      corsOrigins: [],
      trustedIssuers: undefined,
      trustAnchors: [],
      verifierProfile: 'final',
      verifierResponseMode: 'direct_post.jwt',
      sessionResultTtlSeconds: 3600,
      sessionRetentionDays: 30,
      sdJwtIssuer: 'did',
    })
  })

  it('apply to empty values too', () => {
    const empty = Object.fromEntries(VARIABLES.map((name) => [name, '']))
    expect(readConfig({ ...empty, ...COMPLETE })).toEqual(readConfig(COMPLETE))
  })
})

describe.each(['ISSUER_BASE_URL', 'VERIFIER_BASE_URL'])('%s', (name) => {
  const https = `${name} must be an https URL unless ALLOW_INSECURE_HTTP is true.`
  it.each([
    ['http://issuer.example', https],
    ['HTTP://issuer.example', https],
    ['issuer.example', `${name} must be an https URL.`],
    ['ftp://issuer.example', `${name} must be an https URL.`],
    ['https://', `${name} must be an https URL.`],
    ['https://issuer.example?x=1', `${name} must have no query, fragment or user name.`],
    ['https://issuer.example/#', `${name} must have no query, fragment or user name.`],
    ['https://user@issuer.example', `${name} must have no query, fragment or user name.`],
  ])('refuses %s', (value, problem) => {
    expect(refusalWith({ [name]: value })).toBe(line(problem))
  })

  it('accepts plain http with ALLOW_INSECURE_HTTP', () => {
    expect(refusalWith({ [name]: 'http://127.0.0.1:3000', ALLOW_INSECURE_HTTP: 'true' })).toBeUndefined()
  })

  it.each([
    ['https://issuer.example/', 'https://issuer.example'],
    ['https://ISSUER.example/tenant/', 'https://issuer.example/tenant'],
    ['https://issuer.example:8443', 'https://issuer.example:8443'],
  ])('reads %s as %s', (value, read) => {
    const { issuerBaseUrl, verifierBaseUrl } = readConfig({ ...COMPLETE, [name]: value })
    expect(name === 'ISSUER_BASE_URL' ? issuerBaseUrl : verifierBaseUrl).toBe(read)
  })
})

const FLAG = 'must be true or false.'
const PROXIES =
  'must be true, false, a number of hops, or a list of addresses, networks, loopback, linklocal, uniquelocal.'
const ORIGINS = 'must list origins such as https://app.example.org, without a path.'
const HOSTS = 'must list hosts, each with or without a port.'

describe('an invalid value is named in one line', () => {
  it.each([
    ['DATABASE_URL', 'mysql://database.example/credence', 'must be a postgres:// URL.'],
    ['DATABASE_URL', 'credence', 'must be a postgres:// URL.'],
    ['OIDC_JWKS_URL', 'login.example/jwks', 'must be an http or https URL.'],
    ['OIDC_JWKS_URL', 'file:///jwks.json', 'must be an http or https URL.'],
    ['OIDC_ALGORITHMS', 'HS256', 'must list RS256, PS256, ES256, EdDSA.'],
    ['OIDC_ALGORITHMS', 'RS256,none', 'must list RS256, PS256, ES256, EdDSA.'],
    ['OIDC_ALGORITHMS', ',', 'must list RS256, PS256, ES256, EdDSA.'],
    ['OIDC_SCOPE', 'profile', 'must contain openid.'],
    ['AUTH_DISABLED', 'yes', FLAG],
    ['AUTH_DISABLED', 'TRUE', FLAG],
    ['ALLOW_INSECURE_HTTP', '1', FLAG],
    ['KEY_ENCRYPTION_KEY', 'secret', 'must be 32 bytes in base64url.'],
    ['KEY_ENCRYPTION_KEY', `${KEY}AAA`, 'must be 32 bytes in base64url.'],
    ['RATE_LIMIT_MAX', '-1', 'must be an integer from 0 to 1000000.'],
    ['RATE_LIMIT_MAX', '1.5', 'must be an integer from 0 to 1000000.'],
    ['RATE_LIMIT_WINDOW_SECONDS', '0', 'must be an integer from 1 to 86400.'],
    ['REDIS_URL', 'http://127.0.0.1:6379', 'must be a redis:// URL.'],
    ['EVENTS', 'kafka', 'must be postgres, redis or nats.'],
    ['NATS_URL', 'http://127.0.0.1:4222', 'must be a nats:// URL.'],
    ['DIRECT_DATABASE_URL', 'mysql://127.0.0.1/x', 'must be a postgres:// URL.'],
    ['DATABASE_REPLICA_URL', 'mysql://127.0.0.1/x', 'must be a postgres:// URL.'],
    ['TRUST_PROXY', 'yes', PROXIES],
    ['TRUST_PROXY', '10.0.0.0/33', PROXIES],
    ['TRUST_PROXY', 'loopback, proxy.example', PROXIES],
    ['PORT', '65536', 'must be an integer from 0 to 65535.'],
    ['PUBLIC_PORT', '65536', 'must be an integer from 0 to 65535.'],
    ['PUBLIC_PORT', '3000', 'must be another port than PORT.'],
    ['METRICS_PORT', '65536', 'must be an integer from 0 to 65535.'],
    ['METRICS_PORT', '3000', 'must be another port than PORT.'],
    ['PORT', '0x10', 'must be an integer from 0 to 65535.'],
    ['LOG_LEVEL', 'verbose', 'must be trace, debug, info, warn, error, fatal or silent.'],
    ['WEB_CONCURRENCY', '0', 'must be an integer from 1 to 64.'],
    ['WEB_CONCURRENCY', 'auto', 'must be an integer from 1 to 64.'],
    ['SHUTDOWN_DELAY_SECONDS', '301', 'must be an integer from 0 to 300.'],
    ['SHUTDOWN_DELAY_SECONDS', '-1', 'must be an integer from 0 to 300.'],
    ['CORS_ORIGINS', '*', ORIGINS],
    ['CORS_ORIGINS', 'https://app.example/', ORIGINS],
    ['CORS_ORIGINS', 'https://app.example https://App.example', ORIGINS],
    ['OUTBOUND_ALLOWED_HOSTS', 'https://issuer.internal', HOSTS],
    ['OUTBOUND_ALLOWED_HOSTS', 'issuer.internal/path', HOSTS],
    ['TRUSTED_ISSUERS', 'everybody', 'must list self, x5c, *, DIDs and https origins.'],
    ['TRUST_ANCHORS', '/nowhere/roots.pem', 'must name a readable PEM file of certificates.'],
    ['TRUST_LISTS', '/nowhere/lists.json', 'must name a JSON file of trusted lists: it cannot be read.'],
    ['PUBLISHED_TRUST_LISTS', '/nowhere/lists.json', 'must name a JSON file of lists to publish: it cannot be read.'],
    ['STATUS_TRUST_ANCHORS', '/nowhere/roots.pem', 'must name a readable PEM file of certificates.'],
    ['VERIFIER_TRUST_ANCHORS', '/nowhere/roots.pem', 'must name a readable PEM file of certificates.'],
    ['VERIFIER_REGISTRATIONS', '/nowhere/certificates', 'must name a readable file of registration certificates.'],
    ['REGISTRAR_TRUST_ANCHORS', '/nowhere/roots.pem', 'must name a readable PEM file of certificates.'],
    ['WALLET_TRUST_ANCHORS', '/nowhere/roots.pem', 'must name a readable PEM file of certificates.'],
    ['WALLET_CLIENTS', '/nowhere/wallets.json', 'must name a JSON file of wallets: it cannot be read.'],
    ['KEY_PROVIDERS', '/nowhere/providers.json', 'must name a JSON file of key providers: it cannot be read.'],
    ['ISSUER_KEY_PROVIDER', 'hsm', 'must be database or the name of a provider of KEY_PROVIDERS.'],
    ['VERIFIER_KEY_PROVIDER', 'hsm', 'must be database or the name of a provider of KEY_PROVIDERS.'],
    [
      'ISSUER_X509',
      '/nowhere/issuer.pem',
      'must name a readable PEM file of a private key, unencrypted, and its certificates.',
    ],
    ['ISSUER_REGISTRATIONS', '/nowhere/issuer.jwt', 'must name a readable file of registration certificates.'],
    [
      'ISSUER_REGISTRAR_DATASET',
      '/nowhere/set.json',
      'must name a JSON file with the data set of a registrar: it cannot be read.',
    ],
    ['ISSUER_REGISTRAR_DATASET', 'README.md', 'must name a JSON file with the data set of a registrar: it is no JSON.'],
    [
      'ISSUER_REGISTRAR_DATASET',
      'package.json',
      'must name a JSON file with the data set of a registrar: identifier must not be empty.',
    ],
    ['ISSUER_PROFILE', 'draft13', 'must be final or haip.'],
    ['ISSUER_LEGACY_PROFILES', 'draft13 draft14', 'must list draft15, draft13, draft11.'],
    ['ISSUER_LEGACY_PROFILES', 'final', 'must list draft15, draft13, draft11.'],
    ['CREDENTIAL_ENCRYPTION', 'on', 'must be off, offered or required.'],
    ['WALLET_REGISTRATION', 'always', 'must be optional or required.'],
    [
      'WALLET_PROVIDER_X509',
      '/nowhere/wallets.pem',
      'must name a readable PEM file of a private key, unencrypted, and its certificates.',
    ],
    [
      'VERIFIER_X509',
      '/nowhere/verifier.pem',
      'must name a readable PEM file of a private key, unencrypted, and its certificates.',
    ],
    [
      'VERIFIER_ATTESTATION',
      '/nowhere/verifier.jwt',
      'must name a file with one verifier attestation: it cannot be read.',
    ],
    [
      'VERIFIER_ATTESTATION_ISSUERS',
      '/nowhere/attesters.json',
      'must name a JWKS file of public keys, each with the issuer that it belongs to as iss.',
    ],
    ['VERIFIER_PROFILE', 'draft24', 'must be final or haip.'],
    ['VERIFIER_LEGACY_PROFILES', 'draft24,draft18', 'must list draft24, draft21.'],
    ['VERIFIER_LEGACY_PROFILES', 'final', 'must list draft24, draft21.'],
    ['VERIFIER_RESPONSE_MODE', 'fragment', 'must be direct_post or direct_post.jwt.'],
    ['SESSION_RESULT_TTL_SECONDS', '0', 'must be an integer from 1 to 31536000.'],
    ['SESSION_RETENTION_DAYS', 'forever', 'must be an integer from 1 to 36500.'],
    ['RETENTION_CLAIMS_DAYS', '0', 'must be an integer from 1 to 36500.'],
    ['RETENTION_AUDIT_DAYS', '29', 'must be an integer from 30 to 36500.'],
    ['SD_JWT_ISSUER', 'x509', 'must be did or url.'],
  ])('%s=%s', (name, value, problem) => {
    expect(refusalWith({ [name]: value })).toBe(line(`${name} ${problem}`))
  })

  it('WALLET_CLIENTS with one wallet twice, because one of its lists of addresses would be lost', async () => {
    const file = join(await mkdtemp(join(tmpdir(), 'wallets-')), 'wallets.json')
    const wallet = (uri: string) => ({ client_id: 'wallet', redirect_uris: [uri] })
    writeFileSync(file, JSON.stringify([wallet('https://one.example/cb'), wallet('https://other.example/cb')]))
    expect(refusalWith({ WALLET_CLIENTS: file })).toBe(
      line('WALLET_CLIENTS must name a JSON file of wallets: each client_id must stand there once.'),
    )
  })

  it.each(TWO_READINGS)('WALLET_CLIENTS with the address %j, which two programs may read differently', async (uri) => {
    const file = join(await mkdtemp(join(tmpdir(), 'wallets-')), 'wallets.json')
    writeFileSync(file, JSON.stringify([{ client_id: 'wallet', redirect_uris: [uri] }]))
    expect(refusalWith({ WALLET_CLIENTS: file })).toContain('WALLET_CLIENTS must name a JSON file of wallets: ')
  })

  it('ISSUER_LEGACY_PROFILES with ISSUER_PROFILE haip, which has no drafts', () => {
    expect(refusalWith({ ISSUER_PROFILE: 'haip', ISSUER_LEGACY_PROFILES: 'draft13' })).toContain(
      '- ISSUER_LEGACY_PROFILES must not be set where ISSUER_PROFILE is haip.',
    )
  })

  it('VERIFIER_LEGACY_PROFILES with VERIFIER_PROFILE haip, which has no drafts', () => {
    expect(refusalWith({ VERIFIER_PROFILE: 'haip', VERIFIER_LEGACY_PROFILES: 'draft24' })).toContain(
      '- VERIFIER_LEGACY_PROFILES must not be set where VERIFIER_PROFILE is haip.',
    )
  })

  it('VERIFIER_PROFILE haip without a certificate and roots of issuers', () => {
    expect(refusalWith({ VERIFIER_PROFILE: 'haip' })).toBe(
      [
        line('VERIFIER_X509 must be defined where VERIFIER_PROFILE is haip.'),
        '- TRUST_ANCHORS or TRUST_LISTS must be defined where VERIFIER_PROFILE is haip.',
      ].join('\n'),
    )
  })

  it.each<[Record<string, string>, string]>([
    [
      { KEY_ENCRYPTION_KEY: KEY, KEY_ENCRYPTION_PROVIDER: 'hsm:wrapping' },
      'KEY_ENCRYPTION_KEY and KEY_ENCRYPTION_PROVIDER must not both be set. The former key is KEY_ENCRYPTION_KEY_PREVIOUS.',
    ],
    [
      { KEY_ENCRYPTION_PROVIDER_PREVIOUS: 'hsm:wrapping' },
      'KEY_ENCRYPTION_KEY or KEY_ENCRYPTION_PROVIDER must be defined where KEY_ENCRYPTION_PROVIDER_PREVIOUS is.',
    ],
    [
      { KEY_ENCRYPTION_PROVIDER: 'hsm:wrapping', KEY_ENCRYPTION_PROVIDER_PREVIOUS: 'hsm:wrapping' },
      'KEY_ENCRYPTION_PROVIDER_PREVIOUS must name another key than KEY_ENCRYPTION_PROVIDER.',
    ],
    [
      { KEY_ENCRYPTION_PROVIDER: 'hsm:wrapping' },
      'KEY_ENCRYPTION_PROVIDER must begin with the name of a provider of KEY_PROVIDERS.',
    ],
    ...['hsm', 'hsm:', ':wrapping', 'HSM:wrapping', 'hsm: wrapping', `hsm:${'k'.repeat(501)}`].map(
      (value): [Record<string, string>, string] => [
        { KEY_ENCRYPTION_PROVIDER: value },
        'KEY_ENCRYPTION_PROVIDER must be PROVIDER:KEY, with the name of a provider of KEY_PROVIDERS and the name of a key there.',
      ],
    ),
  ])('a wrapping key with %j', (env, problem) => {
    expect(refusalWith(env)).toContain(problem)
  })

  it('KEY_ENCRYPTION_KEY_PREVIOUS without KEY_ENCRYPTION_KEY', () => {
    expect(refusalWith({ KEY_ENCRYPTION_KEY_PREVIOUS: KEY })).toBe(
      line('KEY_ENCRYPTION_KEY or KEY_ENCRYPTION_PROVIDER must be defined where KEY_ENCRYPTION_KEY_PREVIOUS is.'),
    )
  })

  it('STATUS_LIST_EXPIRY_SECONDS less than STATUS_LIST_TTL_SECONDS, also if one of them has its default', () => {
    for (const env of [
      { STATUS_LIST_TTL_SECONDS: '3601', STATUS_LIST_EXPIRY_SECONDS: '3600' },
      { STATUS_LIST_TTL_SECONDS: '86401' },
    ]) {
      expect(refusalWith(env)).toBe(line('STATUS_LIST_EXPIRY_SECONDS must not be less than STATUS_LIST_TTL_SECONDS.'))
    }
    expect(refusalWith({ STATUS_LIST_TTL_SECONDS: '0' })).toBe(
      line('STATUS_LIST_TTL_SECONDS must be an integer from 1 to 31536000.'),
    )
  })

  it('TRUSTED_ISSUERS with x5c but without TRUST_ANCHORS', () => {
    for (const listed of ['x5c', 'self,x5c', 'x5c did:web:issuer.example']) {
      expect(refusalWith({ TRUSTED_ISSUERS: listed })).toBe(
        line('TRUST_ANCHORS or TRUST_LISTS must be defined where TRUSTED_ISSUERS lists x5c.'),
      )
    }
  })

  it('a file without certificates as TRUST_ANCHORS', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'credence-'))
    const path = join(directory, 'roots.pem')
    writeFileSync(path, 'no certificate')
    expect(refusalWith({ TRUST_ANCHORS: path })).toBe(
      line('TRUST_ANCHORS must name a readable PEM file of certificates.'),
    )
    await rm(directory, { recursive: true })
  })
})

describe('values that are read', () => {
  it('only NODE_ENV=production is production', () => {
    expect(readConfig({ ...COMPLETE, NODE_ENV: 'production' }).production).toBe(true)
    expect(readConfig({ ...COMPLETE, NODE_ENV: 'staging' }).production).toBe(false)
  })

  it('both client secrets, the current one first', () => {
    const secrets = { CLIENT_SECRET: 'new', CLIENT_SECRET_PREVIOUS: 'old' }
    expect(readConfig({ ...COMPLETE, ...secrets }).clientSecrets).toEqual(['new', 'old'])
  })

  it('key-encryption keys as 32 bytes, the current one first', () => {
    const keys = readConfig({ ...COMPLETE, KEY_ENCRYPTION_KEY: KEY, KEY_ENCRYPTION_KEY_PREVIOUS: `${KEY}=` })
    expect(keys.keyEncryptionKeys.map(({ length }) => length)).toEqual([32, 32])
  })

  it.each([
    ['true', true],
    ['false', false],
    ['2', 2],
    ['loopback, 10.0.0.0/8', ['loopback', '10.0.0.0/8']],
    ['::1', ['::1']],
  ])('TRUST_PROXY=%s', (value, read) => {
    expect(readConfig({ ...COMPLETE, TRUST_PROXY: value }).trustProxy).toEqual(read)
  })

  it('lists, separated by commas or spaces', () => {
    const config = readConfig({
      ...COMPLETE,
      CORS_ORIGINS: 'https://a.example, http://localhost:5173',
      OUTBOUND_ALLOWED_HOSTS: 'issuer.internal  10.0.0.5:8443,[::1]:9000 ::1',
      TRUSTED_ISSUERS: 'self,did:web:issuer.example https://issuer.example',
      OIDC_ALGORITHMS: 'ES256, RS256',
    })
    expect(config.oidc.algorithms).toEqual(['RS256', 'ES256'])
    expect(config.corsOrigins).toEqual(['https://a.example', 'http://localhost:5173'])
    expect(config.outboundAllowedHosts).toEqual(['issuer.internal', '10.0.0.5:8443', '[::1]:9000', '::1'])
    expect(config.trustedIssuers).toEqual(['self', 'did:web:issuer.example', 'https://issuer.example'])
  })
})

describe('sign-in at the identity provider', () => {
  const CLIENT = { OIDC_ISSUER: 'https://login.example/realm', OIDC_CLIENT_ID: 'credence' }

  it('needs an issuer and a client; without a secret the client is public', () => {
    const signIn = { issuer: 'https://login.example/realm', clientId: 'credence', scope: 'openid profile' }
    expect(readConfig({ ...COMPLETE, ...CLIENT }).signIn).toEqual({ ...signIn, clientSecret: undefined })
    const more = { OIDC_CLIENT_SECRET: 'secret', OIDC_SCOPE: 'openid email' }
    expect(readConfig({ ...COMPLETE, ...CLIENT, ...more }).signIn).toEqual({
      ...signIn,
      clientSecret: 'secret',
      scope: 'openid email',
    })
  })

  it('is refused if one of the two is missing, or if the service cannot call the issuer', () => {
    expect(refusalWith({ OIDC_CLIENT_ID: 'credence' })).toBe(
      line('OIDC_ISSUER must be defined where OIDC_CLIENT_ID is.'),
    )
    expect(refusalWith({ OIDC_CLIENT_SECRET: 'secret' })).toBe(
      line('OIDC_CLIENT_ID must be defined where OIDC_CLIENT_SECRET is.'),
    )
    for (const issuer of ['credence', 'http://login.example']) {
      expect(refusalWith({ ...CLIENT, OIDC_ISSUER: issuer })).toBe(
        line('OIDC_ISSUER must be an https URL where OIDC_CLIENT_ID is defined.'),
      )
    }
    expect(refusalWith({ ...CLIENT, OIDC_ISSUER: 'http://login.example', ALLOW_INSECURE_HTTP: 'true' })).toBeUndefined()
  })
})

describe('the console', () => {
  const CLIENT = { OIDC_ISSUER: 'https://login.example', OIDC_CLIENT_ID: 'credence' }
  const LOCAL = { ...CLIENT, ALLOW_INSECURE_HTTP: 'true', VERIFIER_BASE_URL: 'http://localhost:3000' }
  const consoleWith = (changes: NodeJS.ProcessEnv) => readConfig({ ...COMPLETE, ...changes }).console

  it('is open if users can sign in, and to everyone if AUTH_DISABLED is set', () => {
    expect(consoleWith({})).toBeUndefined()
    expect(consoleWith(CLIENT)).toEqual({ mode: 'login', rateLimitMax: 600 })
    expect(consoleWith({ ...CLIENT, CONSOLE: 'on' })).toEqual({ mode: 'login', rateLimitMax: 600 })
    expect(consoleWith({ AUTH_DISABLED: 'true', CONSOLE_RATE_LIMIT_MAX: '5' })).toEqual({
      mode: 'open',
      rateLimitMax: 5,
    })
  })

  it('is closed by CONSOLE=off', () => {
    expect(consoleWith({ ...CLIENT, CONSOLE: 'off' })).toBeUndefined()
    expect(consoleWith({ AUTH_DISABLED: 'true', CONSOLE: 'off' })).toBeUndefined()
  })

  it('allows no login over plain http, except on a loopback address', () => {
    for (const name of ['localhost:3000', '127.0.0.1:3000', '[::1]:3000']) {
      expect(consoleWith({ ...LOCAL, ISSUER_BASE_URL: `http://${name}` })?.mode).toBe('login')
    }
    for (const name of ['issuer.example', '192.168.0.2:3000', '0.0.0.0:3000', 'localhost.example']) {
      expect(consoleWith({ ...LOCAL, ISSUER_BASE_URL: `http://${name}` })).toBeUndefined()
      expect(refusalWith({ ...LOCAL, ISSUER_BASE_URL: `http://${name}`, CONSOLE: 'on' })).toBe(
        line('CONSOLE must not be on where ISSUER_BASE_URL is plain http and no loopback address.'),
      )
    }
  })

  it('cannot be required if users cannot sign in', () => {
    expect(refusalWith({ CONSOLE: 'on' })).toBe(
      line('CONSOLE must not be on where nobody can log in: set OIDC_ISSUER and OIDC_CLIENT_ID.'),
    )
    expect(refusalWith({ CONSOLE: 'yes' })).toBe(line('CONSOLE must be on or off.'))
  })
})

describe('warnings at start', () => {
  const warningsWith = (changes: NodeJS.ProcessEnv) => startupWarnings(readConfig({ ...COMPLETE, ...changes }))
  const SAFE = {
    KEY_ENCRYPTION_KEY: KEY,
    CLIENT_SECRET: 'secret',
    OIDC_ISSUER: 'https://login.example',
    OIDC_CLIENT_ID: 'credence',
  }

  it('are empty if no setting is insecure', () => {
    expect(warningsWith(SAFE)).toEqual([])
  })

  it.each([
    [{ AUTH_DISABLED: 'true' }, 'AUTH_DISABLED is true: every caller is an admin. For local development only.'],
    [
      { ALLOW_INSECURE_HTTP: 'true' },
      'ALLOW_INSECURE_HTTP is true: plain HTTP is accepted. For local development only.',
    ],
    [
      { KEY_ENCRYPTION_KEY: '' },
      'KEY_ENCRYPTION_KEY is not set: PRIVATE KEYS ARE STORED IN THE CLEAR. Set it to 32 random bytes in base64url.',
    ],
    [
      { TRUST_PROXY: 'true' },
      'TRUST_PROXY is true: clients can pretend to have any address. Name the proxies, or the number of hops.',
    ],
    [{ CLIENT_SECRET: '' }, 'CLIENT_SECRET is not set: routes that need x-client-secret answer 401.'],
    [
      { OIDC_CLIENT_ID: '' },
      'OIDC_CLIENT_ID is not set: no user can sign in. Any holder of an offer with an authorization code may take it. Offers for one user cannot be made.',
    ],
  ])('name %o', (changes, warning) => {
    expect(warningsWith({ ...SAFE, ...changes })).toEqual([warning])
  })

  it('in production name OIDC_ISSUER and OIDC_AUDIENCE if they are not set, each separately', () => {
    const production = { ...SAFE, NODE_ENV: 'production', AUTH_DISABLED: 'false', OIDC_ISSUER: '', OIDC_CLIENT_ID: '' }
    const warningsWith = (changes: NodeJS.ProcessEnv) =>
      startupWarnings(readConfig({ ...COMPLETE, ...changes })).filter(
        (warning) => !warning.startsWith('OIDC_CLIENT_ID'),
      )
    const issuer =
      'OIDC_ISSUER is not set: access tokens of every issuer that signs with the keys of OIDC_JWKS_URL are accepted.'
    const audience = 'OIDC_AUDIENCE is not set: access tokens that were made for other services are accepted.'
    const set = { OIDC_ISSUER: 'https://login.example', OIDC_AUDIENCE: 'credence' }
    expect(warningsWith(production)).toEqual([issuer, audience])
    expect(warningsWith({ ...production, ...set, OIDC_ISSUER: '' })).toEqual([issuer])
    expect(warningsWith({ ...production, ...set, OIDC_AUDIENCE: '' })).toEqual([audience])
    expect(warningsWith({ ...production, ...set })).toEqual([])
  })

  it('name the documents at the host root that a proxy must forward if the issuer has a path', () => {
    const [warning] = warningsWith({ ...SAFE, ISSUER_BASE_URL: 'https://issuer.example/tenant' })
    expect(warning).toContain('ISSUER_BASE_URL has the path /tenant: the proxy must strip it')
    expect(warning).toContain('https://issuer.example/.well-known/openid-credential-issuer/tenant')
    expect(warning).toContain('https://issuer.example/.well-known/did-configuration')
  })
})

describe('.env.example', () => {
  const text = readFileSync(new URL('../../.env.example', import.meta.url), 'utf8')
  const entries = text.split('\n').filter((entry) => /^(# )?[A-Z0-9_]+=/.test(entry))

  it('lists every variable once, and no unknown variable', () => {
    const names = entries.map((entry) => entry.replace(/^# /, '').split('=', 1)[0])
    expect(names.toSorted()).toEqual([...VARIABLES].toSorted())
  })

  it('explains each: its block begins with a sentence', () => {
    const blocks = text.split(/\n\s*\n/).filter((block) => /^(# )?[A-Z0-9_]+=/m.test(block))
    expect(blocks.filter((block) => !/^# [A-Za-z0-9].*\s.*\s/.test(block))).toEqual([])
  })

  it('sets nothing in its original form, so that npm start works with a plain copy', () => {
    expect(parse(text)).toEqual({})
  })

  it('is accepted without its comment signs, and states the true defaults', () => {
    const commented = entries.map((entry) => entry.replace(/^# /, '')).join('\n')
    const config = readConfig(COMPLETE)
    const { trustAnchors: _, ...shown } = readConfig({
      ...parse(commented),
      TRUST_ANCHORS: '',
      TRUST_LISTS: '',
      PUBLISHED_TRUST_LISTS: '',
      STATUS_TRUST_ANCHORS: '',
      VERIFIER_TRUST_ANCHORS: '',
      REGISTRAR_TRUST_ANCHORS: '',
      WALLET_TRUST_ANCHORS: '',
      WALLET_CLIENTS: '',
      WALLET_LINKS: '',
      KEY_PROVIDERS: '',
      ISSUER_X509: '',
      ISSUER_REGISTRATIONS: '',
      ISSUER_REGISTRAR_DATASET: '',
      VERIFIER_X509: '',
      VERIFIER_ATTESTATION: '',
      VERIFIER_REGISTRATIONS: '',
      VERIFIER_ATTESTATION_ISSUERS: '',
      WALLET_PROVIDER_X509: '',
    })
    expect(shown).toMatchObject({
      host: config.host,
      port: config.port,
      rateLimit: config.rateLimit,
      logLevel: config.logLevel,
      issuerProfile: config.issuerProfile,
      webConcurrency: config.webConcurrency,
      shutdownDelaySeconds: config.shutdownDelaySeconds,
      authDisabled: config.authDisabled,
      allowInsecureHttp: config.allowInsecureHttp,
      sdJwtIssuer: config.sdJwtIssuer,
      // Without the variable, this is the value in the default profile.
      trustedIssuers: ['self'],
      verifierProfile: config.verifierProfile,
      verifierResponseMode: config.verifierResponseMode,
      sessionResultTtlSeconds: config.sessionResultTtlSeconds,
      sessionRetentionDays: config.sessionRetentionDays,
      production: config.production,
    })
  })
})

describe('session events', () => {
  const POOLED = 'postgres://127.0.0.1:6432/credence?pgbouncer=true'
  const DIRECT = 'postgres://127.0.0.1:5432/credence'

  it.each([
    [{ EVENTS: 'redis' }, 'REDIS_URL must be defined where EVENTS is redis.'],
    [{ EVENTS: 'redis', NATS_URL: 'nats://127.0.0.1' }, 'REDIS_URL must be defined where EVENTS is redis.'],
    [{ EVENTS: 'nats', REDIS_URL: 'redis://127.0.0.1' }, 'NATS_URL must be defined where EVENTS is nats.'],
    [{ DATABASE_URL: POOLED }, 'DIRECT_DATABASE_URL must be defined where DATABASE_URL has pgbouncer=true.'],
    [{ DATABASE_URL: POOLED, DIRECT_DATABASE_URL: POOLED }, 'DIRECT_DATABASE_URL must not have pgbouncer=true.'],
  ])('cannot be announced without an address: %s', (changes, problem) => {
    expect(refusalWith(changes)).toBe(line(problem))
  })

  it('are announced over PostgreSQL by default, past a pooler if there is one', () => {
    const { databaseUrl, directDatabaseUrl, events } = readConfig({ ...COMPLETE, REDIS_URL: 'redis://127.0.0.1' })
    expect([directDatabaseUrl, events]).toEqual([databaseUrl, { transport: 'postgres' }])
    const pooled = readConfig({ ...COMPLETE, DATABASE_URL: POOLED, DIRECT_DATABASE_URL: DIRECT })
    expect([pooled.databaseUrl, pooled.directDatabaseUrl]).toEqual([POOLED, DIRECT])
    const by = (EVENTS: string) =>
      readConfig({ ...COMPLETE, EVENTS, REDIS_URL: 'redis://127.0.0.1', NATS_URL: 'nats://127.0.0.1' }).events
    expect(by('redis')).toEqual({ transport: 'redis', url: 'redis://127.0.0.1' })
    expect(by('nats')).toEqual({ transport: 'nats', url: 'nats://127.0.0.1' })
  })
})
