import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { postSchema, SUBJECT } from '../issuer/purchase.js'
import { query } from '../support/postgres.js'
import { type RequestOptions, startService, type TestService } from '../support/service.js'
import { ask, dcql, makeWorld } from '../verifier/actors.js'
import { contentOf, exported, exportedCsv, order, PATH, period } from './actors.js'

let service: TestService
let admin: RequestOptions
let alice: RequestOptions
let bob: RequestOptions
let type: string
let schemaId: string
const ids: string[] = []
let sessionId: string

/** Beginnings of cells that a spreadsheet program takes for formulas. */
const FORMULAS = ['=1+1', '+1', '-1', '@SUM(A1)', '\t=1', '\r=1', '＝1+1', '＋1', '－1', '＠SUM(A1)']

const as = async (sub: string, ...roles: string[]): Promise<RequestOptions> => ({
  authorization: await service.bearer(sub, { roles }),
})

beforeAll(async () => {
  service = await startService()
  ;[admin, alice, bob] = [await as('root', 'admin'), await as('alice'), await as('bob')]
  const schema = await postSchema(service, alice.authorization ?? '')
  ;[type, schemaId] = [schema.name, schema.id]
  for (const sender of [alice, alice, bob]) {
    const subject = { ...SUBJECT, product: 'Käse, "alt"\r\nund 日本' }
    const answer = await service.request('POST', '/api/v1/credentials', {
      ...sender,
      body: { type, credential_subject: subject },
    })
    ids.push(answer.json.id)
  }
  await service.request('POST', `/api/v1/credentials/${ids[0]}/revoke`, { client: true })
  await makeWorld(service)
  sessionId = (await ask(service, { dcqlQuery: dcql(service, 'dc+sd-jwt') })).verificationSessionId
})
afterAll(() => service.close())

describe('an export of credentials', () => {
  it('has the credentials of a period with their claims and statuses, the newest first', async () => {
    const { header, records } = await exported(service, { kind: 'credentials', ...period(), schema: type }, admin)
    expect(header).toMatchObject({
      record: 'export',
      kind: 'credentials',
      createdBy: 'root',
      whose: 'all',
      schema: type,
    })
    expect(records.map(({ id }) => id)).toEqual([...ids].reverse())
    expect(records.map(({ status }) => status)).toEqual(['active', 'active', 'revoked'])
    expect(records[0]).toMatchObject({
      record: 'credential',
      type,
      schemaId,
      createdBy: 'bob',
      vc: { credentialSubject: { product: 'Käse, "alt"\r\nund 日本' } },
    })
  })

  it('is the same as CSV, which a foreign parser reads: claims are a JSON text', async () => {
    const rows = await exportedCsv(service, { kind: 'credentials', ...period(), schema: schemaId }, admin)
    expect(rows.map(({ id }) => id)).toEqual([...ids].reverse())
    expect(rows[2]).toMatchObject({ status: 'revoked', createdBy: 'alice', version: '1', holderDid: '' })
    expect(JSON.parse(rows[0]?.vc ?? '').credentialSubject.product).toBe('Käse, "alt"\r\nund 日本')
  })

  it('has only the credentials of the period', async () => {
    const before = { from: '2020-01-01T00:00:00Z', to: '2020-12-31T00:00:00Z' }
    expect((await exported(service, { kind: 'credentials', ...before }, admin)).records).toEqual([])
    expect(await exportedCsv(service, { kind: 'credentials', ...before }, admin)).toEqual([])
  })

  it('says of erased claims that there are none', async () => {
    await using other = await startService()
    const sender = { authorization: await other.bearer('root', { roles: ['admin'] }) }
    const schema = await postSchema(other, sender.authorization)
    const body = { type: schema.name, credential_subject: SUBJECT }
    await other.request('POST', '/api/v1/credentials', { ...sender, body })
    await query(other.databaseUrl, 'ALTER TABLE credentials ALTER vc DROP NOT NULL')
    await query(other.databaseUrl, 'UPDATE credentials SET vc = NULL')
    const { records } = await exported(other, { kind: 'credentials', ...period() }, sender)
    expect(records).toMatchObject([{ type: schema.name, status: 'active', vc: null }])
  })

  it('says in both formats when claims were erased', async () => {
    await using other = await startService()
    const sender = { authorization: await other.bearer('root', { roles: ['admin'] }) }
    const schema = await postSchema(other, sender.authorization)
    const body = { type: schema.name, credential_subject: SUBJECT }
    const { id } = (await other.request('POST', '/api/v1/credentials', { ...sender, body })).json
    const { claimsErasedAt } = (await other.request('POST', `/api/v1/credentials/${id}/erase`, sender)).json
    expect((await exported(other, { kind: 'credentials', ...period() }, sender)).records).toMatchObject([
      { id, vc: null, claimsErasedAt },
    ])
    expect(await exportedCsv(other, { kind: 'credentials', ...period() }, sender)).toMatchObject([
      { id, vc: '', claimsErasedAt },
    ])
  })
})

