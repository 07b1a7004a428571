import { decodeJwt } from 'jose'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { MOST_AGGREGATED } from '../../server/status-lists/status-lists.contract.js'
import { movingClock } from '../issuer/openid4vci/actors.js'
import { postSchema, SUBJECT } from '../issuer/purchase.js'
import { query } from '../support/postgres.js'
import { type Answer, startService, type TestService } from '../support/service.js'

const TTL = 300
/** A list is signed again after half of this time. Then less than the ttl is left. */
const EXPIRY = 400

let service: TestService
let authorization: string
let type: string
/** It stands still, so that ages of answers do not depend on the speed of the machine. */
const clock = movingClock()
/** Seconds by which the clock is ahead at the start of a test. Every list of the tests before has expired then. */
let start = 0

beforeAll(async () => {
  clock.stop()
  service = await startService({
    env: { STATUS_LIST_TTL_SECONDS: String(TTL), STATUS_LIST_EXPIRY_SECONDS: String(EXPIRY) },
    clock: clock.now,
  })
  authorization = await service.bearer('alice', { expiresIn: 10_000_000 })
  type = (await postSchema(service, authorization)).name
})
beforeEach(() => {
  start += 10_000
  clock.ahead = start
})
afterAll(() => service.close())

async function issue(): Promise<{ readonly id: string; readonly list: string }> {
  const body = { type, credential_subject: SUBJECT }
  const { json } = await service.request('POST', '/api/v1/credentials', { authorization, body })
  return { id: json.id, list: new URL(json.vc.credentialStatus[0].statusListCredential).pathname.split('/')[2] ?? '' }
}

const get = (path: string, headers: Record<string, string> = {}): Promise<Answer> =>
  service.request('GET', path, { headers })

interface Freshness {
  readonly maxAge: number
  readonly staleIfError: number
}

function freshnessOf({ headers }: Answer): Freshness {
  const value = headers.get('cache-control') ?? ''
  const [, maxAge, staleIfError] = /^public, max-age=(\d+)(?:, stale-if-error=(\d+))?$/.exec(value) ?? []
  expect(maxAge, value).toBeDefined()
  return { maxAge: Number(maxAge), staleIfError: Number(staleIfError ?? 0) }
}

function timesOf(text: string): { readonly exp: number; readonly iat: number; readonly ttl: number } {
  const { exp = 0, iat = 0, ttl } = decodeJwt<{ ttl: number }>(text)
  return { exp, iat, ttl }
}

describe('a status list behind a content delivery network', () => {
  it('has the configured ttl and exp, in the JWT and in the Bitstring Status List', async () => {
    const { list } = await issue()
    const { exp, iat, ttl } = timesOf((await get(`/token-status-lists/${list}`)).text)
    expect([exp - iat, ttl]).toEqual([EXPIRY, TTL])
    const { validFrom, validUntil, credentialSubject } = decodeJwt<{
      validFrom: string
      validUntil: string
      credentialSubject: { ttl: number }
    }>((await get(`/status-lists/${list}`)).text)
    expect(Date.parse(validUntil) - Date.parse(validFrom)).toBe(EXPIRY * 1000)
    // Bitstring Status List v1.0 §2.2: milliseconds.
    expect(credentialSubject.ttl).toBe(TTL * 1000)
  })

  it.each([
    ['/token-status-lists', 'application/statuslist+jwt'],
    ['/token-status-lists', 'application/statuslist+cwt'],
    ['/status-lists', 'application/vc+jwt'],
  ])('%s as %s: no cache may keep it beyond its exp, at any age, with or without the service', async (path, accept) => {
    const { list } = await issue()
    for (const seconds of [0, 90, 150, 190, 205, 350, 399, 5_000]) {
      clock.ahead = start + seconds
      const answer = await get(`${path}/${list}`, { accept })
      const left = timesOf((await get(`/token-status-lists/${list}`)).text).exp - clock.now().getTime() / 1000
      const { maxAge, staleIfError } = freshnessOf(answer)
      expect(maxAge, String(seconds)).toBeLessThanOrEqual(TTL)
      expect(maxAge, String(seconds)).toBeGreaterThan(0)
      expect(maxAge + staleIfError, String(seconds)).toBeLessThanOrEqual(Math.ceil(left))
    }
  })

  it('a 304 names the same time, so that a cache keeps the list until its exp and not longer', async () => {
    const { id, list } = await issue()
    // The revocation makes a new version of the list, which is signed now.
    await service.request('POST', `/api/v1/credentials/${id}/revoke`, { client: true })
    const first = await get(`/token-status-lists/${list}`)
    clock.ahead = start + 150
    const again = await get(`/token-status-lists/${list}`, { 'if-none-match': first.headers.get('etag') ?? '' })
    expect([again.status, again.text]).toEqual([304, ''])
    const { maxAge, staleIfError } = freshnessOf(again)
    expect(maxAge).toBeGreaterThan(EXPIRY - 150 - 30)
    expect(maxAge + staleIfError).toBeLessThanOrEqual(EXPIRY - 150)
  })

  it('Vary names Accept, because JWT and CWT have one address, and their ETags differ', async () => {
    const { list } = await issue()
    const answers = await Promise.all(
      ['application/statuslist+jwt', 'application/statuslist+cwt'].map((accept) =>
        get(`/token-status-lists/${list}`, { accept }),
      ),
    )
    expect(answers.map(({ headers }) => headers.get('vary'))).toEqual([
      'Accept, Accept-Encoding',
      'Accept, Accept-Encoding',
    ])
    expect(new Set(answers.map(({ headers }) => headers.get('etag'))).size).toBe(2)
    const [, cwt] = answers
    const other = await get(`/token-status-lists/${list}`, { 'if-none-match': cwt?.headers.get('etag') ?? '' })
    expect(other.status).toBe(200)
  })

  it('sets no cookie, also for a caller with cookies', async () => {
    const { list } = await issue()
    for (const path of [`/token-status-lists/${list}`, `/status-lists/${list}`, '/token-status-lists']) {
      const answer = await get(path, { cookie: 'credence=1' })
      expect([path, answer.status, answer.headers.has('set-cookie')]).toEqual([path, 200, false])
    }
  })

  it('refusals may not be cached', async () => {
    const { list } = await issue()
    for (const [path, accept, status] of [
      ['/token-status-lists/unknown', '*/*', 404],
      [`/token-status-lists/${list}`, 'text/html', 406],
      [`/token-status-lists/${list}?time=1`, '*/*', 501],
    ] as const) {
      const answer = await get(path, { accept })
      expect([path, answer.status]).toEqual([path, status])
      expect(answer.headers.get('cache-control') ?? 'no-store', path).toContain('no-store')
    }
  })
})

