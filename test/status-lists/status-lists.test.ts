import { type IncomingHttpHeaders, request } from 'node:http'
import { gunzipSync, inflateSync } from 'node:zlib'
import { decodeJwt, decodeProtectedHeader } from 'jose'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { postSchema, SUBJECT } from '../issuer/purchase.js'
import { query } from '../support/postgres.js'
import { startService, type TestService } from '../support/service.js'

const SIZE = 131_072
const FORMS = ['status-lists', 'token-status-lists'] as const

let service: TestService
let now = Date.now()
let authorization: string
let type: string

beforeAll(async () => {
  service = await startService({ clock: () => new Date(now) })
  authorization = await service.bearer('alice', { expiresIn: 10_000_000 })
  type = (await postSchema(service, authorization)).name
})
afterAll(() => service.close())

interface Place {
  readonly id: string
  readonly listId: string
  readonly index: number
}

async function issue(by = service): Promise<Place> {
  const body = { type, credential_subject: SUBJECT }
  const { json } = await by.request('POST', '/api/v1/credentials', { authorization, body })
  const [{ statusListCredential, statusListIndex }] = json.vc.credentialStatus
  return { id: json.id, listId: new URL(statusListCredential).pathname.split('/')[2] ?? '', index: statusListIndex }
}

const revoke = ({ id }: Place) => service.request('POST', `/api/v1/credentials/${id}/revoke`, { client: true })

const get = (form: (typeof FORMS)[number], { listId }: Place, headers: Record<string, string> = {}) =>
  service.request('GET', `/${form}/${listId}`, { headers })

interface RawAnswer {
  readonly status: number | undefined
  readonly headers: IncomingHttpHeaders
  readonly body: Buffer
}

/** Reads the raw answer, because `fetch` would ask for a compressed answer and hide the compression. */
function raw(method: string, form: (typeof FORMS)[number], { listId }: Place, headers: Record<string, string> = {}) {
  return new Promise<RawAnswer>((resolve, reject) => {
    const sent = request(`${service.url}/${form}/${listId}`, { method, headers }, async (response) => {
      const body = Buffer.concat(await response.toArray())
      resolve({ status: response.statusCode, headers: response.headers, body })
    })
    sent.on('error', reject).end()
  })
}

async function revokedIndices(place: Place): Promise<number[]> {
  const { text } = await get('token-status-lists', place)
  const { status_list } = decodeJwt<{ status_list: { lst: string } }>(text)
  const bytes = inflateSync(Buffer.from(status_list.lst, 'base64url'))
  return Array.from({ length: SIZE }, (_, index) => index).filter(
    (index) => ((bytes[index >> 3] ?? 0) >> (index & 7)) & 1,
  )
}

