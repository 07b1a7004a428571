import { createHash } from 'node:crypto'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { allOf, type Entry, idsOf, pageOf } from '../../support/listed.js'
import { query } from '../../support/postgres.js'
import { startService, type TestService } from '../../support/service.js'
import { LOOPBACK, newWallet } from '../../support/wallet.js'
import { postOffering, postSchema, SUBJECT } from '../purchase.js'

const PATH = '/api/v1/credentials'
const HOLDER = 'did:example:alice'

let service: TestService
let admin: string
let alice: string
let first: string
let second: string
/**
 * The credentials in the list: two of type `first` that alice signed (the older first), one that she claimed, and one
 * of type `second`.
 */
let made: string[]
let offeringId: string

beforeAll(async () => {
  service = await startService({ env: LOOPBACK })
  admin = await service.bearer('root', { roles: ['admin'] })
  alice = await service.bearer('alice', { did: HOLDER })
  first = (await postSchema(service, alice)).name
  second = (await postSchema(service, alice)).name
  const create = async (type: string) =>
    (await service.request('POST', PATH, { authorization: alice, body: { type, credential_subject: SUBJECT } })).json.id
  made = [await create(first), await create(first)]
  offeringId = (await postOffering(service, { credential_type: first })).id
  const claimed = await service.request('POST', `/api/v1/offerings/${offeringId}/claim`, { authorization: alice })
  made.push(claimed.json.id, await create(second))
  const revoked = await service.request('POST', `${PATH}/${made[1]}/revoke`, { client: true })
  expect(revoked.status).toBe(200)
})
afterAll(() => service.close())

const list = (filters: Record<string, string> = {}) => allOf(service, PATH, filters)
const newestFirst = (...at: number[]) => at.map((index) => made[index]).reverse()

