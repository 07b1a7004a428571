import type { Server } from 'node:http'
import { connect } from 'node:net'
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createApp, createPublicApp } from '../../server/app.js'
import { createAppServer } from '../../server/http/server.js'
import { startOperations } from '../metrics/scrape.js'
import { KEPT_ALIVE } from '../support/kept-alive.js'
import { closeServer, listenLocally } from '../support/local-server.js'
import { startService, type TestService } from '../support/service.js'

const FORM = 'application/x-www-form-urlencoded'
const JSON_TYPE = 'application/json'
const IN_PIECES = 'Request body came in too many pieces.'

let service: TestService
let authorization: string
let operations: Awaited<ReturnType<typeof startOperations>>
let publicUrl: string
let limitedUrl: string
const servers: Server[] = []

async function serveApp(app: ReturnType<typeof createApp>): Promise<string> {
  const { server, serve } = createAppServer(KEPT_ALIVE)
  servers.push(server)
  serve(app)
  return listenLocally(server)
}

beforeAll(async () => {
  service = await startService()
  authorization = await service.bearer('alice')
  operations = await startOperations(service)
  publicUrl = await serveApp(createPublicApp(service.service.publicApp()))
  const { app } = service.service
  const config = { ...app.config, rateLimit: { ...app.config.rateLimit, max: 1 } }
  limitedUrl = await serveApp(createApp({ ...app, config }))
  await fetch(`${limitedUrl}/version`)
})
afterAll(async () => {
  await operations.close()
  for (const server of servers) await closeServer(server)
  await service.close()
})

interface Ended {
  readonly status: number
  readonly body: string
}

/** A chunk with an extension of the given length (RFC 9112 §7.1.1). */
const extended = (piece: string, extension: number): string =>
  `${piece.length.toString(16)};x=${'e'.repeat(extension)}\r\n${piece}\r\n`

const chunked = (text: string, length: number): string => {
  const pieces = Array.from({ length: Math.ceil(text.length / length) }, (_, at) =>
    text.slice(at * length, (at + 1) * length),
  )
  return pieces.map((piece) => `${piece.length.toString(16)}\r\n${piece}\r\n`).join('')
}

/** Sends a body that never ends, and reads until the other side closes the connection. */
const sendEndless = (
  url: string,
  line: string,
  headers: Record<string, string>,
  text: string,
  size = 1,
): Promise<Ended> => sendChunks(url, line, headers, chunked(text, size))

/** Sends the given chunks unchanged, and reads until the connection is closed. */
function sendChunks(
  url: string,
  line: string,
  headers: Record<string, string>,
  chunks: string | Buffer,
): Promise<Ended> {
  const { hostname, port } = new URL(url)
  const head = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  return new Promise((resolve) => {
    const socket = connect(Number(port), hostname)
    let answer = ''
    socket.setEncoding('utf8').on('data', (data) => {
      answer += data
    })
    // The service may close the connection while the test still sends.
    socket.on('error', () => {})
    socket.on('close', () => {
      const status = Number(/^HTTP\/1\.1 (\d+)/.exec(answer)?.[1])
      resolve({ status, body: answer.slice(answer.indexOf('\r\n\r\n') + 4) })
    })
    socket.write(`${line} HTTP/1.1\r\nHost: localhost\r\n${head.join('')}Transfer-Encoding: chunked\r\n\r\n`)
    socket.write(chunks)
  })
}

const json = { 'Content-Type': JSON_TYPE }
const form = { 'Content-Type': FORM }
const MANY = 'a'.repeat(20_000)

describe('a body in too many pieces is refused, and its connection is closed', () => {
  it.each([
    ['JSON of the interface', 'POST /credentials/verify', () => ({ ...json, Authorization: authorization })],
    ['typed RPC', 'POST /trpc/verify.verify', () => ({ ...json, Authorization: authorization })],
    ['a form of a wallet', `POST /openid4vp/responses/x`, () => form],
    ['JSON of a wallet', 'POST /openid4vci/token', () => form],
    ['a pushed request', 'POST /openid4vci/par', () => form],
    ['a decision on a page', `POST /openid4vci/authorize/${crypto.randomUUID()}`, () => form],
    ['a packed body', 'POST /openid4vp/responses/x', () => ({ ...form, 'Content-Encoding': 'gzip' })],
    ['a body of another type', 'POST /credentials/verify', () => ({ Authorization: authorization })],
  ])('%s', async (_, line, headers) => {
    const { status, body } = await sendEndless(service.url, line, headers(), MANY)
    expect([status, body.includes(IN_PIECES)]).toEqual([400, true])
  })

  it('on the public listener', async () => {
    const { status, body } = await sendEndless(publicUrl, 'POST /openid4vp/responses/x', form, MANY)
    expect([status, body.includes(IN_PIECES)]).toEqual([400, true])
  })

  it('because of the number of pieces, not their size', async () => {
    const size = 100
    const { status } = await sendEndless(service.url, 'POST /openid4vp/responses/x', form, 'a'.repeat(500 * size), size)
    expect(status).toBe(400)
  })

  it('pieces of a body with Content-Length are counted as they arrive', async () => {
    const { hostname, port } = new URL(service.url)
    const socket = connect(Number(port), hostname).setNoDelay(true)
    let answer = ''
    const closed = new Promise((resolve) => socket.on('close', resolve).on('error', () => {}))
    socket.setEncoding('utf8').on('data', (data) => {
      answer += data
    })
    socket.write(
      `POST /openid4vp/responses/x HTTP/1.1\r\nHost: x\r\nContent-Type: ${FORM}\r\nContent-Length: 5000\r\n\r\n`,
    )
    for (let at = 0; at < 5_000 && !socket.destroyed && answer === ''; at += 1) {
      socket.write('a')
      await new Promise((resolve) => setTimeout(resolve, 1))
    }
    await closed
    expect(answer).toMatch(/^HTTP\/1\.1 400 /)
  })
})