describe('Status List Aggregation (Token Status List §9)', () => {
  it('is named in the metadata and in the lists, inside status_list', async () => {
    const { list } = await issue()
    const address = `${service.url}/token-status-lists`
    for (const name of ['oauth-authorization-server', 'openid-credential-issuer']) {
      const { json } = await get(`/.well-known/${name}`)
      expect([name, json.status_list_aggregation_endpoint]).toEqual([name, address])
    }
    const { status_list } = decodeJwt<{ status_list: object }>((await get(`/token-status-lists/${list}`)).text)
    expect(status_list).toMatchObject({ aggregation_uri: address })
  })

  it('names every list as JSON, and a new list at once', async () => {
    const { list } = await issue()
    const before = await get('/token-status-lists')
    expect([before.status, before.headers.get('content-type')]).toEqual([200, 'application/json'])
    expect(before.json).toEqual({ status_lists: [`${service.url}/token-status-lists/${list}`] })
    for (const address of before.json.status_lists) {
      const named = await get(new URL(address).pathname)
      expect(decodeJwt(named.text).sub).toBe(address)
    }
    await query(service.databaseUrl, 'UPDATE status_lists SET allotted = size')
    // The process has reserved entries of the full list. It uses these entries first.
    let next = list
    for (let count = 0; next === list && count < 100; count += 1) next = (await issue()).list
    expect(next).not.toBe(list)
    const after = await get('/token-status-lists', { 'if-none-match': before.headers.get('etag') ?? '' })
    expect(after.status).toBe(200)
    expect(after.json.status_lists).toEqual([next, list].map((id) => `${service.url}/token-status-lists/${id}`))
  })

  it('may be cached, and is answered with 304 to a caller that has it', async () => {
    await issue()
    const first = await get('/token-status-lists')
    expect(freshnessOf(first)).toEqual({ maxAge: TTL, staleIfError: 0 })
    const again = await get('/token-status-lists', { 'if-none-match': first.headers.get('etag') ?? '' })
    expect([again.status, again.text]).toEqual([304, ''])
  })

  it('is bounded', async () => {
    const [row] = await query(service.databaseUrl, 'SELECT key_id, issuer_id FROM status_lists LIMIT 1')
    await query(
      service.databaseUrl,
      `INSERT INTO status_lists (id, key_id, issuer_id, size, allotted)
       SELECT 'many-' || n, '${row?.key_id}', '${row?.issuer_id}', 131072, 131072 FROM generate_series(1, ${MOST_AGGREGATED}) n`,
    )
    const { json } = await get('/token-status-lists')
    expect(json.status_lists).toHaveLength(MOST_AGGREGATED)
  })
})
