import { describe, expect, it } from 'vitest'
import { readConfig } from '../../server/config/config.js'
import { COMPLETE, line, refusalWith } from './environment.js'

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
