import type { Server } from 'node:http'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createPublicApp } from '../../server/app.js'
import { createAppServer } from '../../server/http/server.js'
import { KEPT_ALIVE } from '../support/kept-alive.js'
import { closeServer, listenLocally } from '../support/local-server.js'
import { startService, type TestService } from '../support/service.js'
import { sendRaw } from './raw.js'

let service: TestService
let publicServer: Server
let publicUrl: string

beforeAll(async () => {
  // This service has AUTH_DISABLED, so the console is on.
  service = await startService({ env: { AUTH_DISABLED: 'true' } })
  const { server, serve } = createAppServer(KEPT_ALIVE)
  publicServer = server
  serve(createPublicApp(service.service.publicApp()))
  publicUrl = await listenLocally(server)
})
afterAll(async () => {
  await closeServer(publicServer)
  await service.close()
})

const ask = (url: string, method: string, target: string) =>
  sendRaw(url, `${method} ${target} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`)

/** Paths that a URL parser reads as a different host, or cannot parse. */
const TWO_SLASHES = ['//', '//:80', '//:80/service.version', '//[/service.version', '//evil.example/service.version']

/** Request targets in absolute form (RFC 9112 §3.2.2). */
const absolute = (path: string): string[] =>
  ['http://localhost', 'http://x:99999', 'http://a@b', 'http://[', 'http://'].map((origin) => `${origin}${path}`)

const ODD = [
  ...TWO_SLASHES.flatMap((path) => [path, `/trpc${path}`, `/console${path}`, `/api-docs${path}`, `/vct${path}`]),
  ...['', '/assets', '/types'].flatMap((part) =>
    ['%', '%zz', '%00', '%E0%A4%A'].map((end) => `/console${part}/${end}`),
  ),
  ...['/trpc/service.version', '/version', '/console/types', '/present/x'].flatMap(absolute),
  ...[
    '*',
    '/%',
    '/trpc/%',
    '/trpc?%',
    '/trpc/?input=%',
    '/present/%',
    '/vct/%',
    '/openid4vp/qr-codes/%',
    '/api-docs/%',
  ],
]

describe('no address is a failure of the service', () => {
  it.each(['GET', 'HEAD', 'POST', 'OPTIONS', 'TRACE'])('%s, on each listener', async (method) => {
    const failed: unknown[] = []
    for (const url of [service.url, publicUrl])
      for (const target of ODD) {
        const { status } = await ask(url, method, target)
        if (!(status >= 200 && status < 500)) failed.push([url === publicUrl, target, status])
      }
    expect(failed).toEqual([])
  })
})

describe('typed RPC', () => {
  it.each(TWO_SLASHES)('has no procedure at %s, whatever host a parser finds in it', async (path) => {
    for (const method of ['GET', 'POST']) expect((await ask(service.url, method, `/trpc${path}`)).status).toBe(404)
  })

  it('answers a request target in absolute form as its path (RFC 9112 §3.2.2)', async () => {
    for (const target of absolute('/trpc/service.version').slice(0, 3)) {
      const { status, body } = await ask(service.url, 'GET', target)
      expect([status, body.includes('"name":"credence"')], target).toEqual([200, true])
    }
  })
})

it.each(['/console/%', '/console/assets/%zz', '/console/types/%E0%A4%A'])('%s is no screen', async (path) => {
  const { status, body } = await ask(service.url, 'GET', path)
  expect([status, JSON.parse(body).message]).toEqual([404, `Cannot GET ${path}`])
})