describe.each([
  ['status-lists', 'application/vc+jwt', 'vc+jwt'],
  ['token-status-lists', 'application/statuslist+jwt', 'statuslist+jwt'],
] as const)('GET /%s/{id}', (form, mediaType, typ) => {
  let place: Place
  beforeEach(async () => {
    place = await issue()
  })

  it(`gives anyone a signed list as ${mediaType}, with ETag and a short Cache-Control`, async () => {
    const answer = await get(form, place)
    expect(answer.status).toBe(200)
    expect(answer.headers.get('content-type')).toBe(mediaType)
    expect(answer.headers.get('cache-control')).toMatch(/^public, max-age=60, stale-if-error=\d+$/)
    expect(answer.headers.get('etag')).toMatch(/^"[\w.-]+"$/)
    // Every origin is allowed, because a cache may give browsers an answer that it has stored for other clients.
    expect(answer.headers.get('access-control-allow-origin')).toBe('*')
    expect(decodeProtectedHeader(answer.text)).toMatchObject({ typ, alg: 'ES256' })
  })

  it('answers 304 without a body to a client that has the list already (RFC 9110 §13.1.2)', async () => {
    const { headers } = await get(form, place)
    const etag = headers.get('etag') ?? ''
    for (const sent of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
      const answer = await get(form, place, { 'if-none-match': sent })
      expect([sent, answer.status, answer.text, answer.headers.get('etag')]).toEqual([sent, 304, '', etag])
      expect(answer.headers.get('cache-control')).toMatch(/^public, max-age=60, stale-if-error=\d+$/)
    }
    expect((await get(form, place, { 'if-none-match': '"other"' })).status).toBe(200)
    await revoke(place)
    const changed = await get(form, place, { 'if-none-match': etag })
    expect([changed.status, changed.headers.get('etag') === etag]).toEqual([200, false])
  })

  it('answers the same bytes until a revocation, and signs again before they expire', async () => {
    const first = await get(form, place)
    expect((await get(form, place)).text).toBe(first.text)
    const issued = now
    try {
      now += 13 * 60 * 60 * 1000
      const second = await get(form, place)
      expect(second.text).not.toBe(first.text)
      const { exp, validUntil } = decodeJwt<{ validUntil?: string }>(second.text)
      expect(exp ?? Date.parse(validUntil ?? '') / 1000).toBeGreaterThan(now / 1000 + 12 * 60 * 60)
    } finally {
      now = issued
    }
  })

  it('is compressed for clients that accept gzip, once for each version, with its own ETag (RFC 9110 §8.8.3.3)', async () => {
    const { body: plain } = await raw('GET', form, place, { 'accept-encoding': 'identity' })
    const first = await raw('GET', form, place, { 'accept-encoding': 'br;q=1.0, gzip;q=0.8, *;q=0.1' })
    expect([first.status, first.headers['content-encoding'], first.headers.vary]).toEqual([
      200,
      'gzip',
      'Accept, Accept-Encoding',
    ])
    expect(first.headers['content-type']).toBe(mediaType)
    expect(gunzipSync(first.body).equals(plain)).toBe(true)
    const { headers } = await raw('GET', form, place)
    expect([headers['content-encoding'], headers.vary]).toEqual([undefined, 'Accept, Accept-Encoding'])
    expect(headers.etag).not.toBe(first.headers.etag)
    const published = await service.features.statusLists.publish(
      form === 'status-lists' ? 'bitstring' : 'token',
      place.listId,
    )
    const again = await service.features.statusLists.publish(
      form === 'status-lists' ? 'bitstring' : 'token',
      place.listId,
    )
    expect(again?.gzipped).toBe(published?.gzipped)
    for (const [coding, own, other] of [
      ['gzip', first.headers.etag, headers.etag],
      ['identity', headers.etag, first.headers.etag],
    ] as const) {
      const ask = (etag = '') => raw('GET', form, place, { 'accept-encoding': coding, 'if-none-match': etag })
      const known = await ask(own)
      expect([known.status, known.body.length, known.headers.etag]).toEqual([304, 0, own])
      expect(known.headers.vary).toBe('Accept, Accept-Encoding')
      expect((await ask(other)).status).toBe(200)
    }
  })

  it.each(['', 'identity', 'br', 'gzip;q=0', '*;q=0, gzip;q=0', 'identity, gzip;q=0.5'])(
    'is not compressed for Accept-Encoding %j',
    async (coding) => {
      const { headers } = await raw('GET', form, place, { 'accept-encoding': coding })
      expect(headers['content-encoding']).toBeUndefined()
    },
  )

  it('answers HEAD like GET, without a body', async () => {
    for (const coding of ['gzip', 'identity']) {
      const sent = { 'accept-encoding': coding }
      const [got, head] = [await raw('GET', form, place, sent), await raw('HEAD', form, place, sent)]
      expect([head.status, head.body.length, got.body.length > 0]).toEqual([200, 0, true])
      for (const name of ['etag', 'content-type', 'content-encoding', 'content-length', 'vary', 'cache-control']) {
        expect([name, head.headers[name]]).toEqual([name, got.headers[name]])
      }
      expect(head.headers['content-length']).toBe(String(got.body.length))
    }
  })

  it.each(['unknown', '00000000-0000-4000-8000-000000000000'])('answers 404 for %s', async (listId) => {
    const answer = await get(form, { ...place, listId })
    expect([answer.status, answer.json.message]).toEqual([404, 'Status list not found.'])
  })
})

