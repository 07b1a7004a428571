import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { postSchema, SUBJECT } from '../issuer/purchase.js'
import { runTask } from '../support/maintenance.js'
import { query } from '../support/postgres.js'
import { startService, type TestService } from '../support/service.js'

let service: TestService
let alice: string
let type: string

beforeAll(async () => {
  service = await startService({ maintenance: false })
  alice = await service.bearer('alice')
  type = (await postSchema(service, alice)).name
})
afterAll(() => service.close())

async function fold(): Promise<void> {
  for (const task of service.features.statistics.tasks) await runTask(task, service.platform.clock())
}

async function post(path: string, body?: unknown, asked: object = { authorization: alice }) {
  const { status, json, text } = await service.request('POST', path, { ...asked, body })
  expect(status, text).toBeLessThan(300)
  return json
}

const ask = (filters: Record<string, string>) =>
  service.request('GET', `/api/v1/statistics?${new URLSearchParams(filters)}`, { client: true })

async function read(filters: Record<string, string> = {}) {
  const { status, json, text } = await ask(filters)
  expect(status, text).toBe(200)
  return json
}

type Figures = Readonly<Record<string, string | number | Readonly<Record<string, number>>>>

/** The figures of yesterday and today together, because a day may end during a test. */
function lately(steps: readonly Figures[]) {
  const [yesterday = {}, today = {}] = steps.slice(-2)
  const sum = (one: unknown, other: unknown): unknown => {
    if (typeof other === 'number') return Number(one) + other
    if (typeof other !== 'object' || other === null) return other
    return Object.fromEntries(
      Object.entries(other).map(([name, value]) => [name, sum(Reflect.get(Object(one), name), value)]),
    )
  }
  return sum(yesterday, today) as { readonly requests: number }
}

describe('GET /api/v1/statistics', () => {
  it('counts offered credentials, issued credentials by type and format, and revoked credentials', async () => {
    const credential = { type, credential_subject: SUBJECT }
    const offered = { credential_type: type, credential_subject: SUBJECT }
    const offering = await post('/api/v1/offerings', offered, { client: true })
    await post('/credential-offers', { credentialConfigurationIds: [`${type}-sd-jwt`], credentialSubject: SUBJECT })
    const { id } = await post(`/api/v1/offerings/${offering.id}/claim`)
    await post('/api/v1/credentials', credential)
    await post('/credentials/sign', { ...credential, format: 'dc+sd-jwt' })
    await post(`/api/v1/credentials/${id}/revoke`, undefined, { client: true })
    await fold()
    const { steps, issuedByType, step, completeAt } = await read()
    expect(step).toBe('day')
    expect(steps).toHaveLength(30)
    expect(lately(steps)).toMatchObject({ offers: 2, issued: 3, revoked: 1 })
    expect(issuedByType).toEqual([
      { type, format: 'jwt_vc_json', count: 2 },
      { type, format: 'dc+sd-jwt', count: 1 },
    ])
    expect(Date.now() - Date.parse(completeAt)).toBeLessThan(60_000)
  })

  it('counts sessions by outcome, also expired sessions, and the failed checks', async () => {
    const before = lately((await read()).steps)
    const asked = [{ fields: [{ path: ['$.type'], filter: { type: 'array', contains: { const: type } } }] }]
    for (let n = 0; n < 2; n += 1) await post('/authorization-requests', { query: asked })
    for (const table of ['verification_sessions', 'credential_offer_sessions']) {
      await query(service.databaseUrl, `UPDATE ${table} SET expires_at = now() - interval '1 minute'`)
    }
    await service.platform.stores.verificationSessions.expire(new Date(), 200)
    await service.platform.stores.offerSessions.expire(new Date(), 200)
    const failed = [{ credentialQueryId: 'q', passed: [], failed: { check: 'revoked', message: 'It is revoked.' } }]
    await query(
      service.databaseUrl,
      `WITH refused AS (
         UPDATE verification_sessions SET checks = '${JSON.stringify(failed)}'
         WHERE id = (SELECT min(id) FROM verification_sessions) RETURNING id)
       INSERT INTO audit_events (action, subject, subject_id)
       SELECT 'presentation.refused', 'verification-session', id FROM refused
       UNION ALL SELECT 'presentation.refused', 'verification-session', 'removed long ago'`,
    )
    await fold()
    const { steps, failedChecks } = await read()
    expect(lately(steps)).toMatchObject({
      requests: before.requests + 2,
      verificationSessions: { verified: 0, refused: 2, expired: 2 },
      offerSessions: { issued: 0, expired: 1, failed: 0 },
    })
    expect(failedChecks).toEqual([
      { check: 'other', count: 1 },
      { check: 'revoked', count: 1 },
    ])
  })

  it('has every hour or day (UTC) of the requested period, also without events', async () => {
    await query(
      service.databaseUrl,
      `INSERT INTO audit_events (at, action, subject, subject_id)
       SELECT at::timestamptz, 'authorization-request.created', 'verification-session', 'x'
       FROM unnest(ARRAY['2026-02-01T00:00:00Z', '2026-02-01T00:59:59.999Z', '2026-02-01T23:30:00Z', '2026-02-02T00:00:00Z']) AS at`,
    )
    await fold()
    const hours = await read({ from: '2026-02-01T00:10:00Z', to: '2026-02-02T00:00:00Z', step: 'hour' })
    expect([hours.from, hours.to]).toEqual(['2026-02-01T00:00:00.000Z', '2026-02-02T00:00:00.000Z'])
    const told = hours.steps.map(({ requests }: { requests: number }) => requests)
    expect(told).toEqual([2, ...Array(22).fill(0), 1])
    const days = await read({ from: '2026-02-01T05:00:00+05:00', to: '2026-02-02T00:00:01Z' })
    expect(days.steps.map(({ at, requests }: { at: string; requests: number }) => [at, requests])).toEqual([
      ['2026-02-01T00:00:00.000Z', 3],
      ['2026-02-02T00:00:00.000Z', 1],
    ])
  })

  it.each<[Record<string, string>, string]>([
    [{ from: '0001-01-01T00:00:00Z' }, 'from must be within 366 days before to with step day'],
    [{ from: 'yesterday' }, 'from must be a valid datetime'],
    [{ step: 'minute' }, 'step must be one of hour, day'],
  ])('refuses %o and names the member', async (filters, message) => {
    const { status, json } = await ask(filters)
    expect(status).toBe(400)
    expect([json.message].flat()[0]).toBe(message)
  })
})
