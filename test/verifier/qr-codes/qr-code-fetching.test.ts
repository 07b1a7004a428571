import { afterAll, beforeAll, expect, it } from 'vitest'
import { createLog } from '../../../server/log/log.js'
import { startService, type TestService } from '../../support/service.js'
import { startWebServer, type WebServer } from '../web-server.js'

/** Addresses that a resolver inside a network knows. */
const ADDRESSES: Readonly<Record<string, string>> = {
  'vault.internal': '10.0.0.5',
  'router.internal': '127.0.0.1',
  'web.example': '127.0.0.1',
  'closed.example': '127.0.0.1',
}

let web: WebServer
let service: TestService
const lines: string[] = []

beforeAll(async () => {
  web = await startWebServer()
  service = await startService({
    env: { OUTBOUND_ALLOWED_HOSTS: `web.example:${web.port},closed.example:1` },
    log: createLog('info', { write: (line: string) => lines.push(line) }),
    outbound: {
      lookup: async (name) => {
        const address = ADDRESSES[name]
        if (address === undefined)
          throw Object.assign(new Error(`getaddrinfo ENOTFOUND ${name}`), { code: 'ENOTFOUND' })
        return [{ address, family: 4 }]
      },
    },
  })
})
afterAll(async () => {
  await service.close()
  await web[Symbol.asyncDispose]()
})

async function messageFor(url: string): Promise<unknown> {
  const path = `/api/v1/verifier/qr-codes/image?${new URLSearchParams({ url })}`
  const { status, json } = await service.request('GET', path)
  return [status, json.message]
}

it('attack: answers do not reveal the addresses of internal names; the log has them', async () => {
  web.documents.set('/moved', { body: 'x', status: 500 })
  const urls = [
    'http://vault.internal/',
    'http://router.internal:8080/',
    'http://nowhere.internal/',
    'http://10.0.0.5/',
    'http://localhost/',
    'http://closed.example:1/',
    `http://web.example:${web.port}/missing`,
    `http://web.example:${web.port}/moved`,
    `${service.url}/agent/holders`,
    'ftp://vault.internal/',
    'http://user:secret@vault.internal/',
  ]
  lines.length = 0
  for (const url of urls)
    expect([url, await messageFor(url)]).toEqual([url, [400, ['url has no usable image of a QR code']]])
  const refusals = lines.map((line) => JSON.parse(line)).filter(({ msg }) => msg === 'request refused')
  expect(refusals).toHaveLength(urls.length)
  expect(refusals.map(({ cause }) => cause)).toEqual([
    'vault.internal has an address that is not public, so it may not be requested.',
    'router.internal has an address that is not public, so it may not be requested.',
    expect.stringContaining('ENOTFOUND'),
    expect.stringContaining('not public'),
    expect.stringContaining('localhost'),
    expect.stringContaining('ECONNREFUSED'),
    'The answer has the status 404.',
    'The answer has the status 500.',
    expect.any(String),
    expect.any(String),
    expect.not.stringContaining('secret'),
  ])
})
