import { createHash } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { MAX_UNUSED } from '../../server/images/images.contract.js'
import { newTypeName, PURCHASE } from '../issuer/purchase.js'
import { runTask } from '../support/maintenance.js'
import { query } from '../support/postgres.js'
import { startService, type TestService } from '../support/service.js'
import { JPEG, png, svg } from './pictures.js'

let service: TestService
let ada: string
let bob: string
let now = new Date()

const DAY = 86_400_000

/** Tokens that outlast the days that the tests let pass. */
const LONG = { expiresIn: 200 * 86_400 }

beforeAll(async () => {
  service = await startService({ clock: () => now, maintenance: false })
  ada = await service.bearer('ada', LONG)
  bob = await service.bearer('bob', LONG)
})
afterAll(() => service.close())

const post = (bytes: Uint8Array, authorization = ada, members: Record<string, unknown> = {}) =>
  service.request('POST', '/api/v1/images', {
    authorization,
    body: { data: Buffer.from(bytes).toString('base64'), ...members },
  })

const raw = (id: string, headers: Record<string, string> = {}) => fetch(`${service.url}/images/${id}`, { headers })

const removeUnused = async () => {
  for (const task of service.features.images.tasks) await runTask(task, now)
}

const sha256 = (bytes: Uint8Array, encoding: 'hex' | 'base64') => createHash('sha256').update(bytes).digest(encoding)

const GOOD_SVG = svg(
  `<title>Shop</title><defs><linearGradient id="g"><stop offset="0" stop-color="#fff"/></linearGradient></defs>
   <style>.a { fill: url(#g) } @media (prefers-color-scheme: dark) { .a { fill: #000 } }</style>
   <rect id="r" class="a" width="4" height="4" transform="rotate(3)" style="stroke: url('#g')"/><use xlink:href="#r" x="6"/>
   <image href="data:image/png;base64,${png(2, 2).toString('base64')}" width="2" height="2"/>`,
  'xmlns:inkscape="http://www.inkscape.org/namespaces/inkscape" inkscape:version="1.3"',
)