describe('GET /token-status-lists/{id}', () => {
  it.each([
    [200, 'application/statuslist+jwt'],
    [200, '*/*'],
    [200, 'application/*;q=0.1'],
    [200, 'application/statuslist+jwt, application/statuslist+cwt;q=0.5'],
    [406, 'application/statuslist+cwt;q=0'],
    [406, 'application/statuslist+jwt;q=0, */*'],
    [406, 'text/html'],
  ])('answers %i to Accept: %s (Token Status List §8.1)', async (status, accept) => {
    const place = await issue()
    for (const method of ['GET', 'HEAD']) {
      const path = `/token-status-lists/${place.listId}`
      const answer = await service.request(method, path, { headers: { accept } })
      expect(answer.status).toBe(status)
      if (status === 200) expect(answer.headers.get('content-type')).toBe('application/statuslist+jwt')
      else if (method === 'GET') {
        const message = 'Only application/statuslist+jwt and application/statuslist+cwt can be had here.'
        expect(answer.json).toEqual({
          statusCode: 406,
          message,
          path,
          timestamp: expect.any(String),
          error: 'Not Acceptable',
        })
      }
    }
  })

  it.each(['?time=1686925000', '?time='])(
    'answers 501 to %s, because former lists are not stored (Token Status List §8.4)',
    async (time) => {
      const path = `/token-status-lists/${(await issue()).listId}`
      const answer = await service.request('GET', `${path}${time}`)
      const message = 'Status lists of former times are not kept.'
      expect(answer.json).toEqual({
        statusCode: 501,
        message,
        path,
        timestamp: expect.any(String),
        error: 'Not Implemented',
      })
      expect((await service.request('HEAD', `${path}${time}`)).status).toBe(501)
      expect((await service.request('GET', `${path}?other=1`)).status).toBe(200)
      expect((await service.request('GET', `${path}${time}&time=2`)).status).toBe(400)
    },
  )
})

describe('revocation', () => {
  it('is visible in both kinds of lists at once, for this credential only', async () => {
    const places = [await issue(), await issue(), await issue()] as const
    const before = await revokedIndices(places[0])
    const etags = await Promise.all(FORMS.map(async (form) => (await get(form, places[0])).headers.get('etag')))
    await revoke(places[1])
    expect((await revokedIndices(places[0])).filter((index) => !before.includes(index))).toEqual([places[1].index])
    for (const [position, form] of FORMS.entries()) {
      expect((await get(form, places[0])).headers.get('etag')).not.toBe(etags[position])
    }
  })

  it('repeated changes nothing, not even the ETag', async () => {
    const place = await issue()
    await revoke(place)
    const { text } = await get('status-lists', place)
    await revoke(place)
    expect((await get('status-lists', place)).text).toBe(text)
  })
})

describe('status indices', () => {
  it('are unique over all processes, and reveal no order (Token Status List §13.2)', async () => {
    await using other = await startService({
      databaseUrl: service.databaseUrl,
      identityProvider: service.identityProvider,
      env: { ISSUER_BASE_URL: service.url, VERIFIER_BASE_URL: service.url },
    })
    const places = await Promise.all(Array.from({ length: 80 }, (_, count) => issue(count % 2 === 0 ? service : other)))
    expect(new Set(places.map(({ listId, index }) => `${listId} ${index}`)).size).toBe(80)
    const indices = places.map(({ index }) => index)
    expect(Math.max(...indices)).toBeLessThan(SIZE)
    // In a random sequence of 79 out of 131,072 indices, the probability that two successive indices are neighbours is
    // one in a thousand.
    const neighbours = indices.filter((index, at) => at > 0 && Math.abs(index - (indices[at - 1] ?? 0)) === 1)
    expect(neighbours.length).toBeLessThan(3)
    expect(Math.max(...indices) - Math.min(...indices)).toBeGreaterThan(SIZE / 2)
  })

  it('come from a new list when a list is full; both lists stay published, the new list with its own sequence', async () => {
    const first = await issue()
    await query(service.databaseUrl, 'UPDATE status_lists SET allotted = size')
    // The process still has some reserved indices.
    const places: Place[] = []
    do places.push(await issue())
    while (places.at(-1)?.listId === first.listId)
    const next = places.at(-1) as Place
    expect(new Set(places.map(({ listId, index }) => `${listId} ${index}`)).size).toBe(places.length)
    await revoke(next)
    await revoke(first)
    expect(await revokedIndices(next)).toEqual([next.index])
    expect(await revokedIndices(first)).toContain(first.index)
    expect(await query(service.databaseUrl, 'SELECT count(*)::int AS lists FROM status_lists')).toEqual([{ lists: 2 }])
  })
})
