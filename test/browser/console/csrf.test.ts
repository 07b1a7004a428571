import { createServer, type Server } from 'node:http'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type ConsoleService, sessionRows, startConsole } from '../../console/actors.js'
import { portOf } from '../../support/local-server.js'
import { query } from '../../support/postgres.js'
import { driven, heading } from './actors.js'

let started: ConsoleService
let server: Server
let foreign: string
beforeAll(async () => {
  started = await startConsole({ env: { CORS_ORIGINS: 'https://app.example' } })
  server = createServer((_, response) => void response.writeHead(200, { 'content-type': 'text/html' }).end('<p>Win!'))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  // The page and the service are the same site, so that the browser sends the cookie. They have different ports, so
  // they are different origins.
  foreign = `http://127.0.0.1:${portOf(server)}`
})
const desk = driven(async () => started.service)
afterAll(async () => {
  server.closeAllConnections()
  server.close()
  await started?.provider.close()
})
beforeEach(() => query(desk.service.databaseUrl, 'DELETE FROM console_sessions'))

const counted = async (table: string) =>
  (await query<{ count: string }>(desk.service.databaseUrl, `SELECT count(*) FROM ${table}`))[0]?.count

/** Logs in, and acts on a foreign page in the same browser. */
async function lured(act: (page: Page, url: string) => Promise<void>): Promise<void> {
  const context = await desk.browser.newContext({ locale: 'en-GB' })
  const own = await context.newPage()
  await own.goto(`${desk.service.url}/console/login`)
  await heading(own, 'Overview')
  const page = await context.newPage()
  await page.goto(foreign)
  await act(page, desk.service.url)
  // After all attempts the user is still signed in.
  await own.reload()
  await own.getByText('Alice').waitFor()
  expect(await sessionRows(desk.service)).toHaveLength(1)
  await context.close()
}

describe('a page of another origin, in the browser of a signed-in user', () => {
  it('cannot read anything by fetch, with or without the console’s header', () =>
    lured(async (page, url) => {
      const tried = await page.evaluate(
        async ([service]) => {
          const outcome = async (path: string, init: RequestInit) =>
            fetch(`${service}${path}`, { credentials: 'include', ...init }).then(
              async (response) => `read ${response.status} ${await response.text()}`,
              () => 'refused',
            )
          return [
            await outcome('/console/session', {}),
            await outcome('/console/session', { headers: { 'x-console': '1' } }),
            await outcome('/api/v1/verifier/vp-queries', { headers: { 'x-console': '1' } }),
            await outcome('/console/logout', { method: 'POST', headers: { 'x-console': '1' } }),
          ]
        },
        [url],
      )
      for (const outcome of tried) expect(outcome).not.toMatch(/alice/i)
      expect(tried.slice(1)).toEqual(['refused', 'refused', 'refused'])
    }))

  it('cannot change anything by requests without a preflight', () =>
    lured(async (page, url) => {
      const before = [await counted('vp_queries'), await counted('schemas')]
      const sent: string[] = []
      page.on('request', (request) => sent.push(request.url()))
      await page.evaluate(
        async ([service]) => {
          const body = JSON.stringify({ query: [{ fields: [{ path: ['$.type'] }] }] })
          for (const path of ['/api/v1/verifier/vp-queries', '/schemas', '/console/logout', '/trpc/console.logout'])
            await fetch(`${service}${path}`, { method: 'POST', mode: 'no-cors', credentials: 'include', body }).catch(
              () => {},
            )
        },
        [url],
      )
      expect([await counted('vp_queries'), await counted('schemas')]).toEqual(before)
      expect(sent).toHaveLength(4)
    }))

  it.each(['application/x-www-form-urlencoded', 'text/plain', 'multipart/form-data'])(
    'cannot sign out, make a record or remove a cookie with a form of %s',
    (enctype) =>
      lured(async (page, url) => {
        for (const path of ['/console/logout', '/api/v1/verifier/vp-queries']) {
          await page.goto(foreign)
          const [response] = await Promise.all([
            page.waitForNavigation(),
            page.evaluate(
              `document.body.append(Object.assign(document.createElement('form'), { id: 'lure', method: 'POST', action: '${url}${path}', enctype: '${enctype}' })); lure.submit()`,
            ),
          ])
          expect([401, 403, 415]).toContain(response?.status())
          // The browser has sent the cookie, because a different port is still the same site.
          expect(await response?.request().headerValue('cookie')).toMatch(/console=/)
          expect(response?.headers()['set-cookie']).toBeUndefined()
        }
      }),
  )

  it('receives no stream and no image', () =>
    lured(async (page, url) => {
      const path = `/verification-sessions/${crypto.randomUUID()}/events`
      const outcomes = await page.evaluate(`Promise.all([
        new Promise((resolve) => {
          const source = new EventSource('${url}${path}', { withCredentials: true })
          source.onopen = () => resolve('open')
          source.onerror = () => { source.close(); resolve('refused') }
        }),
        new Promise((resolve) => {
          const image = new Image()
          image.onload = () => resolve('seen')
          image.onerror = () => resolve('refused')
          image.src = '${url}/console/session'
        }),
      ])`)
      expect(outcomes).toEqual(['refused', 'refused'])
    }))
})
