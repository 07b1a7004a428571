import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readConfig } from '../../server/config/config.js'
import { settingsOf as shownSettings } from '../../server/config/shown.js'
import { VARIABLES } from '../../server/config/variables.js'
import { CLIENT_SECRET, startService, type TestService } from '../support/service.js'

const PATH = '/api/v1/settings'

interface Setting {
  readonly variable: string
  readonly state: string
  readonly value: string | null
}

let service: TestService

beforeAll(async () => {
  service = await startService()
})
afterAll(() => service.close())

async function settingsOf(of: TestService): Promise<{ all: Record<string, Setting>; text: string }> {
  const { status, json, text } = await of.request('GET', PATH, { client: true })
  expect(status, text).toBe(200)
  const list: Setting[] = json.settings
  return { all: Object.fromEntries(list.map((each) => [each.variable, each])), text }
}

describe('GET /api/v1/settings', () => {
  it('names every variable once, and no unknown variable', async () => {
    const { json } = await service.request('GET', PATH, { client: true })
    const names: string[] = json.settings.map(({ variable }: Setting) => variable)
    expect(names.toSorted()).toEqual([...VARIABLES].toSorted())
    expect(json.formats).toContain('dc+sd-jwt')
    expect(json.algorithms).toContain('ES256')
  })

  it('distinguishes set values, defaults and missing values', async () => {
    await using other = await startService({
      databaseUrl: service.databaseUrl,
      identityProvider: service.identityProvider,
      maintenance: false,
      env: { RATE_LIMIT_MAX: '77', TRUSTED_ISSUERS: 'self, https://issuer.example', ISSUER_ROLE: '' },
    })
    const { all } = await settingsOf(other)
    expect(all.RATE_LIMIT_MAX).toMatchObject({ state: 'set', value: '77' })
    expect(all.TRUSTED_ISSUERS).toMatchObject({ state: 'set', value: 'self, https://issuer.example' })
    expect(all.SESSION_RETENTION_DAYS).toMatchObject({ state: 'default', value: '30' })
    expect(all.AUTH_DISABLED).toMatchObject({ state: 'default', value: 'false' })
    expect(all.OIDC_ALGORITHMS).toMatchObject({ state: 'default', value: 'RS256' })
    expect(all.ISSUER_ROLE).toMatchObject({ state: 'unset', value: null })
    expect(all.CLIENT_SECRET).toMatchObject({ state: 'set', value: null })
    expect(all.KEY_ENCRYPTION_KEY).toMatchObject({ state: 'unset', value: null })
  })

  it('attack: contains no secret, and no user, password or query of an address', () => {
    const marker = 'shown-by-mistake'
    const address = (scheme: string) => `${scheme}://${marker}:${marker}@host.example/path?password=${marker}#${marker}`
    const key = `${Buffer.from(marker).toString('base64url').padEnd(42, 'A')}E`
    const { settings } = readConfig({
      ISSUER_BASE_URL: 'https://issuer.example/tenant',
      VERIFIER_BASE_URL: 'https://verifier.example',
      DATABASE_URL: address('postgres'),
      DIRECT_DATABASE_URL: address('postgresql'),
      DATABASE_REPLICA_URL: address('postgres'),
      OIDC_JWKS_URL: address('https'),
      OIDC_ISSUER: address('https'),
      OIDC_CLIENT_ID: 'credence',
      OIDC_CLIENT_SECRET: marker,
      CLIENT_SECRET: marker,
      CLIENT_SECRET_PREVIOUS: marker,
      KEY_ENCRYPTION_KEY: key,
      KEY_ENCRYPTION_KEY_PREVIOUS: key,
      REDIS_URL: address('rediss'),
      NATS_URL: address('tls'),
    })
    const text = JSON.stringify(settings)
    expect(text).not.toContain(marker)
    expect(text).not.toContain(key)
    const shown = Object.fromEntries(settings.map(({ variable, value }) => [variable, value]))
    expect(shown.DATABASE_URL).toBe('postgres://host.example/path')
    expect(shown.REDIS_URL).toBe('rediss://host.example/path')
    expect(shown.ISSUER_BASE_URL).toBe('https://issuer.example/tenant')
  })

  const LEAST = {
    ISSUER_BASE_URL: 'https://issuer.example',
    VERIFIER_BASE_URL: 'https://verifier.example',
    DATABASE_URL: 'postgres://host.example/credence',
    AUTH_DISABLED: 'true',
  }

  /** The displayed value of a variable; undefined if the service does not start with the value. */
  function shownOf(variable: string, value: string): string | null | undefined {
    try {
      const { settings } = readConfig({ ...LEAST, [variable]: value })
      return settings.find((setting) => setting.variable === variable)?.value
    } catch (thrown) {
      // The error that the operator sees does not contain the secret either.
      expect(String(thrown)).not.toContain('pass')
      return undefined
    }
  }

  /**
   * Variables that are neither an address nor a secret. Their values are free texts of the operator, such as names of
   * roles or hosts.
   */
  const FREE_TEXT = new Set([
    'NODE_ENV',
    'HOST',
    'PUBLIC_HOST',
    'METRICS_HOST',
    'OIDC_AUDIENCE',
    'OIDC_DID_CLAIM',
    'OIDC_ROLES_CLAIM',
    'ADMIN_ROLE',
    'OIDC_CLIENT_ID',
    'ISSUER_ROLE',
    'VERIFIER_ROLE',
    // Public pages show the contact.
    'SERVICE_CONTACT',
  ])

  it.each([...VARIABLES])('attack: %s shows no password, in any form of address', (variable) => {
    if (FREE_TEXT.has(variable)) return
    const schemes = ['postgres', 'postgresql', 'redis', 'rediss', 'nats', 'tls', 'http', 'https', 'mysql']
    const taken = schemes.flatMap((scheme) => [
      `${scheme}://user:pass@host.example/path`,
      `${scheme}://pass@host.example`,
      `${scheme}://host.example/?password=pass`,
      `${scheme}://host.example/#pass`,
      // The values contain a second address, or passwords with unencoded reserved characters.
      `${scheme}://a:pass@one.example,${scheme}://b:pass@two.example`,
      `${scheme}://a:b@one.example:1,c:pass@two.example:2`,
      `${scheme}://user:12/pass@host.example`,
      `${scheme}://user:12?pass@host.example`,
      `${scheme}://user:12#pass@host.example`,
      `${scheme}:user:pass@host.example`,
      `${scheme}:/user:pass@host.example`,
      `${scheme}:///user:pass@host.example`,
      `${scheme}:\\\\user:pass@host.example`,
    ])
    for (const value of ['user:pass@host.example', ...taken]) {
      // The path is not a file, or the list does not allow the entry, so the service does not start.
      expect(shownOf(variable, value) ?? '', value).not.toContain('pass')
    }
  })

  it('attack: a variable whose name says that it is secret shows no value', () => {
    const secret = VARIABLES.filter((name) => /SECRET|PASSWORD|TOKEN(?!_DAYS)|_KEY(_(?!PROVIDER$)|$)/.test(name))
    expect(secret.toSorted()).toEqual([
      'CLIENT_SECRET',
      'CLIENT_SECRET_PREVIOUS',
      'KEY_ENCRYPTION_KEY',
      'KEY_ENCRYPTION_KEY_PREVIOUS',
      'OIDC_CLIENT_SECRET',
    ])
    const key = Buffer.alloc(32, 7).toString('base64url')
    for (const name of secret) {
      const more = { KEY_ENCRYPTION_KEY: key, OIDC_CLIENT_ID: 'credence', OIDC_ISSUER: 'https://login.example' }
      const { settings } = readConfig({ ...LEAST, ...more, [name]: key })
      expect(settings.find(({ variable }) => variable === name)).toMatchObject({ state: 'set', value: null })
    }
  })

  it('attack: an identity provider that is not an address is not shown, because its content is unknown', () => {
    const { settings } = readConfig({
      ISSUER_BASE_URL: 'https://issuer.example',
      VERIFIER_BASE_URL: 'https://verifier.example',
      DATABASE_URL: 'postgres://host.example/credence',
      AUTH_DISABLED: 'true',
      OIDC_ISSUER: 'user:password@host',
    })
    expect(settings.find(({ variable }) => variable === 'OIDC_ISSUER')).toMatchObject({ state: 'set', value: null })
  })

  it.each(['user:password', 'user password@host', 'nats:///password', '//user:password@host', 'pass'])(
    'attack: %j instead of an address is not shown, even if the configuration accepted it',
    (value) => {
      for (const variable of ['DATABASE_URL', 'NATS_URL', 'OIDC_ISSUER'] as const) {
        const shown = shownSettings({ [variable]: value }, () => undefined).find((each) => each.variable === variable)
        expect(shown).toMatchObject({ state: 'set', value: null })
      }
    },
  )

  it('attack: a secret that is not set shows no value, not even a possible future default', () => {
    const shown = shownSettings({}, () => 'by default')
    const values = (secret: boolean) => shown.filter(({ group }) => (group === 'secrets') === secret)
    for (const each of values(true)) expect(each).toMatchObject({ state: 'unset', value: null })
    for (const each of values(false)) expect(each).toMatchObject({ state: 'default', value: 'by default' })
  })

  it('shows an address in the form of the operator, without the path of a whole host', () => {
    const shown = shownSettings({ ISSUER_BASE_URL: 'https://issuer.example/' }, () => undefined)
    expect(shown.find(({ variable }) => variable === 'ISSUER_BASE_URL')?.value).toBe('https://issuer.example')
  })

  it('attack: files are named, but their contents are not shown', async () => {
    const { text } = await settingsOf(service)
    expect(text).not.toContain('-----BEGIN')
    expect(text).not.toContain(CLIENT_SECRET)
    expect(text).not.toContain(new URL(service.databaseUrl).password || 'no password')
  })

  it('is only for the client secret and admins; ISSUER_ROLE or VERIFIER_ROLE is not enough', async () => {
    await using strict = await startService({
      databaseUrl: service.databaseUrl,
      identityProvider: service.identityProvider,
      maintenance: false,
      env: { ISSUER_ROLE: 'issuer', VERIFIER_ROLE: 'verifier' },
    })
    const halves = await strict.bearer('bob', { roles: ['issuer', 'verifier'] })
    expect((await strict.request('GET', PATH, { authorization: halves })).status).toBe(403)
    expect((await strict.request('GET', PATH)).status).toBe(401)
    const admin = await strict.bearer('root', { roles: ['admin'] })
    expect((await strict.request('GET', PATH, { authorization: admin })).status).toBe(200)
  })
})
