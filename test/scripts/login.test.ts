import { request } from 'node:http'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { assertMayLogin, roleNamesIn } from '../../scripts/start/login/option.js'
import { type BundledProvider, openProvider } from '../../scripts/start/login/provider.js'

const SERVICE = 'http://localhost:3000'

let provider: BundledProvider
beforeAll(async () => {
  provider = await openProvider(roleNamesIn({}))
  await provider.serve(SERVICE)
})
afterAll(() => provider.close())

const PARAMETERS = {
  client_id: 'credence',
  response_type: 'code',
  scope: 'openid profile',
  redirect_uri: `${SERVICE}/console/callback`,
  state: 'state',
  code_challenge: 'A'.repeat(43),
  code_challenge_method: 'S256',
}

/** Opens the provider's authorization endpoint. */
const authorize = (changed: Partial<typeof PARAMETERS> = {}) =>
  fetch(`${provider.issuer}/auth?${new URLSearchParams({ ...PARAMETERS, ...changed })}`, { redirect: 'manual' })

/** Sends a request with another Host header than its address. */
function askAs(host: string): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const sent = request(`${provider.issuer}/.well-known/openid-configuration`, { headers: { host } }, (response) => {
      text(response).then(() => resolve(response.statusCode), reject)
    })
    sent.on('error', reject).end()
  })
}

describe('the provider of npm start -- --login', () => {
  it('listens on loopback only', () => {
    expect(provider.issuer).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/)
  })

  it('has four people: an admin, an issuer, a verifier and a person without a role', () => {
    expect(provider.people.map(({ roles }) => roles)).toEqual([['admin'], ['issuer'], ['verifier'], []])
    expect(roleNamesIn({ ADMIN_ROLE: 'chief', ISSUER_ROLE: '' })).toEqual({
      admin: 'chief',
      issuer: 'issuer',
      verifier: 'verifier',
    })
  })

  it('attack: answers no name that leads to this machine by DNS rebinding', async () => {
    expect(await askAs(new URL(provider.issuer).host)).toBe(200)
    expect(await askAs('evil.example')).toBe(421)
    expect(await askAs(`evil.example:${new URL(provider.issuer).port}`)).toBe(421)
  })

  it('attack: sends no code to another address', async () => {
    expect((await authorize()).status).toBe(303)
    const refused = await authorize({ redirect_uri: 'http://evil.example/' })
    expect([refused.status, refused.headers.get('location')]).toEqual([400, null])
  })

  it('attack: signs nobody in who has not begun in the same browser', async () => {
    const { headers } = await authorize()
    const choice = new URL(headers.get('location') ?? '', provider.issuer)
    const body = new URLSearchParams({ person: 'ada' })
    const answer = await fetch(choice, { method: 'POST', body, redirect: 'manual' })
    expect([answer.status, await answer.text()]).toEqual([400, expect.stringContaining('began in another browser')])
  })

  it.each([
    ['names nobody known', 'person=mallory'],
    ['is empty', ''],
    ['is too long', `person=ada&x=${'x'.repeat(2000)}`],
  ])('asks again after a form that %s', async (_, body) => {
    const { headers } = await authorize()
    const cookie = headers
      .getSetCookie()
      .map((set) => set.split(';', 1)[0])
      .join('; ')
    const choice = new URL(headers.get('location') ?? '', provider.issuer)
    const answer = await fetch(choice, {
      method: 'POST',
      body,
      redirect: 'manual',
      headers: { cookie, 'content-type': 'application/x-www-form-urlencoded' },
    })
    expect([answer.status, await answer.text()]).toEqual([200, expect.stringContaining('Who are you?')])
  })
})

describe('the option --login', () => {
  it.each<[Readonly<Record<string, string>>, readonly string[], string]>([
    [{ NODE_ENV: 'production' }, [], 'not for production'],
    [{ OIDC_ISSUER: 'https://idp.example' }, [], 'leave OIDC_ISSUER out of the environment and .env'],
    [{ ISSUER_BASE_URL: 'http://localhost:3000' }, [], 'leave ISSUER_BASE_URL out of the environment and .env'],
    [{ AUTH_DISABLED: 'true' }, [], 'leave AUTH_DISABLED out of the environment and .env'],
    [{ HOST: '0.0.0.0' }, [], 'leave HOST out of the environment and .env'],
    [{}, ['--public', 'https://demo.example'], '--login and --public exclude each other'],
    [{}, ['--public=https://demo.example'], '--login and --public exclude each other'],
  ])('is refused with %o %o', (environment, args, sentence) => {
    expect(() => assertMayLogin(environment, ['--login', ...args])).toThrow(sentence)
  })

  it('accepts empty variables, and the loopback address', () => {
    expect(() => assertMayLogin({ OIDC_ISSUER: '', HOST: '127.0.0.1', PORT: '8080' }, ['--login'])).not.toThrow()
  })
})
