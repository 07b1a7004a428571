import { createServer, request } from 'node:http'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { listenLocally } from '../support/local-server.js'
import { startService, type TestService } from '../support/service.js'

const BASE_PATH = '/tenants/one'

let service: TestService
let proxied: string

/** Starts a proxy in front of the service. It removes the path of the base URL, as the documents demand. */
const proxy = createServer((incoming, outgoing) => {
  const pathname = incoming.url ?? ''
  const { port } = new URL(service.url)
  if (!pathname.startsWith(`${BASE_PATH}/`)) {
    outgoing.writeHead(404).end('not the service')
    return
  }
  const path = pathname.slice(BASE_PATH.length)
  incoming.pipe(
    request({ port, host: '127.0.0.1', method: incoming.method, path, headers: incoming.headers }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(outgoing)
    }),
  )
})

beforeAll(async () => {
  const origin = await listenLocally(proxy)
  proxied = `${origin}${BASE_PATH}`
  service = await startService({ env: { ISSUER_BASE_URL: proxied, VERIFIER_BASE_URL: proxied } })
})
afterAll(async () => {
  proxy.closeAllConnections()
  proxy.close()
  await service.close()
})

/** Finds the addresses in a page, and resolves them as a browser does. */
async function loadedBy(page: Response): Promise<string[]> {
  const html = await page.text()
  return [...html.matchAll(/(?:href|src)="([^"]+)"/g)].map(([, address]) => new URL(address ?? '', page.url).href)
}

describe('the API reference below the path of a proxy', () => {
  it.each(['/api-docs', '/api-docs/'])('%s loads all its files from this path', async (path) => {
    const page = await fetch(`${proxied}${path}`)
    expect([page.status, page.url]).toEqual([200, `${proxied}/api-docs`])
    const addresses = await loadedBy(page)
    expect(addresses).toHaveLength(4)
    for (const address of addresses) expect([address, (await fetch(address)).status]).toEqual([address, 200])
  })

  it('shows the document at this path, whose addresses lead to the same path', async () => {
    const page = await fetch(`${proxied}/api-docs`)
    const start = (await loadedBy(page)).find((address) => address.endsWith('/start.js')) ?? ''
    const script = await (await fetch(start)).text()
    // A relative address in a script is resolved with the address of the page.
    const document = new URL(/url: '([^']+)'/.exec(script)?.[1] ?? '', page.url).href
    expect(await (await fetch(document)).json()).toMatchObject({ openapi: '3.1.0', servers: [{ url: proxied }] })
    expect((await fetch(`${proxied}/version`)).status).toBe(200)
  })
})
