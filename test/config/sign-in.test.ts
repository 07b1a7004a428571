import { describe, expect, it } from 'vitest'
import { readConfig } from '../../server/config/config.js'
import { COMPLETE, line, refusalWith } from './environment.js'

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