describe('an unread body is not drained for longer', () => {
  it.each([
    ['without a token', 401, 'POST /credentials/verify', () => service.url],
    ['of an unknown path', 404, 'POST /nowhere', () => service.url],
    ['of an unknown path of the public listener', 404, 'POST /schemas', () => publicUrl],
    ['of the nonce endpoint', 200, 'POST /openid4vci/nonce', () => service.url],
    ['of a GET', 200, 'GET /version', () => service.url],
    ['of a GET of typed RPC', 200, 'GET /trpc/service.version', () => service.url],
    ['of a HEAD', 200, 'HEAD /version', () => service.url],
    ['of the console', 404, 'POST /console/assets/x', () => service.url],
    ['of a method that /trpc does not support', 405, 'PUT /trpc/verify.verify', () => service.url],
    ['of OPTIONS', 404, 'OPTIONS /openid4vci/token', () => service.url],
    ['above the rate limit', 429, 'POST /openid4vp/responses/x', () => limitedUrl],
    ['of the port for operators', 404, 'POST /metrics', () => operations.url],
    ['of its health', 200, 'GET /health/liveness', () => operations.url],
  ])('%s: %i', async (_, expected, line, url) => {
    // The request never ends, so only the tested rule can have closed the connection.
    expect((await sendEndless(url(), line, json, MANY)).status).toBe(expected)
  })

  it.each([
    ['413', 'identity', `${(2 * 1_048_576).toString(16)}\r\n${'a'.repeat(2 * 1_048_576)}\r\n`],
    ['415', 'compress', ''],
  ])('of a request that was refused earlier, by %s', async (status, encoding, first) => {
    const headers = { ...form, 'Content-Encoding': encoding }
    // Two MiB allow 8,448 pieces.
    const chunks = first + chunked(MANY, 1)
    const ended = await sendChunks(service.url, 'POST /openid4vp/responses/x', headers, chunks)
    expect(String(ended.status)).toBe(status)
  })

  it('the rest after a 413 is limited too', async () => {
    const large = `${(2 * 1_048_576).toString(16)}\r\n${'a'.repeat(2 * 1_048_576)}\r\n`
    const { hostname, port } = new URL(service.url)
    const socket = connect(Number(port), hostname)
    let answer = ''
    const closed = new Promise((resolve) => socket.on('close', resolve).on('error', () => {}))
    socket.setEncoding('utf8').on('data', (data) => {
      answer += data
    })
    socket.write(
      `POST /openid4vp/responses/x HTTP/1.1\r\nHost: x\r\nContent-Type: ${FORM}\r\nTransfer-Encoding: chunked\r\n\r\n`,
    )
    const sendOn = () => {
      while (!socket.destroyed && socket.write(large));
    }
    socket.on('drain', sendOn)
    sendOn()
    await closed
    expect(answer).toMatch(/^HTTP\/1\.1 413 /)
  })
})

describe('bodies of honest clients pass', () => {
  const credential = (length: number) => JSON.stringify({ credential: 'x'.repeat(length) })

  it.each([
    ['250 pieces of one octet', credential(230), 1],
    ['JSON that is streamed by 100 octets', credential(25_000), 100],
    ['1 KiB a piece', credential(900_000), 1_024],
    ['one piece', credential(900_000), 1_000_000],
  ])('%s', async (_, text, size) => {
    const { hostname, port } = new URL(service.url)
    const socket = connect(Number(port), hostname)
    const ask = `POST /credentials/verify HTTP/1.1\r\nHost: x\r\nAuthorization: ${authorization}\r\nContent-Type: ${JSON_TYPE}\r\nTransfer-Encoding: chunked\r\n\r\n${chunked(text, size)}0\r\n\r\n`
    let answer = ''
    socket.setEncoding('utf8').on('data', (data) => {
      answer += data
      // The connection stays open for the next request.
      if (answer.includes('isValid') && !answer.includes('Credence'))
        socket.write('GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n')
    })
    socket.write(ask)
    await new Promise((resolve) => socket.on('close', resolve))
    expect([...answer.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status)).toEqual(['200', '200'])
  })

  it('after a 413 the connection serves the next request', async () => {
    const { hostname, port } = new URL(service.url)
    const socket = connect(Number(port), hostname)
    let answer = ''
    socket.setEncoding('utf8').on('data', (data) => {
      answer += data
    })
    const body = 'a'.repeat(2 * 1_048_576)
    socket.write(
      `POST /openid4vp/responses/x HTTP/1.1\r\nHost: x\r\nContent-Type: ${FORM}\r\nContent-Length: ${body.length}\r\n\r\n${body}` +
        'GET /version HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n',
    )
    await new Promise((resolve) => socket.on('close', resolve))
    expect([...answer.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status)).toEqual(['413', '200'])
  })
})