describe('POST /api/v1/images', () => {
  it.each([
    ['a PNG', png(12, 8), 'image/png', 12, 8],
    ['a JPEG', JPEG, 'image/jpeg', 16, 16],
    ['an SVG with styles, gradients, uses and an embedded PNG', GOOD_SVG, 'image/svg+xml', 40, 20],
  ])('stores %s, and answers its address, integrity, type and size', async (_, bytes, mediaType, width, height) => {
    const { status, json, text } = await post(bytes)
    const id = sha256(bytes, 'hex')
    expect([status, json], text).toEqual([
      201,
      {
        id,
        uri: `${service.url}/images/${id}`,
        integrity: `sha256-${sha256(bytes, 'base64')}`,
        mediaType,
        width,
        height,
      },
    ])
  })

  it('stores the same bytes once, for two callers too', async () => {
    const bytes = png(3, 3)
    const answers = await Promise.all([post(bytes), post(bytes), post(bytes, bob)])
    expect(new Set(answers.map(({ json }) => json.id))).toEqual(new Set([sha256(bytes, 'hex')]))
    const id = answers[0]?.json.id
    expect(await query(service.databaseUrl, 'SELECT id FROM images WHERE id = $1', [id])).toHaveLength(1)
    const uploads = await query(service.databaseUrl, 'SELECT uploader FROM image_uploads WHERE image_id = $1', [id])
    expect(uploads.map(({ uploader }) => uploader).sort()).toEqual(['ada', 'bob'])
  })

  it('answers the client secret, and refuses callers without credentials', async () => {
    const body = { data: png(4, 4).toString('base64') }
    expect((await service.request('POST', '/api/v1/images', { client: true, body })).status).toBe(201)
    expect((await service.request('POST', '/api/v1/images', { body })).status).toBe(401)
  })

  const damaged = png(6, 6)
  damaged.writeUInt8(damaged.readUInt8(45) ^ 0xff, 45)

  it.each([
    ['<script>', svg('<script>alert(1)</script>'), 'must not have a script (<script>)'],
    ['<foreignObject>', svg('<foreignObject/>'), 'must not have content of another kind (<foreignObject>)'],
    ['onload', svg('', 'onload="alert(1)"'), 'must not have the event attribute onload'],
    [
      'an XHTML element',
      svg('<h:iframe xmlns:h="http://www.w3.org/1999/xhtml"/>'),
      'must not have the element <h:iframe>',
    ],
    [
      'an animation',
      svg('<animate attributeName="href" to="javascript:alert(1)"/>'),
      'must not have the element <animate>',
    ],
    [
      'xlink:href to outside',
      svg('<image xlink:href="https://evil.example/x.png"/>'),
      'must not refer to another place (xlink:href="https://evil.example/x.png" of <image>)',
    ],
    [
      '<use href="https:',
      svg('<use href="https://evil.example/#a"/>'),
      'must not refer to another place (href="https://evil.example/#a" of <use>)',
    ],
    ['javascript:', svg('<a href="javascript:alert(1)"/>'), 'must not have the element <a>'],
    ['CSS @import', svg('<style>@import "https://evil.example";</style>'), 'must not have the rule @import in a style'],
    [
      'CSS url()',
      svg('<style>rect { fill: url(https://evil.example) }</style>'),
      'must not refer to another place with url(): only url(#…) is allowed',
    ],
    [
      'CSS url() in an attribute',
      svg('<rect filter="url(//evil.example/#f)"/>'),
      'must not refer to another place with url(): only url(#…) is allowed',
    ],
    [
      'CSS url() with an escape',
      svg('<rect style="fill: \\75rl(\'https://evil.example\')"/>'),
      'must not refer to another place with url(): only url(#…) is allowed',
    ],
    [
      'CSS image-set()',
      svg('<rect style="fill: image-set(\'https://evil.example\' 1x)"/>'),
      'must not have the function image-set() in a style',
    ],
    ['xml:base', svg('', 'xml:base="https://evil.example/"'), 'must not have the attribute xml:base'],
    [
      'a style sheet',
      Buffer.concat([Buffer.from('<?xml version="1.0"?><?xml-stylesheet href="x"?>'), svg('')]),
      'must not have a processing instruction (<?xml-stylesheet?>)',
    ],
    [
      'an entity bomb',
      Buffer.from(
        '<!DOCTYPE svg [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;">]><svg xmlns="http://www.w3.org/2000/svg">&b;</svg>',
      ),
      'must not define entities (<!ENTITY>)',
    ],
    [
      'a DOCTYPE',
      Buffer.concat([Buffer.from('<!DOCTYPE svg SYSTEM "https://evil.example/x.dtd">'), svg('')]),
      'must not have a document type: remove the line <!DOCTYPE …>',
    ],
    ['many levels', svg('<g>'.repeat(70) + '</g>'.repeat(70)), 'must not be nested deeper than 64 elements'],
    [
      'uses of uses',
      svg(
        Array.from({ length: 8 }, (__, at) => `<g id="g${at}">${`<use href="#g${at + 1}"/>`.repeat(9)}</g>`).join('') +
          '<g id="g8"/>',
      ),
      'must not draw more than 20000 elements with <use>',
    ],
    [
      'a circle of uses',
      svg('<g id="a"><use href="#a"/></g>'),
      'must not have <use> elements that draw each other in a circle',
    ],
    [
      'text after the SVG',
      Buffer.concat([svg(''), Buffer.from('<svg/>')]),
      'is not well-formed XML: documents may contain only one root.',
    ],
    ['UTF-16', Buffer.concat([Buffer.from('<svg '), Buffer.from([0xff, 0xfe])]), 'must be written in UTF-8'],
    [
      '300 KiB',
      png(1, 1).length > 0 ? Buffer.alloc(300 * 1024, 0x20) : Buffer.alloc(0),
      'must not have more than 256 KiB, and has 307200 bytes',
    ],
    [
      'a PNG header with other bytes',
      Buffer.concat([png().subarray(0, 8), Buffer.from('<script>alert(1)</script> and more')]),
      'is a damaged PNG: a chunk is cut off',
    ],
    ['a PNG with a changed byte', damaged, 'is a damaged PNG: the checksum of chunk IDAT is wrong'],
    ['a PNG polyglot', Buffer.concat([png(), Buffer.from('<script>')]), 'has 8 bytes after the end of the PNG'],
    ['a JPEG polyglot', Buffer.concat([JPEG, Buffer.from('PK')]), 'has 2 bytes after the end of the JPEG'],
    ['half a JPEG', JPEG.subarray(0, 400), 'is a damaged JPEG: it has no end'],
    ['a wide PNG', png(4097, 1), 'must be between 1 and 4096 pixels wide and high, and is 4097 × 1'],
    ['a GIF', Buffer.from('GIF89a\x01\x00\x01\x00'), 'must be a PNG, JPEG or SVG, and is a GIF'],
    ['an HTML page', Buffer.from('<!doctype html><svg/>'), 'must be a PNG, JPEG or SVG, and is an HTML page'],
    ['no image', Buffer.from('hello'), 'is not an image: it must be a PNG, JPEG or SVG'],
  ])('refuses %s by name', async (_, bytes, message) => {
    const { status, json } = await post(bytes)
    expect([status, json.message]).toEqual([400, [`image ${message}`]])
    const stored = await query(service.databaseUrl, 'SELECT id FROM images WHERE id = $1', [sha256(bytes, 'hex')])
    expect(stored).toEqual([])
  })

  it('refuses an image of another type than declared, and text that is not base64', async () => {
    const { json } = await post(png(), ada, { mediaType: 'image/svg+xml' })
    expect(json.message).toEqual(['image must be of the type image/svg+xml, and is of the type image/png'])
    const { status } = await service.request('POST', '/api/v1/images', { authorization: ada, body: { data: '%%%' } })
    expect(status).toBe(400)
  })

  it(`a caller may have ${MAX_UNUSED} unused images; simultaneous uploads do not exceed the limit, and other callers are not affected`, async () => {
    const carol = await service.bearer('carol')
    await query(
      service.databaseUrl,
      `INSERT INTO images (id, media_type, width, height, bytes) SELECT md5(n::text), 'image/png', 1, 1, '' FROM generate_series(1, $1) n`,
      [MAX_UNUSED - 1],
    )
    await query(
      service.databaseUrl,
      `INSERT INTO image_uploads (image_id, uploader) SELECT md5(n::text), 'carol' FROM generate_series(1, $1) n`,
      [MAX_UNUSED - 1],
    )
    const answers = await Promise.all([1, 2, 3, 4].map((seed) => post(png(5, 5, seed), carol)))
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409])
    expect(answers.find(({ status }) => status === 409)?.json.message).toBe(
      `You have ${MAX_UNUSED} images that no record uses. Use them, delete some, or wait until the service removes them.`,
    )
    expect((await post(png(5, 5, 9), bob)).status).toBe(201)
  })
})

