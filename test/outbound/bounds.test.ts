import { setImmediate } from 'node:timers/promises'
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { startRawServer, startServer, type TestServer, testNetworkGuard } from './test-network.js'

const LIMIT = 262_144
const at = (port: number, path = '/') => `http://wallet.example:${port}${path}`

async function connectionClosed(server: TestServer): Promise<void> {
  const socket = server.requests[0]?.socket
  // A reset of the connection also counts as its end. It happens if some bytes were not read.
  if (socket?.closed === false) await new Promise((resolve) => socket.once('error', () => {}).once('close', resolve))
}

describe('one deadline for the whole request', () => {
  const timeoutMs = 150

  test('a resolver that never answers', async () => {
    const outbound = testNetworkGuard({ timeoutMs, lookup: () => new Promise(() => {}) })
    await expect(outbound.fetch('http://wallet.example/')).rejects.toMatchObject({
      code: 'timeout',
      message: 'wallet.example did not answer within 150 ms.',
    })
  })

  test('a server that accepts and stays silent', async () => {
    const server = await startRawServer(() => {})
    const refused = testNetworkGuard({ timeoutMs }).fetch(at(server.port))
    await expect(refused).rejects.toMatchObject({ code: 'timeout' })
  })

  test('a server that never finishes its TLS handshake', async () => {
    const server = await startRawServer(() => {})
    const refused = testNetworkGuard({ timeoutMs }).fetch(`https://wallet.example:${server.port}/`)
    await expect(refused).rejects.toMatchObject({ code: 'timeout' })
  })

  test('headers that arrive slowly', async () => {
    const server = await startRawServer((socket) => {
      socket.write('HTTP/1.1 200 OK\r\n')
      const drip = setInterval(() => socket.write('x-drip: 1\r\n'), 20)
      socket.on('close', () => clearInterval(drip))
    })
    const refused = testNetworkGuard({ timeoutMs }).fetch(at(server.port))
    await expect(refused).rejects.toMatchObject({ code: 'timeout' })
  })

  test('interim answers without end (RFC 9110 §15.2)', async () => {
    const server = await startRawServer((socket) => {
      const drip = setInterval(() => socket.write('HTTP/1.1 103 Early Hints\r\n\r\n'), 20)
      socket.on('close', () => clearInterval(drip))
    })
    const refused = testNetworkGuard({ timeoutMs }).fetch(at(server.port))
    await expect(refused).rejects.toMatchObject({ code: 'timeout' })
  })

  test('a body that arrives slowly; the connection is then closed', async () => {
    const server = await startServer((_request, response) => {
      const drip = setInterval(() => response.write('x'), 20)
      response.on('close', () => clearInterval(drip))
    })
    const refused = testNetworkGuard({ timeoutMs }).fetch(at(server.port))
    await expect(refused).rejects.toMatchObject({ code: 'timeout' })
    await connectionClosed(server)
  })

  test('a body that ends before its announced length', async () => {
    const server = await startServer((_request, response) => {
      response.writeHead(200, { 'content-length': '10' })
      response.write('x')
    })
    const refused = testNetworkGuard({ timeoutMs }).fetch(at(server.port))
    await expect(refused).rejects.toMatchObject({ code: 'timeout' })
  })

  test('redirects that are quick enough separately, but not together', async () => {
    const server = await startServer((_request, response) => {
      setTimeout(() => response.writeHead(302, { location: '/' }).end(), 60)
    })
    const refused = testNetworkGuard({ timeoutMs, maxRedirects: 100 }).fetch(at(server.port))
    await expect(refused).rejects.toMatchObject({ code: 'timeout' })
    expect(server.requests.length).toBeLessThan(5)
  })
})