describe('an export of sessions', () => {
  it('has the sessions of a period with their results, in both formats', async () => {
    const { records } = await exported(service, { kind: 'sessions', ...period() }, admin)
    expect(records).toMatchObject([{ record: 'session', id: sessionId, state: 'RequestCreated', result: null }])
    const [row] = await exportedCsv(service, { kind: 'sessions', ...period() }, admin)
    expect(row).toMatchObject({ id: sessionId, state: 'RequestCreated', claimsErasedAt: '', result: '' })
  })
})

describe('an export of audit events', () => {
  it('has all events of the period, in both formats', async () => {
    const { records } = await exported(service, { kind: 'audit', ...period() }, admin)
    const stored = await query<{ id: string }>(
      service.databaseUrl,
      'SELECT id::text FROM audit_events ORDER BY id DESC',
    )
    const known = new Set(records.map(({ id }) => id))
    // The download itself ends after its last record.
    expect(stored.filter(({ id }) => !known.has(id)).length).toBeLessThanOrEqual(1)
    expect(records.find(({ action }) => action === 'export.read')).toMatchObject({
      actor: 'root',
      subject: 'export',
      detail: { kind: expect.any(String), format: expect.any(String) },
    })
    const rows = await exportedCsv(service, { kind: 'audit', ...period() }, admin)
    expect(rows.length).toBeGreaterThan(records.length)
    expect(JSON.parse(rows.find(({ action }) => action === 'export.ended')?.detail ?? '')).toMatchObject({
      complete: true,
    })
  })

  it('attack: a cell that a spreadsheet program would run begins with an apostrophe', async () => {
    for (const actor of FORMULAS)
      await query(
        service.databaseUrl,
        "INSERT INTO audit_events (at, actor, action, subject, subject_id) VALUES ('2021-06-01T00:00:00Z', $1, 'schema.created', 'schema', 'x')",
        [actor],
      )
    const then = { from: '2021-05-01T00:00:00Z', to: '2021-07-01T00:00:00Z' }
    const rows = await exportedCsv(service, { kind: 'audit', ...then }, admin)
    expect(rows.map(({ actor }) => actor)).toEqual(FORMULAS.map((actor) => `'${actor}`).reverse())
    // NDJSON is read by programs, so its values are not changed.
    const { records } = await exported(service, { kind: 'audit', ...then }, admin)
    expect(records.map(({ actor }) => actor)).toEqual([...FORMULAS].reverse())
  })
})

describe('the audit log', () => {
  it('says who ordered and read what, and how many records, without the person', async () => {
    const { id } = await order(service, { subject: { sub: 'secret-person' } }, admin)
    await contentOf(service, id, admin)
    const rows = await query(
      service.databaseUrl,
      'SELECT actor, action, subject, detail FROM audit_events WHERE subject_id = $1 ORDER BY id',
      [id],
    )
    const detail = { kind: 'person', format: 'ndjson' }
    expect(rows).toEqual([
      { actor: 'root', action: 'export.created', subject: 'export', detail },
      { actor: 'root', action: 'export.read', subject: 'export', detail },
      { actor: 'root', action: 'export.ended', subject: 'export', detail: { records: 1, complete: true } },
    ])
    const listed = await service.request('GET', `/api/v1/audit-events?subjectId=${id}`, admin)
    expect(listed.json.items[0]).toMatchObject({ action: 'export.ended', detail: { records: 1, complete: true } })
  })

  it('says which period and which type were exported', async () => {
    const asked = { kind: 'credentials', ...period(), schema: type }
    const { id } = await order(service, asked, admin)
    await contentOf(service, id, admin)
    const detail = { ...asked, format: 'ndjson' }
    expect(
      await query(service.databaseUrl, 'SELECT action, detail FROM audit_events WHERE subject_id = $1 ORDER BY id', [
        id,
      ]),
    ).toEqual([
      { action: 'export.created', detail },
      { action: 'export.read', detail },
      { action: 'export.ended', detail: { records: ids.length, complete: true } },
    ])
  })

  it('has no row for a HEAD, which reads nothing', async () => {
    const { id } = await order(service, { kind: 'audit', ...period() }, admin)
    const head = await service.request('HEAD', `${PATH}/${id}/content`, admin)
    expect([head.status, head.headers.get('content-type')]).toEqual([200, 'application/x-ndjson'])
    const rows = await query(service.databaseUrl, 'SELECT action FROM audit_events WHERE subject_id = $1', [id])
    expect(rows).toEqual([{ action: 'export.created' }])
  })
})