describe('framing of a body costs no more than the body (RFC 9112 §7.1)', () => {
  const EXTENDED = extended('a'.repeat(256), 8_192).repeat(400)

  it.each([
    ['a form of a wallet', 400, 'POST /openid4vp/responses/x', () => service.url],
    ['a form on the public listener', 400, 'POST /openid4vp/responses/x', () => publicUrl],
    ['an unknown path', 404, 'POST /nowhere', () => service.url],
    ['no token', 401, 'POST /credentials/verify', () => service.url],
    ['an unknown method', 405, 'PUT /trpc/verify.verify', () => service.url],
    ['the port for operators', 404, 'POST /metrics', () => operations.url],
  ])('long extensions of many chunks: %s, %i', async (_, expected, line, url) => {
    const type = expected === 401 ? json : form
    expect((await sendChunks(url(), line, type, EXTENDED)).status).toBe(expected)
  })

  it.each([
    ['an extension without end', extended('a', 2 * 1_048_576)],
    ['5,000 trailers', `1\r\na\r\n0\r\n${Array.from({ length: 5_000 }, (_, at) => `x-${at}: y\r\n`).join('')}`],
    ['a trailer without end', `1\r\na\r\n0\r\nx: ${'y'.repeat(2 * 1_048_576)}`],
  ])('%s ends the connection on every route', async (_, chunks) => {
    for (const line of ['POST /openid4vp/responses/x', 'POST /nowhere', 'GET /version'])
      expect((await sendChunks(service.url, line, form, chunks)).status).toBeGreaterThanOrEqual(200)
  })

  it('extensions of a size that clients send do not matter', async () => {
    const text = JSON.stringify({ credential: 'x'.repeat(20_000) })
    const pieces = text.match(/.{1,1000}/g) ?? []
    const headers = { ...json, Authorization: authorization, Connection: 'close' }
    const chunks = `${pieces.map((piece) => extended(piece, 100)).join('')}0\r\n\r\n`
    expect((await sendChunks(service.url, 'POST /credentials/verify', headers, chunks)).status).toBe(200)
  })
})

describe('a packed body costs no more than its limit', () => {
  const EMPTY_GZIP = gzipSync('')
  const STORED = Buffer.from([0, 0, 0, 0xff, 0xff])
  const NOTHING = {
    'gzip: 40,000 empty members (RFC 1952 §2.2)': ['gzip', Buffer.concat(Array(40_000).fill(EMPTY_GZIP))],
    'deflate: 200,000 empty blocks (RFC 1951 §3.2.4)': [
      'deflate',
      Buffer.concat([Buffer.from([0x78, 0x01]), ...Array(200_000).fill(STORED)]),
    ],
  } as const
  const ZEROS = Buffer.alloc(64 * 1_048_576)
  const FAR_MORE = { gzip: gzipSync(ZEROS), deflate: deflateSync(ZEROS), br: brotliCompressSync(ZEROS) } as const

  const ROUTES = [
    ['JSON of the interface', '/credentials/verify', JSON_TYPE],
    ['typed RPC', '/trpc/verify.verify', JSON_TYPE],
    ['a form of a wallet', '/openid4vp/responses/x', FORM],
    ['parameters of a token', '/openid4vci/token', FORM],
  ] as const

  const send = (path: string, type: string, encoding: string, body: Buffer) => {
    const headers = { authorization, 'content-type': type, 'content-encoding': encoding }
    return fetch(`${service.url}${path}`, { method: 'POST', headers, body: new Uint8Array(body) })
  }

  it.each(ROUTES)('with empty content is refused like an empty body: %s', async (_, path, type) => {
    for (const [what, [encoding, body]] of Object.entries(NOTHING)) {
      const { status } = await send(path, type, encoding, body)
      expect([400, 404, 413], what).toContain(status)
    }
  })

  it.each(ROUTES)('with 64 MiB of content is a 413: %s', async (_, path, type) => {
    for (const [encoding, body] of Object.entries(FAR_MORE))
      expect((await send(path, type, encoding, body)).status, encoding).toBe(413)
  })

  it('in pieces of one octet is refused like any other body', async () => {
    const { length } = FAR_MORE.gzip
    const pieces = Array.from({ length }, (_, at) =>
      Buffer.concat([Buffer.from('1\r\n'), FAR_MORE.gzip.subarray(at, at + 1), Buffer.from('\r\n')]),
    )
    const headers = { ...form, 'Content-Encoding': 'gzip' }
    const ended = await sendChunks(service.url, 'POST /openid4vp/responses/x', headers, Buffer.concat(pieces))
    expect([400, 413]).toContain(ended.status)
  })
})
