import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { connectDatabase, type Database } from '../../server/database/connect.js'
import type { TimedPart } from '../../server/database/list-position.js'
import { type CredentialFilters, createCredentialListStore } from '../../server/issuer/credentials/list/store.js'
import { createOfferSessionListStore } from '../../server/issuer/openid4vci/sessions/list/store.js'
import { CREDENTIAL_OFFER_STATES } from '../../server/issuer/openid4vci/sessions/session.js'
import { createSchemaListStore } from '../../server/issuer/schemas/list/store.js'
import { createVerificationSessionListStore } from '../../server/verifier/sessions/list/store.js'
import { SESSION_STATES } from '../../server/verifier/sessions/session.js'
import { createTestDatabase, type TestDatabase } from '../support/postgres.js'

/** As many rows of everything as make an index worth it. What is looked for is old and rare, or all there is. */
const ROWS = 20_000
const TAKE = 51
/** Rows that one node of a plan may go through: a page of each part of a list, and of each group of one moment. */
const MOST = 600

const id = (kind: string) => `md5('${kind}' || n)::uuid::text`
const at = `'2026-01-01'::timestamptz + n * interval '1 second'`
const rows = `FROM generate_series(1, ${ROWS}) AS n`
const RARE = 'n < 20'

/** References hold by the way the rows are made. */
const FILLING = `
  SET session_replication_role = 'replica';
  INSERT INTO schemas (id, name, version, body, created_by, created_at)
    SELECT ${id('schema')}, 'Type_' || (n / 4), n, '{}', 'alice', ${at} ${rows};
  INSERT INTO credentials (id, schema_id, issuer_id, holder_did, vc, created_at, revoked_at)
    SELECT ${id('credential')}, CASE WHEN ${RARE} THEN md5('schema1')::uuid::text ELSE md5('schema2000')::uuid::text END, 'issuer',
      CASE WHEN ${RARE} THEN 'did:example:rare' WHEN n % 2 = 0 THEN 'did:example:' || (n / 100) END, '{}', ${at},
      CASE WHEN ${RARE} THEN now() END ${rows};
  INSERT INTO redemptions (id, offering_id, credential_id, redeemed_at)
    SELECT ${id('redemption')}, CASE WHEN ${RARE} THEN 'rare' ELSE 'popular' END, ${id('credential')}, ${at} ${rows};
  INSERT INTO credential_instances (status_list_id, status_index, credential_id, configuration_id, format)
    SELECT 'list', n, ${id('credential')}, 'Type', 'dc+sd-jwt' ${rows};
  INSERT INTO offerings (id, schema_id, issuer_id, credential_subject, is_session, created_at)
    SELECT ${id('offering')}, 'schema', 'issuer', '{}', true, ${at} ${rows};
  INSERT INTO credential_offer_sessions (id, created_by, state, first_view, expires_at, created_at)
    SELECT ${id('offering')}, 'alice', CASE WHEN ${RARE} THEN 'Accepted' ELSE 'CredentialIssued' END, '{}', now(), ${at} ${rows};
  INSERT INTO verification_sessions (id, request_id, verifier_id, client_id, key_id, kid, state, error_message, response_mode, first_view,
      dcql_query, created_at, expires_at, ended_at)
    SELECT ${id('session')}, ${id('request')}, 'did:example:v', 'did:example:v', 'key', 'kid', CASE WHEN ${RARE} THEN 'ResponseVerified' ELSE 'Error' END,
      CASE WHEN ${RARE} THEN NULL ELSE 'It ran out.' END, 'direct_post', '{}', '{}', ${at}, now(), now() ${rows};
  ANALYZE;`

let test: TestDatabase
let database: Database
let client: pg.Client
const sent: { text: string; values: unknown[] }[] = []
const send = pg.Client.prototype.query

beforeAll(async () => {
  test = await createTestDatabase()
  client = new pg.Client({ connectionString: test.url })
  await client.connect()
  await client.query(FILLING)
  database = connectDatabase(test.url)
  pg.Client.prototype.query = function (this: pg.Client, ...args: unknown[]) {
    const [query] = args
    if (typeof query === 'object') sent.push(query as (typeof sent)[number])
    return Reflect.apply(send, this, args)
  } as typeof send
})
afterAll(async () => {
  pg.Client.prototype.query = send
  await database.close()
  await client.end()
  await test.drop()
})

interface Plan {
  readonly 'Node Type': string
  readonly 'Relation Name'?: string
  readonly 'Actual Rows': number
  readonly 'Actual Loops': number
  readonly 'Rows Removed by Filter'?: number
  readonly 'Rows Removed by Index Recheck'?: number
  readonly Plans?: readonly Plan[]
}

