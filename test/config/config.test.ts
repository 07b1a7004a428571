import { describe, expect, it } from 'vitest'
import { readConfig } from '../../server/config/config.js'
import { VARIABLES } from '../../server/config/variables.js'
import { COMPLETE, KEY, line, refusalOf, refusalWith } from './environment.js'

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
