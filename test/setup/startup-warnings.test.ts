import { describe, expect, it } from 'vitest'
import { readConfig } from '../../server/config/config.js'
import { startupWarnings } from '../../server/setup/startup-warnings.js'
import { COMPLETE, KEY } from '../config/environment.js'

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