describe('GET /images/{id}', () => {
  it('sends the bytes unchanged, for a year, in a sandbox, and only under their type', async () => {
    const { json } = await post(GOOD_SVG)
    const answer = await raw(json.id, { origin: 'https://wallet.example' })
    expect(Buffer.from(await answer.arrayBuffer()).equals(GOOD_SVG)).toBe(true)
    expect(answer.headers.get('content-type')).toBe('image/svg+xml')
    expect(answer.headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
    expect(answer.headers.get('x-content-type-options')).toBe('nosniff')
    expect(answer.headers.get('content-security-policy')).toBe("default-src 'none'; sandbox")
    expect(answer.headers.get('cross-origin-resource-policy')).toBe('cross-origin')
    expect(answer.headers.get('access-control-allow-origin')).toBe('*')
    expect(answer.headers.get('set-cookie')).toBeNull()
  })

  it.each(['0'.repeat(64), 'x', 'A'.repeat(64)])('answers 404 for the unknown id %s', async (id) => {
    const answer = await raw(id)
    expect([answer.status, await answer.json()]).toMatchObject([404, { message: 'Image not found.' }])
  })
})

describe('unused images', () => {
  const typeWith = (image: string) =>
    service.request('POST', '/schemas', {
      authorization: ada,
      body: { name: newTypeName(), version: 1, schema: PURCHASE, display: [{ name: 'Card', logo: { image } }] },
    })

  it('are removed after 30 days without use, and are then unknown; images of a type stay', async () => {
    const [used, unused] = [(await post(png(7, 7))).json, (await post(png(7, 8))).json]
    expect((await typeWith(used.id)).status).toBe(201)
    now = new Date(now.getTime() + 29 * DAY)
    await removeUnused()
    expect((await raw(unused.id)).status).toBe(200)
    now = new Date(now.getTime() + 2 * DAY)
    await removeUnused()
    expect([(await raw(unused.id)).status, (await raw(used.id)).status]).toEqual([404, 200])
    const { status, json } = await typeWith(unused.id)
    expect([status, json.message]).toEqual([400, ['display.0.logo names no image of this service']])
  })

  it('a second upload begins the period again', async () => {
    const { id } = (await post(png(7, 9))).json
    now = new Date(now.getTime() + 20 * DAY)
    await post(png(7, 9), await service.bearer('dora', LONG))
    now = new Date(now.getTime() + 20 * DAY)
    await removeUnused()
    expect((await raw(id)).status).toBe(200)
  })
})