describe('GET /api/v1/credentials', () => {
  it('lists the credentials of all callers, the newest first, without their claims', async () => {
    const entries = await list()
    expect(idsOf(entries)).toEqual(newestFirst(0, 1, 2, 3))
    const claimed = entries[1] as Entry
    expect(claimed).toEqual({
      id: made[2],
      schemaId: expect.any(String),
      type: first,
      version: 1,
      configurationIds: [first],
      issuerId: expect.any(String),
      holderDid: HOLDER,
      offeringId,
      createdBy: 'alice',
      status: 'active',
      createdAt: expect.stringMatching(/Z$/),
    })
    expect(JSON.stringify(entries)).not.toMatch(/Espresso|eyJ|"vc"/)
  })

  it.each<[string, () => Record<string, string>, () => (string | undefined)[]]>([
    ['a type', () => ({ schema: first }), () => newestFirst(0, 1, 2)],
    ['an unknown schema', () => ({ schema: 'Nothing' }), () => []],
    ['a status', () => ({ status: 'revoked' }), () => newestFirst(1)],
    ['the other status', () => ({ status: 'active' }), () => newestFirst(0, 2, 3)],
    ['a holder', () => ({ holderDid: HOLDER }), () => newestFirst(2)],
    ['the beginning of an id', () => ({ idPrefix: made[3]?.slice(0, 8) ?? '' }), () => newestFirst(3)],
    ['a whole id', () => ({ idPrefix: made[0] ?? '' }), () => newestFirst(0)],
    ['an offering', () => ({ offeringId }), () => newestFirst(2)],
    ['a type and a status', () => ({ schema: first, status: 'active' }), () => newestFirst(0, 2)],
    ['an offering and another type', () => ({ offeringId, schema: second }), () => []],
    [
      'a holder, an offering and the beginning of an id',
      () => ({ offeringId, holderDid: HOLDER, idPrefix: made[2]?.slice(0, 13) ?? '' }),
      () => newestFirst(2),
    ],
  ])('of %s', async (_what, filters, ids) => {
    expect(idsOf(await list(filters()))).toEqual(ids())
  })

  it('of one version of a type, by its id', async () => {
    const [entry] = await list({ idPrefix: made[0] ?? '' })
    expect(idsOf(await list({ schema: String(entry?.schemaId) }))).toEqual(newestFirst(0, 1, 2))
  })

  it('of a period: from one time, and before another', async () => {
    const [, claimed] = await list()
    const at = new Date(String(claimed?.createdAt))
    const from = at.toISOString()
    expect(idsOf(await list({ from }))).toContain(made[2])
    expect(idsOf(await list({ to: from }))).not.toContain(made[2])
    const offset = from.replace('Z', '+00:00')
    expect(await list({ from: offset })).toEqual(await list({ from }))
    expect(await list({ from: new Date(at.getTime() + 600_000).toISOString() })).toEqual([])
  })

  it('shows whether and when a credential was revoked', async () => {
    const [entry] = await list({ status: 'revoked' })
    expect(entry).toMatchObject({ status: 'revoked', revokedAt: expect.stringMatching(/Z$/) })
  })

  it('shows that a wallet’s credential has no signed-in creator', async () => {
    const wallet = await newWallet(service, 'wally')
    const { offering_full_url, id } = await postOffering(service, { credential_type: second })
    expect((await wallet.process(offering_full_url)).status).toBe(200)
    const [entry] = await list({ offeringId: id })
    expect(entry).toMatchObject({ offeringId: id, configurationIds: expect.any(Array), status: 'active' })
    expect(entry).not.toHaveProperty('createdBy')
    await query(service.databaseUrl, 'DELETE FROM redemptions WHERE offering_id = $1', [id])
    await query(service.databaseUrl, 'DELETE FROM credential_instances WHERE credential_id = $1', [entry?.id])
    await query(service.databaseUrl, 'DELETE FROM credentials WHERE id = $1', [entry?.id])
  })

  it.each([{}, { schema: 'first' }, { status: 'active' }, { holderDid: HOLDER }, { offeringId: 'it' }])(
    'continues page by page, with each entry exactly once, also for entries with the same time: %j',
    async (filter) => {
      const filters = Object.fromEntries(
        Object.entries(filter).map(([name, value]) => [name, { first, it: offeringId }[value] ?? value]),
      )
      // All credentials and redemptions have the same time, so only the ids decide the order.
      const restored = await query<{ id: string; created_at: Date }>(
        service.databaseUrl,
        'SELECT id, created_at FROM credentials',
      )
      await query(service.databaseUrl, "UPDATE credentials SET created_at = '2026-03-01T12:00:00Z'")
      await query(service.databaseUrl, "UPDATE redemptions SET redeemed_at = '2026-03-01T12:00:00Z'")
      const whole = idsOf(await allOf(service, PATH, filters))
      expect(whole).toEqual([...whole].sort().reverse())
      expect(idsOf(await allOf(service, PATH, { ...filters, limit: '1' }))).toEqual(whole)
      for (const { id, created_at } of restored) {
        await query(service.databaseUrl, 'UPDATE credentials SET created_at = $2 WHERE id = $1', [id, created_at])
        await query(service.databaseUrl, 'UPDATE redemptions SET redeemed_at = $2 WHERE credential_id = $1', [
          id,
          created_at,
        ])
      }
    },
  )

  it('of another caller is not listed, except to the client secret and admins', async () => {
    expect(idsOf(await allOf(service, PATH, {}, { authorization: admin }))).toEqual(idsOf(await list()))
    const own = idsOf((await list()).filter(({ createdBy }) => createdBy === 'alice'))
    expect(own.length).toBeGreaterThan(0)
    expect(idsOf(await allOf(service, PATH, {}, { authorization: alice }))).toEqual(own)
    const stranger = await service.bearer('stranger')
    expect(await allOf(service, PATH, {}, { authorization: stranger })).toEqual([])
    // Wallets took the credentials without an owner, not the client secret.
    expect(await list({ mine: 'true' })).toEqual([])
    expect(idsOf(await allOf(service, PATH, { mine: 'true' }, { authorization: alice }))).toEqual(own)
  })

  it.each([
    ['limit=201', 'limit must be at most 200'],
    ['limit=0', 'limit must be at least 1'],
    ['idPrefix=abcdef1', 'idPrefix must be the first 8 to 36 characters of an id'],
    ['idPrefix=ABCDEF12', 'idPrefix must be the first 8 to 36 characters of an id'],
    ['idPrefix=abcdef12%25', 'idPrefix must be the first 8 to 36 characters of an id'],
    ['status=gone', 'status must be one of active, suspended, expired, revoked'],
    ['holderDid=alice', 'holderDid must be a DID'],
    ['from=yesterday', 'from must be an ISO 8601 date-time'],
    ['to=0000-01-01T00:00:00Z', 'to must lie between the years 1000 and 2999'],
    ['cursor=abc', 'cursor must be the cursor of a page before'],
    ['vc=true', 'property vc should not exist'],
  ])('%s: 400', async (search, message) => {
    const answer = await service.request('GET', `${PATH}?${search}`, { client: true })
    expect([answer.status, answer.json.message]).toEqual([400, [message]])
  })

  it('treats a NUL as the name of no schema', async () => {
    const answer = await service.request('GET', `${PATH}?schema=a%00`, { client: true })
    expect([answer.status, answer.json.message]).toEqual([400, 'Text must not contain a NUL character.'])
  })

  it('finds DIDs that are too long for an index', async () => {
    const did = `did:example:${createHash('sha512').update('x').digest('hex').repeat(60)}`
    const body = { type: first, credential_subject: { ...SUBJECT }, format: 'dc+sd-jwt' }
    const { json } = await service.request('POST', '/credentials/sign', { authorization: alice, body })
    await query(service.databaseUrl, 'UPDATE credentials SET holder_did = $2 WHERE id = $1', [json.id, did])
    expect(idsOf(await pageOf(service, PATH, { holderDid: did }).then(({ items }) => items))).toEqual([json.id])
  })

  it('ends with an error after two seconds, and the next list is answered', async () => {
    const blocker = new pg.Client({ connectionString: service.databaseUrl })
    await blocker.connect()
    try {
      await blocker.query('BEGIN; LOCK TABLE credentials IN ACCESS EXCLUSIVE MODE')
      const answer = await service.request('GET', `${PATH}?status=revoked`, { client: true })
      expect([answer.status, answer.json.message]).toEqual([
        400,
        'The list takes longer than 2 s with these filters. Ask for a shorter time, or by fewer of them.',
      ])
      await blocker.query('ROLLBACK')
    } finally {
      await blocker.end()
    }
    expect(await list({ status: 'revoked' })).toHaveLength(1)
  })
})
