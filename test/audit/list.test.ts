import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { postSchema, SUBJECT } from '../issuer/purchase.js'
import { query } from '../support/postgres.js'
import { startService, type TestService } from '../support/service.js'

const PATH = '/api/v1/audit-events'

interface Event {
  readonly id: string
  readonly at: string
  readonly actor?: string
  readonly action: string
  readonly subject: string
  readonly subjectId: string
}

let service: TestService
let admin: string
let type: string
let schemaId: string
let credentialId: string

beforeAll(async () => {
  service = await startService()
  admin = await service.bearer('root', { roles: ['admin'] })
  const alice = await service.bearer('alice')
  const schema = await postSchema(service, alice)
  type = schema.name
  schemaId = schema.id
  const body = { type, credential_subject: SUBJECT }
  credentialId = (await service.request('POST', '/api/v1/credentials', { authorization: alice, body })).json.id
  await service.request('POST', `/api/v1/credentials/${credentialId}/revoke`, { client: true })
  // One row of another month, and one row of a month without a partition.
  await query(
    service.databaseUrl,
    `INSERT INTO audit_events (at, actor, action, subject, subject_id) VALUES
      ('2020-01-01T12:00:00Z', 'alice', 'schema.created', 'schema', 'old'), ('2020-01-01T12:00:00Z', NULL, 'schema.withdrawn', 'schema', 'old')`,
  )
})
afterAll(() => service.close())

async function list(filters: Record<string, string> = {}): Promise<Event[]> {
  const events: Event[] = []
  let cursor: string | undefined
  do {
    const search = new URLSearchParams({ limit: '3', ...filters, ...(cursor === undefined ? {} : { cursor }) })
    const answer = await service.request('GET', `${PATH}?${search}`, { authorization: admin })
    expect(answer.status, answer.text).toBe(200)
    events.push(...answer.json.items)
    cursor = answer.json.nextCursor
  } while (cursor !== undefined)
  return events
}

const told = (events: readonly Event[]) => events.map(({ actor, action, subjectId }) => [actor, action, subjectId])

describe('GET /api/v1/audit-events', () => {
  it('lists all events page by page, the newest first, each event once', async () => {
    const events = await list()
    const rows = await query<{ id: string }>(
      service.databaseUrl,
      'SELECT id::text FROM audit_events ORDER BY at DESC, audit_events.id DESC',
    )
    expect(events.map(({ id }) => id)).toEqual(rows.map(({ id }) => id))
    expect(events[0]).toEqual({
      id: expect.stringMatching(/^[1-9]\d*$/),
      at: expect.stringMatching(/Z$/),
      action: 'credential.revoked',
      subject: 'credential',
      subjectId: credentialId,
    })
    expect(JSON.stringify(events)).not.toContain('Espresso')
  })

  it.each<[Record<string, string>, () => unknown[]]>([
    [
      { action: 'schema.created' },
      () => [
        ['alice', 'schema.created', schemaId],
        ['alice', 'schema.created', 'old'],
      ],
    ],
    [
      { actor: 'alice' },
      () => [
        ['alice', 'credential.issued', credentialId],
        ['alice', 'schema.created', schemaId],
        ['alice', 'schema.created', 'old'],
      ],
    ],
    [
      { subject: 'schema' },
      () => [
        ['alice', 'schema.created', schemaId],
        [undefined, 'schema.withdrawn', 'old'],
        ['alice', 'schema.created', 'old'],
      ],
    ],
    [
      { subjectId: 'old' },
      () => [
        [undefined, 'schema.withdrawn', 'old'],
        ['alice', 'schema.created', 'old'],
      ],
    ],
    [{ subject: 'schema', action: 'schema.withdrawn' }, () => [[undefined, 'schema.withdrawn', 'old']]],
    [{ subject: 'credential', actor: 'alice' }, () => [['alice', 'credential.issued', credentialId]]],
    [
      { to: '2021-01-01T00:00:00Z', limit: '1' },
      () => [
        [undefined, 'schema.withdrawn', 'old'],
        ['alice', 'schema.created', 'old'],
      ],
    ],
    [{ subject: 'nothing' }, () => []],
  ])('of %j', async (filters, expected) => {
    expect(told(await list(filters))).toEqual(expected())
  })

  it.each([
    ['action=DROP', 'action must be a word such as credential or credential.issued'],
    ['subject=a%20b', 'subject must be a word such as credential or credential.issued'],
    ['cursor=x', 'cursor must be the cursor of a page before'],
  ])('%s: 400', async (search, message) => {
    const answer = await service.request('GET', `${PATH}?${search}`, { authorization: admin })
    expect([answer.status, answer.json.message]).toEqual([400, [message]])
  })

  it('accepts the cursor of another list as a position in this list', async () => {
    const cursor = Buffer.from('2026-03-01T12:00:00.000Z x').toString('base64url')
    const answer = await service.request('GET', `${PATH}?cursor=${cursor}`, { authorization: admin })
    expect([answer.status, told(answer.json.items)]).toEqual([200, told(await list({ to: '2026-03-01T12:00:00Z' }))])
  })

  it('is for admins only', async () => {
    expect((await service.request('GET', PATH, { client: true })).status).toBe(401)
    expect((await service.request('GET', PATH, { authorization: await service.bearer('alice') })).status).toBe(403)
  })
})