describe('the size of a body', () => {
  test('a body as large as the limit is accepted, also after another body on the same connection', async () => {
    const server = await startServer((_request, response) => response.end(Buffer.alloc(LIMIT)))
    const outbound = testNetworkGuard()
    for (const _time of [1, 2]) {
      expect((await (await outbound.fetch(at(server.port))).arrayBuffer()).byteLength).toBe(LIMIT)
      // After the answer, the client needs one turn of the event loop until it can use the connection again.
      await setImmediate()
    }
    expect(server.connections()).toBe(1)
  })

  test('one byte more is refused', async () => {
    const server = await startServer((_request, response) => response.end(Buffer.alloc(LIMIT + 1)))
    await expect(testNetworkGuard().fetch(at(server.port))).rejects.toMatchObject({
      code: 'too-large',
      message: `wallet.example:${server.port} answered with more than 262144 bytes.`,
    })
  })

  test('an endless body is cut off at the limit and its connection closed', async () => {
    const server = await startServer((_request, response) => {
      const pour = () => {
        while (!response.destroyed && response.write(Buffer.alloc(65_536)));
      }
      response.on('drain', pour)
      pour()
    })
    await expect(testNetworkGuard().fetch(at(server.port))).rejects.toMatchObject({ code: 'too-large' })
    await connectionClosed(server)
  })

  test('the endless body of a redirect or an error is cut off as well', async () => {
    const server = await startServer((request, response) => {
      response.writeHead(request.url === '/error' ? 500 : 302, { location: '/' })
      response.end(Buffer.alloc(LIMIT + 1))
    })
    const outbound = testNetworkGuard()
    await expect(outbound.fetch(at(server.port))).rejects.toMatchObject({ code: 'too-large' })
    await expect(outbound.fetch(at(server.port, '/error'))).rejects.toMatchObject({ code: 'too-large' })
  })

  test('a request may have its own limit, before and after decompression; all others keep theirs', async () => {
    const server = await startServer((request, response) => {
      const gzip = request.url === '/gzip'
      const body = Buffer.alloc(2 * LIMIT, 'a')
      response.writeHead(200, gzip ? { 'content-encoding': 'gzip' } : {}).end(gzip ? gzipSync(body) : body)
    })
    const outbound = testNetworkGuard()
    for (const path of ['/', '/gzip']) {
      const url = at(server.port, path)
      expect((await outbound.fetchText(url, { maxBytes: 2 * LIMIT })).text).toHaveLength(2 * LIMIT)
      const message = `wallet.example:${server.port} answered with more than ${2 * LIMIT - 1} bytes.`
      await expect(outbound.fetchText(url, { maxBytes: 2 * LIMIT - 1 })).rejects.toMatchObject({ message })
      await expect(outbound.fetchText(url)).rejects.toMatchObject({ code: 'too-large' })
    }
  })

  test('endless headers are cut off', async () => {
    const flood = await startRawServer((socket) => {
      socket.write(`HTTP/1.1 200 OK\r\nx-flood: ${'x'.repeat(100_000)}`)
    })
    await expect(testNetworkGuard().fetch(at(flood.port))).rejects.toMatchObject({ code: 'connect' })
  })
})

describe('compressed bodies', () => {
  const bomb = Buffer.alloc(16 * 1024 * 1024)
  const encoders = { gzip: gzipSync, 'x-gzip': gzipSync, deflate: deflateSync, br: brotliCompressSync }
  const codings = Object.keys(encoders) as (keyof typeof encoders)[]

  const serve = (coding: string, body: Uint8Array) =>
    startServer((_request, response) => response.writeHead(200, { 'content-encoding': coding }).end(body))

  test('are not requested', async () => {
    const server = await startServer((_request, response) => response.end())
    await testNetworkGuard().fetch(at(server.port), { headers: { 'accept-encoding': 'gzip, br' } })
    expect(server.requests[0]?.headers['accept-encoding']).toBe('identity')
  })

  test.each(codings)('%s is decoded nevertheless', async (coding) => {
    const server = await serve(coding.toUpperCase(), encoders[coding]('{"decoded":true}'))
    const response = await testNetworkGuard().fetch(at(server.port))
    expect(await response.json()).toEqual({ decoded: true })
    expect(response.headers.has('content-encoding')).toBe(false)
    expect(response.headers.has('content-length')).toBe(false)
  })

  test.each(codings)('a %s bomb of 16 MiB stops at the limit', async (coding) => {
    const compressed = encoders[coding](bomb)
    expect(compressed.length).toBeLessThan(LIMIT)
    const server = await serve(coding, compressed)
    await expect(testNetworkGuard().fetch(at(server.port))).rejects.toMatchObject({ code: 'too-large' })
  })

  test.each(codings)('%s: the limit after decoding is exact to the byte', async (coding) => {
    const exact = await serve(coding, encoders[coding](Buffer.alloc(LIMIT)))
    const over = await serve(coding, encoders[coding](Buffer.alloc(LIMIT + 1)))
    const outbound = testNetworkGuard()
    expect((await (await outbound.fetch(at(exact.port))).arrayBuffer()).byteLength).toBe(LIMIT)
    await expect(outbound.fetch(at(over.port))).rejects.toMatchObject({ code: 'too-large' })
  })

  test.each(['gzip, gzip', 'gzip,br', 'zstd', 'unheard-of'])('the coding "%s" is refused', async (coding) => {
    const server = await serve(coding, gzipSync(gzipSync(bomb)))
    await expect(testNetworkGuard().fetch(at(server.port))).rejects.toMatchObject({ code: 'content' })
  })

  test.each([
    ['broken', Buffer.from('no gzip at all')],
    ['cut short', gzipSync('a'.repeat(100)).subarray(0, 15)],
  ])('a %s body is refused', async (_how, body) => {
    const server = await serve('gzip', body)
    await expect(testNetworkGuard().fetch(at(server.port))).rejects.toMatchObject({ code: 'content' })
  })

  test('an answer without a body needs no decoding', async () => {
    const server = await serve('gzip', Buffer.alloc(0))
    const response = await testNetworkGuard().fetch(at(server.port), { method: 'HEAD' })
    expect([response.status, await response.text()]).toEqual([200, ''])
  })
})