describe('an order', () => {
  it('is listed and read by its caller, with the number of records of the last download', async () => {
    const { id, contentUrl } = await order(
      service,
      { kind: 'credentials', ...period(), schema: type, format: 'csv' },
      bob,
    )
    expect(contentUrl).toBe(`${service.url}${PATH}/${id}/content`)
    const before = await service.request('GET', `${PATH}/${id}`, bob)
    expect(before.json).toMatchObject({ id, kind: 'credentials', format: 'csv', schema: type })
    expect(before.json).not.toHaveProperty('count')
    const file = await contentOf(service, id, bob)
    expect(file.headers.get('content-disposition')).toBe(`attachment; filename="credentials-${id}.csv"`)
    expect(file.headers.get('cache-control')).toBe('no-store')
    expect(file.headers.get('x-accel-buffering')).toBe('no')
    const after = await service.request('GET', `${PATH}/${id}`, bob)
    expect(after.json).toMatchObject({ count: 1, finishedAt: expect.any(String) })
    await order(service, { kind: 'credentials', ...period() }, bob)
    const first = await service.request('GET', `${PATH}?limit=1`, bob)
    const second = await service.request('GET', `${PATH}?limit=1&cursor=${first.json.nextCursor}`, bob)
    expect([...first.json.items, ...second.json.items].map((item) => item.id)).toContain(id)
    expect(first.json.items).toHaveLength(1)
  })

  it('is unknown to every other caller', async () => {
    const { id } = await order(service, { kind: 'credentials', ...period() }, bob)
    for (const path of [`${PATH}/${id}`, `${PATH}/${id}/content`]) {
      for (const sender of [alice, admin, { client: true }]) {
        const answer = await service.request('GET', path, sender)
        expect([answer.status, answer.json.message]).toEqual([404, 'Export not found.'])
      }
    }
    expect((await service.request('GET', `${PATH}/${crypto.randomUUID()}`, admin)).status).toBe(404)
    expect((await service.request('GET', PATH, { client: true })).json.items).toEqual([])
  })

  it.each([
    [{}, 'kind must be defined, unless subject is'],
    [{ kind: 'people' }, 'kind must be one of credentials, audit, sessions'],
    [{ kind: 'audit', to: '2026-01-01T00:00:00Z' }, 'from must be defined'],
    [{ kind: 'audit', from: '2026-01-01T00:00:00Z' }, 'to must be defined'],
    [{ kind: 'audit', from: '2026-02-01T00:00:00Z', to: '2026-01-01T00:00:00Z' }, 'from must be before to'],
    [{ kind: 'audit', from: '2026-01-01T00:00:00Z', to: '2026-01-01T00:00:00Z' }, 'from must be before to'],
    [
      { kind: 'audit', from: '2024-01-01T00:00:00Z', to: '2026-01-01T00:00:00Z' },
      'to must be at most 366 days after from',
    ],
    [{ kind: 'audit', from: 'yesterday', to: '2026-01-01T00:00:00Z' }, 'from must be an ISO 8601 date-time'],
    [
      { kind: 'audit', from: '2026-01-01T00:00:00Z', to: '2026-01-02T00:00:00Z', schema: 'a' },
      'schema must be given only with the kind credentials',
    ],
    [
      { kind: 'credentials', from: '2026-01-01T00:00:00Z', to: '2026-01-02T00:00:00Z', schema: 'NoSuchType' },
      'schema is unknown',
    ],
    [{ subject: {} }, 'subject must have exactly one of did and sub'],
    [{ subject: { sub: 'a', did: 'did:a:b' } }, 'subject must have exactly one of did and sub'],
    [{ subject: { did: 'nobody' } }, 'subject.did must be a DID'],
    [{ subject: { reference: '1' } }, 'property reference should not exist'],
    [{ subject: { sub: 'a' }, kind: 'audit' }, 'kind must not be given together with subject'],
    [{ subject: { sub: 'a' }, from: '2026-01-01T00:00:00Z' }, 'from must not be given together with subject'],
    [{ subject: { sub: 'a' }, format: 'xml' }, 'format must be one of ndjson, csv'],
  ])('%j is refused with the name of the field', async (body, message) => {
    const answer = await service.request('POST', PATH, { ...admin, body })
    expect([answer.status, answer.json.message]).toEqual([400, expect.arrayContaining([message])])
  })

  it('is unknown after a day, also before the maintenance job deletes it', async () => {
    let now = new Date()
    await using other = await startService({ clock: () => now, maintenance: false })
    const sender = { client: true }
    const { id } = await order(other, { kind: 'audit', ...period() }, sender)
    now = new Date(now.getTime() + 24 * 3_600_000)
    expect((await contentOf(other, id, sender)).status).toBe(404)
    expect((await other.request('GET', `${PATH}/${id}`, sender)).status).toBe(404)
    expect((await other.request('GET', PATH, sender)).json.items).toEqual([])
    expect(await query(other.databaseUrl, 'SELECT id FROM exports')).toEqual([{ id }])
  })

  it('expires after a day, and the maintenance job deletes it', async () => {
    let now = new Date()
    await using other = await startService({ clock: () => now, maintenanceEveryMs: 10 })
    const sender = { client: true }
    const { id, expiresAt } = await order(other, { kind: 'audit', ...period() }, sender)
    expect(Date.parse(expiresAt) - now.getTime()).toBe(24 * 3_600_000)
    now = new Date(now.getTime() + 24 * 3_600_000)
    expect((await contentOf(other, id, sender)).status).toBe(404)
    await expect.poll(() => query(other.databaseUrl, 'SELECT id FROM exports')).toEqual([])
  })
})

