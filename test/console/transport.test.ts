import { request } from 'node:http'
import { describe, expect, it } from 'vitest'
import { readEvents } from '../issuer/openid4vci/event-reader.js'
import { dcql } from '../verifier/actors.js'
import { ask, Browser, logIn, OF_CONSOLE, sessionRows, startConsole } from './actors.js'

const PUBLIC = 'https://console.example'

describe('over https', () => {
  it('the session is accepted only in a Secure cookie with the prefix __Host- (RFC 6265bis §4.1.3.2)', async () => {
    await using open = await startConsole({
      env: { ISSUER_BASE_URL: PUBLIC, VERIFIER_BASE_URL: PUBLIC, TRUST_PROXY: 'loopback' },
      maintenance: false,
    })
    const { service, provider } = open
    await provider.register(PUBLIC)
    // This is the request as the proxy in front of the service forwards it.
    const inside = (address: string) => address.replace(PUBLIC, service.url)
    const browser = new Browser()
    const callback = await browser.followTo(`${service.url}/console/login`, `${PUBLIC}/console/callback`)
    const answer = await browser.open(inside(callback))
    expect([answer.status, answer.headers.get('location')]).toEqual([303, `${PUBLIC}/console/`])
    const [login, session] = browser.setCookies.filter((cookie) => cookie.includes('console'))
    expect(login).toMatch(/^__Host-console-login=[\w-]+; Path=\/; Max-Age=600; HttpOnly; SameSite=Lax; Secure$/)
    expect(session).toMatch(/^__Host-console=[\w-]{43}\.[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax; Secure$/)

    const value = browser.jar(service.url).get('__Host-console') ?? ''
    const status = async (headers: Record<string, string>) =>
      (await service.request('GET', '/api/v1/verifier/vp-queries', { headers: { 'x-console': '1', ...headers } }))
        .status
    const cookie = `__Host-console=${value}`
    expect(await status({ cookie, 'sec-fetch-site': 'same-origin' })).toBe(200)
    // Any other host of the domain can set a cookie without the prefix.
    expect(await status({ cookie: `console=${value}`, 'sec-fetch-site': 'same-origin' })).toBe(401)
    expect(await status({ cookie, origin: PUBLIC })).toBe(200)
    expect(await status({ cookie, origin: service.url })).toBe(401)
  })
})

it('over plain http a user on another machine cannot sign in, under any name of this machine', async () => {
  await using open = await startConsole({ maintenance: false })
  const { service, provider } = open
  provider.requests.length = 0
  const opened = (host: string) =>
    new Promise<{ status: number | undefined; cookies: readonly string[] | undefined; text: string }>(
      (resolve, reject) => {
        request(`${service.url}/console/login`, { headers: { host } }, (response) => {
          let text = ''
          response.setEncoding('utf8')
          response.on('data', (part: string) => {
            text += part
          })
          response.on('end', () =>
            resolve({ status: response.statusCode, cookies: response.headers['set-cookie'], text }),
          )
        })
          .on('error', reject)
          .end()
      },
    )
  for (const host of ['192.168.1.7:3000', 'console.example', '127.0.0.1.evil.example', 'localhost.evil.example:80'])
    expect(await opened(host)).toEqual({
      status: 403,
      cookies: undefined,
      text: expect.stringContaining('Over plain http, login is possible only on the machine of the service'),
    })
  expect(provider.requests).toEqual([])
  for (const host of ['localhost:3000', '127.0.0.2', '[::1]:3000']) expect((await opened(host)).status).toBe(303)
})

it('with CONSOLE=off there is no page, login, answer or session', async () => {
  await using open = await startConsole({ env: { CONSOLE: 'off' }, maintenance: false })
  const gone = async (method: string, path: string) =>
    (await open.service.request(method, path, { headers: OF_CONSOLE, ...(method === 'POST' ? { body: {} } : {}) }))
      .status
  for (const path of ['', '/', '/offers', '/login', '/session', '/callback?state=x&code=y'])
    expect([path, await gone('GET', `/console${path}`)]).toEqual([path, 404])
  expect(await gone('POST', '/console/logout')).toBe(404)
  expect(await gone('GET', `/trpc/console.session?input=${encodeURIComponent('{"json":{}}')}`)).toBe(404)
})

it('an open stream does not count as activity of the session', async () => {
  let now = Date.now()
  await using open = await startConsole({ clock: () => new Date(now), maintenance: false })
  const { service } = open
  const { browser } = await logIn(open)
  const body = { dcqlQuery: dcql(service, 'dc+sd-jwt'), responseMode: 'direct_post' }
  const { json: asked } = await ask(service, browser, 'POST', '/authorization-requests', { body })
  const path = `/verification-sessions/${asked.verificationSessionId}/events`
  const headers = { ...OF_CONSOLE, cookie: browser.cookies(service.url) }
  const seen = async () => (await sessionRows(service))[0]?.last_seen_at.getTime()
  const first = now
  now += 5 * 60_000
  await using stream = await readEvents(service, path, headers)
  expect([stream.status, (await stream.next()).event]).toEqual([200, 'session'])
  expect(await seen()).toBe(first)
  // A read after a click would count as activity.
  expect((await ask(service, browser, 'GET', path.replace('/events', ''))).status).toBe(200)
  expect(await seen()).toBe(now)
})
