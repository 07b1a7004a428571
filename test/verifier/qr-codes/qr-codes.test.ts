import { createServer, type Server } from 'node:http'
import { crc32, deflateSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { qrCodePng } from '../../../server/pages/qr-code.js'
import { portOf } from '../../support/local-server.js'
import { textInPng } from '../../support/qr-code.js'
import { type Asked, ask, ITEM, sessionOf } from '../actors.js'
import { useWorld } from '../world.js'

const world = useWorld({ env: { OUTBOUND_ALLOWED_HOSTS: '127.0.0.1' } })
const IMAGE = '/api/v1/verifier/qr-codes/image'

const newRequest = () => ask(world.service, { query: [ITEM] })
const pathOf = (asked: Asked) => new URL(asked.qr_code_url).pathname

async function image(url: string) {
  const response = await fetch(`${world.service.url}${IMAGE}?${new URLSearchParams({ url })}`)
  const bytes = Buffer.from(await response.arrayBuffer())
  return { response, bytes, message: () => JSON.parse(bytes.toString()).message }
}

describe('GET /api/v1/verifier/qr-codes/{id}', () => {
  it('is a JSON string with a data URI for everyone, and its image decodes to the request', async () => {
    const asked = await newRequest()
    const read = await world.service.request('GET', pathOf(asked))
    expect(read.status).toBe(200)
    expect(read.headers.get('content-type')).toBe('application/json; charset=utf-8')
    const [, base64 = ''] = /^data:image\/png;base64,(.+)$/.exec(read.json) ?? []
    expect(textInPng(Buffer.from(base64, 'base64'))).toBe(asked.authorizationRequestUri)
  })

  it('does not count as a fetch of the request', async () => {
    const asked = await newRequest()
    await world.service.request('GET', pathOf(asked))
    expect((await sessionOf(world.service, asked)).state).toBe('RequestCreated')
  })

  it.each(['unknown', 'image%2Fx'])('an unknown id is a 404: %s', async (id) => {
    const missing = await world.service.request('GET', `/api/v1/verifier/qr-codes/${id}`)
    expect([missing.status, missing.json.message]).toEqual([404, 'QR code not found.'])
  })

  it('is found by its own id only, not by the id of request or session', async () => {
    const asked = await newRequest()
    for (const id of [asked.verificationSessionId, asked.request_uri.split('/').at(-1)]) {
      expect((await world.service.request('GET', `/api/v1/verifier/qr-codes/${id}`)).status).toBe(404)
    }
  })
})

describe('DELETE /api/v1/verifier/qr-codes/{id}', () => {
  it('needs the client secret, answers 204 once, and does not change the request', async () => {
    const asked = await newRequest()
    expect((await world.service.request('DELETE', pathOf(asked))).status).toBe(401)
    const removed = await world.service.request('DELETE', pathOf(asked), { client: true })
    expect([removed.status, removed.text]).toEqual([204, ''])
    expect((await world.service.request('DELETE', pathOf(asked), { client: true })).status).toBe(404)
    expect((await world.service.request('GET', pathOf(asked))).status).toBe(404)
    expect((await fetch(asked.request_uri)).status).toBe(200)
  })
})

describe('GET /api/v1/verifier/qr-codes/image', () => {
  let files: Server
  let answers: Record<string, { body: Buffer | string; status?: number }>
  const at = (path: string) => `http://127.0.0.1:${portOf(files)}${path}`

  beforeAll(async () => {
    const png = await qrCodePng('openid4vp://?client_id=x&request_uri=https://verifier.example/1')
    const chunk = (type: string, data: Buffer) => {
      const body = Buffer.concat([Buffer.from(type), data])
      const [length, crc] = [Buffer.alloc(4), Buffer.alloc(4)]
      length.writeUInt32BE(data.length)
      crc.writeUInt32BE(crc32(body))
      return Buffer.concat([length, body, crc])
    }
    /** An image of two by two pixels of a byte each, with the given rows. */
    const withPixels = (data: Buffer, interlace = 0) =>
      Buffer.concat([
        png.subarray(0, 8),
        chunk('IHDR', Buffer.from([0, 0, 0, 2, 0, 0, 0, 2, 8, 6, 0, 0, interlace])),
        chunk('IDAT', data),
        chunk('IEND', Buffer.alloc(0)),
      ])
    const text = chunk('tEXt', Buffer.from('Comment\0<script>alert(1)</script>'))
    const huge = Buffer.from(png)
    huge.writeUInt32BE(60_000, 16)
    huge.writeUInt32BE(60_000, 20)
    answers = {
      '/code.png': { body: Buffer.concat([png.subarray(0, 33), text, png.subarray(33)]) },
      '/data-uri': { body: `data:image/png;base64,${png.toString('base64')}` },
      '/json': { body: JSON.stringify(`data:image/png;base64,${png.toString('base64')}`) },
      '/svg': { body: '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>' },
      '/html': { body: 'data:text/html;base64,PHNjcmlwdD4=' },
      '/broken.png': { body: png.subarray(0, 60) },
      '/huge.png': { body: huge },
      '/filter.png': { body: withPixels(deflateSync(Buffer.from([9, 0, 0, 0, 0, 9, 0, 0, 0, 0]))) },
      '/interlaced.png': { body: withPixels(deflateSync(Buffer.alloc(10)), 1) },
      '/long.png': { body: Buffer.concat([png, Buffer.alloc(70_000)]) },
      '/missing': { body: png, status: 404 },
      '/redirected': { body: png, status: 302 },
    }
    files = createServer((request, response) => {
      const { body, status = 200 } = answers[request.url ?? ''] ?? { body: '', status: 500 }
      response.writeHead(status, { 'content-type': 'text/html' }).end(body)
    })
    await new Promise<void>((resolve) => files.listen(0, '127.0.0.1', resolve))
  })
  afterAll(() => new Promise((resolve) => files.close(resolve)))

  it("shows one of the service's own QR codes, from the store", async () => {
    const asked = await newRequest()
    const { response, bytes } = await image(asked.qr_code_url)
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'image/png'])
    expect(textInPng(bytes)).toBe(asked.authorizationRequestUri)
  })

  it("shows an offering's QR code too", async () => {
    const offering = await world.service.request('POST', '/api/v1/offerings', {
      client: true,
      body: { credential_type: 'ProofOfPurchase', credential_subject: { product: 'x' } },
    })
    const { bytes } = await image(offering.json.qr_code_url)
    expect(textInPng(bytes)).toBe(offering.json.offering_full_url)
  })

  it.each(['/code.png', '/data-uri', '/json'])(
    'shows the image of another host, only with its pixels: %s',
    async (path) => {
      const { response, bytes } = await image(at(path))
      expect(response.status).toBe(200)
      expect(response.headers.get('content-type')).toBe('image/png')
      expect(response.headers.get('x-content-type-options')).toBe('nosniff')
      expect(response.headers.get('content-security-policy')).toBe("default-src 'none'")
      expect(textInPng(bytes)).toBe('openid4vp://?client_id=x&request_uri=https://verifier.example/1')
      expect(bytes.includes('script')).toBe(false)
    },
  )

  const UNUSABLE = ['url has no usable image of a QR code']

  it.each([
    '/svg',
    '/html',
    '/broken.png',
    '/filter.png',
    '/interlaced.png',
    '/huge.png',
    '/long.png',
    '/missing',
    '/redirected',
  ])('refuses %s', async (path) => {
    const refused = await image(at(path))
    expect([refused.response.status, refused.message()]).toEqual([400, UNUSABLE])
  })

  it('gives the same answer for every unusable address, so that callers learn nothing about internal names and servers', async () => {
    const port = portOf(files)
    for (const url of [
      'not a url',
      'file:///etc/passwd',
      'http://169.254.169.254/latest/meta-data',
      'http://[::1]/',
      'http://10.0.0.1/x.png',
      'http://nowhere.invalid/x.png',
      'https://nowhere.invalid/x.png',
      `https://127.0.0.1:${port}/code.png`,
      'http://127.0.0.1:1/x.png',
      `${world.service.url}/agent/holders`,
    ]) {
      const refused = await image(url)
      expect([url, refused.response.status, refused.message()]).toEqual([url, 400, UNUSABLE])
    }
  })

  it('needs the url, and an existing QR code of this service', async () => {
    const without = await world.service.request('GET', IMAGE)
    expect([without.status, without.json.message]).toEqual([400, ['url must be defined']])
    const empty = await image('')
    expect([empty.response.status, empty.message()]).toEqual([400, ['url must not be empty']])
    const unknown = await image(`${world.service.url}/api/v1/verifier/qr-codes/unknown`)
    expect([unknown.response.status, unknown.message()]).toEqual([404, 'QR code not found.'])
  })
})
