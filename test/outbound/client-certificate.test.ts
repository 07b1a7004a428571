import { X509Certificate } from 'node:crypto'
import { createServer } from 'node:https'
import type { TLSSocket } from 'node:tls'
import { describe, expect, it, onTestFinished } from 'vitest'
import { closeServer, listenLocally } from '../support/local-server.js'
import { startServer, testNetworkGuard } from './test-network.js'
import { CERTIFICATE, PRIVATE_KEY } from './wallet-example-certificate.js'

/** A server that asks each client for a certificate, and answers with the fingerprint of this certificate. */
async function startCurious() {
  let connections = 0
  const server = createServer(
    { cert: CERTIFICATE, key: PRIVATE_KEY, requestCert: true, rejectUnauthorized: false },
    (request, response) => {
      // The server speaks TLS, so every socket is a TLSSocket.
      const { fingerprint256 = null } = (request.socket as TLSSocket).getPeerCertificate()
      response.end(JSON.stringify({ fingerprint256 }))
    },
  )
  server.on('secureConnection', () => {
    connections += 1
  })
  const { port } = new URL(await listenLocally(server))
  onTestFinished(() => closeServer(server))
  return {
    url: `https://wallet.example:${port}/`,
    connections: () => connections,
  }
}

const clientCertificate = { certificate: CERTIFICATE, key: PRIVATE_KEY }
const { fingerprint256 } = new X509Certificate(CERTIFICATE)

describe('a client certificate of outbound requests (RFC 8446 §4.4.2)', () => {
  it('is shown to the server only by its own requests, over a connection that is kept', async () => {
    const server = await startCurious()
    const outbound = testNetworkGuard()
    const shown = async (init = {}) => (await outbound.fetch(server.url, init)).json()
    for (let times = 0; times < 5; times += 1) expect(await shown({ clientCertificate })).toEqual({ fingerprint256 })
    // The client may open a second connection while it still reads the end of the first answer.
    expect(server.connections()).toBeLessThan(3)
    expect(await shown()).toEqual({ fingerprint256: null })
  })

  it('that cannot be used fails the request, without a word about the key', async () => {
    const server = await startCurious()
    const broken = { certificate: CERTIFICATE, key: 'a secret text' }
    const failed = testNetworkGuard().fetch(server.url, { clientCertificate: broken })
    await expect(failed).rejects.toThrow(/^Request to wallet\.example:\d+ failed/)
    await expect(failed).rejects.not.toThrow('secret')
  })

  it('has a time limit of its own, shorter or longer than the usual limit', async () => {
    const { port } = await startServer((_, response) => setTimeout(() => response.end('late'), 300))
    const address = `http://wallet.example:${port}/`
    const refusal = { code: 'timeout' }
    await expect(testNetworkGuard().fetch(address, { timeoutMs: 100 })).rejects.toMatchObject(refusal)
    await expect(testNetworkGuard({ timeoutMs: 100 }).fetch(address)).rejects.toMatchObject(refusal)
    expect(await (await testNetworkGuard({ timeoutMs: 100 }).fetch(address, { timeoutMs: 9_000 })).text()).toBe('late')
  })
})
