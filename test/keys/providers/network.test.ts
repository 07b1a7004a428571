import { createServer } from 'node:http'
import { describe, expect, it } from 'vitest'
import { providerFetch } from '../../../server/keys/providers/network.js'
import { listenLocally } from '../../support/local-server.js'

const TIMEOUT_MS = 10_000

/** A server that answers with its name, or redirects. */
async function serverOf(name: string, location?: string) {
  const server = createServer((_request, response) => {
    if (location !== undefined) response.writeHead(307, { location })
    response.end(name)
  })
  return { url: await listenLocally(server), [Symbol.dispose]: () => void server.close() }
}

describe('the fetch of a key provider', () => {
  it('reaches the private addresses of its provider, which the operator has configured', async () => {
    using own = await serverOf('own')
    const { fetch, outbound } = await providerFetch({ origins: [own.url] }, undefined, TIMEOUT_MS)
    expect(await (await fetch(`${own.url}/keys`)).text()).toBe('own')
    await outbound.close()
  })

  it('attack: reaches no other address, and follows no redirect to one', async () => {
    using other = await serverOf('other')
    using own = await serverOf('own', other.url)
    const { fetch, outbound } = await providerFetch({ origins: [own.url] }, undefined, TIMEOUT_MS)
    await expect(fetch(other.url)).rejects.toMatchObject({ code: 'url' })
    expect((await fetch(own.url)).status).toBe(307)
    await outbound.close()
  })

  it('names a file of certificates that cannot be read', async () => {
    await expect(providerFetch({ origins: [], caFile: '/nowhere' }, undefined, TIMEOUT_MS)).rejects.toThrow(
      '/nowhere cannot be read.',
    )
  })
})