const nodesOf = (plan: Plan): Plan[] => [plan, ...(plan.Plans ?? []).flatMap(nodesOf)]

const wentThrough = (node: Plan) =>
  (node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0) + (node['Rows Removed by Index Recheck'] ?? 0)) *
  node['Actual Loops']

/** Reads a page, and finds how PostgreSQL reads just that. */
async function planOf(read: () => Promise<readonly unknown[]>): Promise<{ found: number; nodes: Plan[] }> {
  sent.length = 0
  const { length: found } = await read()
  const [{ text, values } = { text: '', values: [] }] = sent
  const explained = await client.query<{ 'QUERY PLAN': [{ Plan: Plan }] }>(
    `EXPLAIN (ANALYZE, FORMAT JSON) ${text}`,
    values,
  )
  const [plan] = explained.rows[0]?.['QUERY PLAN'] ?? []
  if (plan === undefined) throw new Error('PostgreSQL explained nothing.')
  return { found, nodes: nodesOf(plan.Plan) }
}

async function expectFewRows(read: () => Promise<readonly unknown[]>, expected: number): Promise<void> {
  const { found, nodes } = await planOf(read)
  expect(found).toBe(expected)
  const scans = nodes.filter((node) => node['Relation Name'] !== undefined)
  expect(scans.length).toBeGreaterThan(0)
  const named = (node: Plan) => `${node['Node Type']} ${node['Relation Name']}`
  expect(scans.map(named).filter((name) => name.startsWith('Seq Scan'))).toEqual([])
  expect(scans.filter((node) => wentThrough(node) > MOST).map((node) => [named(node), wentThrough(node)])).toEqual([])
}

const part: TimedPart = { take: TAKE, after: undefined, from: undefined, to: undefined }
/** In the middle of what there is. */
const MIDDLE = new Date(Date.UTC(2026, 0, 1) + (ROWS / 2) * 1_000)
const PARTS: readonly [string, TimedPart, number][] = [
  ['without a filter', part, TAKE],
  ['from a moment on', { ...part, from: MIDDLE }, TAKE],
  ['before a moment', { ...part, to: MIDDLE }, TAKE],
  ['behind a cursor', { ...part, after: { createdAt: MIDDLE, id: 'f' } }, TAKE],
]

describe('a first page of credentials, by index and of few rows', () => {
  const page = (filters: CredentialFilters, of: TimedPart = part) =>
    createCredentialListStore(database).page(filters, of)

  it.each(PARTS)('%s', (_what, of, found) => expectFewRows(() => page({}, of), found))

  it.each<[CredentialFilters, number]>([
    [{ schema: 'Type_500' }, TAKE],
    [{ schema: 'Type_0' }, 19],
    [{ status: 'active' }, TAKE],
    [{ status: 'revoked' }, 19],
    [{ holderDid: 'did:example:rare' }, 19],
    [{ holderDid: 'did:example:100' }, 50],
    [{ holderDid: 'did:example:nobody' }, 0],
    [{ offeringId: 'popular' }, TAKE],
    [{ offeringId: 'rare' }, 19],
    [{ idPrefix: '00000000' }, 0],
  ])('%j', (filters, found) => expectFewRows(() => page(filters), found))

  it('of the beginning of an id', async () => {
    const [{ first } = { first: '' }] = (await client.query("SELECT md5('credential9')::uuid::text AS first")).rows
    await expectFewRows(() => page({ idPrefix: first.slice(0, 8) }), 1)
  })
})

describe('a first page of sessions', () => {
  it.each(PARTS)('of offers %s', (_what, of, found) =>
    expectFewRows(() => createOfferSessionListStore(database).page(undefined, of), found),
  )
  it.each(CREDENTIAL_OFFER_STATES)('of offers in %s', (state) =>
    expectFewRows(
      () => createOfferSessionListStore(database).page(state, part),
      { CredentialIssued: TAKE, Accepted: 19 }[state as string] ?? 0,
    ),
  )
  it.each(PARTS)('of requests %s', (_what, of, found) =>
    expectFewRows(() => createVerificationSessionListStore(database).page(undefined, of), found),
  )
  it.each(SESSION_STATES)('of requests in %s', (state) =>
    expectFewRows(
      () => createVerificationSessionListStore(database).page(state, part),
      { Error: TAKE, ResponseVerified: 19 }[state as string] ?? 0,
    ),
  )
})

describe('a first page of schemas', () => {
  it.each(PARTS)('%s', (_what, of, found) => expectFewRows(() => createSchemaListStore(database).page({}, of), found))
  it.each([
    [{ name: 'Type_500' }, 4],
    [{ active: true }, TAKE],
    [{ active: false }, TAKE],
  ])('%j', (filters, found) => expectFewRows(() => createSchemaListStore(database).page(filters, part), found))
})