describe('callers without a configured role', () => {
  it('receive their own records', async () => {
    const own = await exported(service, { kind: 'credentials', ...period() }, alice)
    expect([own.header.whose, own.records.map(({ createdBy }) => createdBy)]).toEqual(['own', ['alice', 'alice']])
    expect((await exported(service, { kind: 'sessions', ...period() }, bob)).records).toEqual([])
    for (const body of [
      { kind: 'audit', ...period() },
      { subject: { sub: 'bob' } },
      { subject: { did: 'did:example:bob' } },
    ]) {
      const answer = await service.request('POST', PATH, { ...alice, body })
      expect([answer.status, answer.json.message]).toEqual([403, 'Insufficient role.'])
    }
    expect((await exported(service, { subject: { sub: 'alice' } }, alice)).header.sections).toEqual([
      'issuer',
      'verifier',
      'account',
    ])
    const did = { authorization: await service.bearer('alice', { did: 'did:example:alice' }) }
    expect((await exported(service, { subject: { did: 'did:example:alice' } }, did)).header.dids).toEqual([
      'did:example:alice',
    ])
  })
})

describe('operators with only one of the two roles', () => {
  let strict: TestService
  beforeAll(async () => {
    const { databaseUrl, identityProvider } = service
    const env = { ISSUER_ROLE: 'issuing', VERIFIER_ROLE: 'verifying' }
    strict = await startService({ databaseUrl, identityProvider, env, maintenance: false })
  })
  afterAll(() => strict.close())

  const orders = {
    credentials: { kind: 'credentials', ...period() },
    sessions: { kind: 'sessions', ...period() },
    audit: { kind: 'audit', ...period() },
    person: { subject: { sub: 'alice' } },
  }

  it.each([
    ['issuing', ['credentials', 'person'], ['issuer']],
    ['verifying', ['sessions', 'person'], ['verifier']],
    ['admin', ['credentials', 'sessions', 'audit', 'person'], ['issuer', 'verifier', 'account']],
    ['other', [], []],
  ])('with the role %s receive %j, of a person %j', async (role, kinds, sections) => {
    const sender = await as('oscar', role)
    const allowed: string[] = []
    for (const [kind, body] of Object.entries(orders)) {
      const answer = await strict.request('POST', PATH, { ...sender, body })
      if (answer.status === 202) allowed.push(kind)
      else expect([answer.status, answer.json.message]).toEqual([403, 'Insufficient role.'])
    }
    expect(allowed).toEqual(kinds)
    if (sections.length === 0) return
    const { header, records } = await exported(strict, orders.person, sender)
    expect(header.sections).toEqual(sections)
    expect(records.some(({ record }) => record === 'credential')).toBe(sections.includes('issuer'))
    expect(records.some(({ record }) => record === 'auditEvent')).toBe(sections.includes('account'))
  })

  it('attack: a user of one half alone receives neither the account nor the other half of their own data', async () => {
    const { databaseUrl, identityProvider } = service
    const env = { VERIFIER_ROLE: 'verifying' }
    await using half = await startService({ databaseUrl, identityProvider, env, maintenance: false })
    const { header, records } = await exported(half, orders.person, await as('alice'))
    expect(header.sections).toEqual(['issuer'])
    expect(records.some(({ record }) => record === 'auditEvent')).toBe(false)
  })

  it('attack: a role that was lost after the order no longer opens the file', async () => {
    const { id } = await order(strict, orders.credentials, await as('oscar', 'issuing'))
    expect((await contentOf(strict, id, await as('oscar', 'issuing'))).status).toBe(200)
    expect((await contentOf(strict, id, await as('oscar'))).status).toBe(403)
    // If the roles are set, a person needs them to export their own data too.
    expect((await strict.request('POST', PATH, { ...(await as('alice')), body: orders.person })).status).toBe(403)
  })
})
