import { randomUUID } from 'node:crypto'
import pg from 'pg'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { connectDatabase, type Database, UNHURRIED_MS } from '../../server/database/connect.js'
import { createCredentialStore } from '../../server/issuer/credentials/store.js'
import { createIssuanceStore, type IssuanceContext } from '../../server/issuer/issuance/store.js'
import { claimsInClear } from '../../server/keys/claims/vault.js'
import { createAllotment, listsFor, type StatusIndex } from '../../server/status-lists/allotment.js'
import {
  createStatusListStore,
  type EntryBits,
  type IndexRange,
  type Reservation,
} from '../../server/status-lists/store.js'
import { postSchema } from '../issuer/purchase.js'
import { query } from '../support/postgres.js'
import { startService, type TestService } from '../support/service.js'

const SIZE = 131_072
const AT_ONCE = 32

let service: TestService
let database: Database
let context: IssuanceContext

beforeAll(async () => {
  service = await startService({ maintenance: false })
  // Each process below needs one connection.
  database = connectDatabase(service.databaseUrl, { max: AT_ONCE, waitMs: UNHURRIED_MS })
  const { name } = await postSchema(service, await service.bearer('alice'))
  context = (await createIssuanceStore(database, claimsInClear).context(name, undefined, undefined)) as IssuanceContext
})
afterAll(async () => {
  await database?.close()
  await service?.close()
})
beforeEach(() =>
  query(service.databaseUrl, 'TRUNCATE status_lists, credential_instances, credentials, redemptions CASCADE'),
)

const rows = (text: string) => query(service.databaseUrl, text)

const reserve = (count: number, mostOpen: number, bits: EntryBits = 1): Promise<IndexRange> => {
  const { keyId, issuerId } = context
  return createStatusListStore(database).reserve({ keyId, issuerId, count, bits, mostOpen }, randomUUID())
}

const atOnce = <Result>(act: (number: number) => Promise<Result>): Promise<Result[]> =>
  Promise.all(Array.from({ length: AT_ONCE }, (_, number) => act(number)))

/** Reads every reserved index, with its list. */
const entriesOf = (ranges: readonly IndexRange[]): string[] =>
  ranges.flatMap(({ listId, from, to }) => Array.from({ length: to - from }, (_, at) => `${listId} ${from + at}`))

const lists = async (): Promise<number> => (await rows('SELECT 1 FROM status_lists')).length

async function record(indices: readonly StatusIndex[]): Promise<string> {
  const id = randomUUID()
  await createIssuanceStore(database, claimsInClear).record(
    {
      id,
      schemaId: context.id,
      issuerId: context.issuerId,
      owner: 'alice',
      holderDid: null,
      vc: {},
      names: null,
      createdAt: new Date(),
      claimsDueAt: null,
      recordDueAt: null,
      subjectHash: null,
      validFrom: null,
      expiresAt: null,
      instances: indices.map((index) => ({ ...index, configurationId: 'Purchase', format: 'dc+sd-jwt' })),
      audit: { actor: 'alice', action: 'credential.issued' },
    },
    undefined,
  )
  return id
}

describe('simultaneous reservations of many processes', () => {
  it('use one list, which is opened once, and reserve no entry twice', async () => {
    const ranges = await atOnce(() => reserve(32, 1))
    expect(new Set(entriesOf(ranges)).size).toBe(AT_ONCE * 32)
    expect(await rows('SELECT allotted FROM status_lists')).toEqual([{ allotted: AT_ONCE * 32 }])
  })

  it('use further lists under load, up to the allowed number of lists with free indices', async () => {
    const ranges = (await Promise.all(Array.from({ length: 8 }, () => atOnce(() => reserve(1_024, 3))))).flat()
    const entries = entriesOf(ranges)
    expect(new Set(entries).size).toBe(entries.length)
    expect(entries).toHaveLength(8 * AT_ONCE * 1_024)
    const open = await rows('SELECT allotted FROM status_lists WHERE allotted < size')
    expect(open.length).toBeLessThanOrEqual(3)
    // All earlier lists are full.
    expect(await lists()).toBeLessThanOrEqual(3 + Math.floor(entries.length / SIZE))
  })

  it('use the oldest list with free entries that is not locked', async () => {
    const { listId } = await reserve(32, 1)
    await rows(
      `INSERT INTO status_lists (id, key_id, issuer_id, size, created_at)
       SELECT 'newer', key_id, issuer_id, size, created_at + interval '1 hour' FROM status_lists`,
    )
    for (let time = 0; time < 5; time += 1) expect((await reserve(32, 8)).listId).toBe(listId)
  })

  it('do not wait for a locked list: another list is opened if allowed, and all processes then use it', async () => {
    const { listId } = await reserve(32, 1)
    const holder = new pg.Client({ connectionString: service.databaseUrl })
    await holder.connect()
    try {
      await holder.query('BEGIN')
      await holder.query('SELECT 1 FROM status_lists WHERE id = $1 FOR NO KEY UPDATE', [listId])
      const other = await reserve(32, 2)
      expect(other).toEqual({ listId: expect.not.stringContaining(listId), size: SIZE, from: 0, to: 32 })
      expect(await reserve(32, 1)).toEqual({ ...other, from: 32, to: 64 })
      expect(await lists()).toBe(2)
      await holder.query('ROLLBACK')
    } finally {
      await holder.end()
    }
    expect((await reserve(32, 1)).listId).toBe(listId)
  })

  it('use the rest of a list before another list is opened', async () => {
    const { listId } = await reserve(32, 1)
    await rows(`UPDATE status_lists SET allotted = ${SIZE - 5}`)
    expect(await reserve(32, 1)).toEqual({ listId, size: SIZE, from: SIZE - 5, to: SIZE })
    const next = await reserve(32, 1)
    expect(next).toEqual({ listId: expect.not.stringContaining(listId), size: SIZE, from: 0, to: 32 })
    expect(await lists()).toBe(2)
  })

  it('use separate lists for entries of one and of two bits, each opened once', async () => {
    const ranges = await atOnce((number) => reserve(32, 1, number % 2 === 0 ? 1 : 2))
    expect(new Set(entriesOf(ranges)).size).toBe(AT_ONCE * 32)
    expect(await rows('SELECT bits, allotted FROM status_lists ORDER BY bits')).toEqual([
      { bits: 1, allotted: (AT_ONCE / 2) * 32 },
      { bits: 2, allotted: (AT_ONCE / 2) * 32 },
    ])
  })

  it('can share a list with an earlier version, which has its own counter', async () => {
    await reserve(32, 1)
    const earlier = async (): Promise<IndexRange> => {
      const [row] = await query<{ listId: string; to: number }>(
        service.databaseUrl,
        `UPDATE status_lists SET allotted = allotted + 32
         WHERE id = (
           SELECT id FROM status_lists WHERE key_id = $1 AND allotted + 32 <= size
           ORDER BY created_at DESC, id LIMIT 1 FOR NO KEY UPDATE)
         RETURNING id AS "listId", allotted AS "to"`,
        [context.keyId],
      )
      return { listId: row?.listId ?? '', size: SIZE, from: (row?.to ?? 0) - 32, to: row?.to ?? 0 }
    }
    const ranges = await atOnce((number) => (number % 2 === 0 ? reserve(32, 1) : earlier()))
    expect(new Set(entriesOf(ranges)).size).toBe(AT_ONCE * 32)
    expect(await rows('SELECT allotted FROM status_lists')).toEqual([{ allotted: (AT_ONCE + 1) * 32 }])
  })
})

/**
 * Runs actions that wait for a status list. One transaction changes the list, so the actions wait for it. A second
 * transaction has a shared lock on the list's row, like each statement that records a credential. The actions continue
 * after the change is committed, while the second transaction still has the shared lock.
 */
async function onceChanged<Result>(acts: readonly (() => Promise<Result>)[]): Promise<Result[]> {
  const [changing, sharing] = [0, 1].map(() => new pg.Client({ connectionString: service.databaseUrl }))
  if (changing === undefined || sharing === undefined) throw new Error('There are no connections.')
  try {
    for (const client of [changing, sharing]) {
      await client.connect()
      await client.query('BEGIN')
    }
    await sharing.query('SELECT 1 FROM status_lists FOR KEY SHARE')
    await changing.query('UPDATE status_lists SET version = version')
    const running = Promise.allSettled(acts.map((act) => act()))
    const waiting = "datname = current_database() AND wait_event_type = 'Lock'"
    await expect.poll(() => rows(`SELECT 1 FROM pg_stat_activity WHERE ${waiting}`)).toHaveLength(acts.length)
    await changing.query('COMMIT')
    const results = await running
    return results.map((result) => {
      if (result.status === 'rejected') throw result.reason
      return result.value
    })
  } finally {
    await Promise.all([changing, sharing].map((client) => client.end()))
  }
}

describe('statements that wait for a list while credentials lock its row (a former deadlock)', () => {
  it('reservations', async () => {
    const first = await reserve(32, 1)
    const others = await onceChanged(Array.from({ length: 5 }, () => () => reserve(32, 1)))
    expect(new Set(entriesOf([first, ...others])).size).toBe(6 * 32)
  })

  it('revocations', async () => {
    const { listId } = await reserve(5, 1)
    const ids = await Promise.all([0, 1, 2, 3, 4].map((index) => record([{ listId, index }])))
    const { changeStatus } = createCredentialStore(database, claimsInClear)
    const revoke = (id: string) => () =>
      changeStatus({ id, change: 'revoke', reason: null, note: undefined, actor: null, now: new Date() })
    expect(await onceChanged(ids.map(revoke))).toEqual(ids.map(() => 'changed'))
    expect(await rows('SELECT version FROM status_lists')).toEqual([{ version: 5 }])
  })
})

const names = (indices: readonly StatusIndex[]) => indices.map(({ listId, index }) => `${listId} ${index}`)

describe('the blocks of a process', () => {
  let now = 0
  beforeEach(() => {
    vi.spyOn(performance, 'now').mockImplementation(() => now)
  })
  afterEach(() => vi.restoreAllMocks())

  it('grow while they are used up at once, to less than a hundredth of a list; only the largest blocks open further lists', async () => {
    const asked: Pick<Reservation, 'count' | 'mostOpen'>[] = []
    const store = createStatusListStore(database)
    const allot = createAllotment(
      {
        reserve: (reservation, newId) => {
          asked.push(reservation)
          return store.reserve(reservation, newId)
        },
      },
      randomUUID,
      () => Buffer.alloc(32, 1),
    )
    const useUpIn = async (milliseconds: number) => {
      const count = asked.at(-1)?.count ?? 0
      now += milliseconds
      for (let taken = 0; taken < count; taken += 1) await allot(listsFor(context), 1)
    }
    await allot(listsFor(context), 1)
    for (let block = 0; block < 6; block += 1) await useUpIn(99)
    await useUpIn(500)
    for (let block = 0; block < 6; block += 1) await useUpIn(1_001)
    const counts = [32, 64, 128, 256, 512, 1_024, 1_024, 1_024, 512, 256, 128, 64, 32, 32]
    expect(asked.map(({ count }) => count)).toEqual(counts)
    expect(Math.max(...counts)).toBeLessThan(SIZE / 100)
    expect(asked.map(({ mostOpen }) => mostOpen)).toEqual(counts.map((count) => (count === 1_024 ? 8 : 1)))
    // There was only one process.
    expect(await lists()).toBe(1)
  })

  it('use an index again only once after a refused request returned it, also while the next block is being reserved', async () => {
    const allot = createAllotment(createStatusListStore(database), randomUUID, () => Buffer.alloc(32, 1))
    const take = (count: number) => allot(listsFor(context), count)
    const refused = await take(32)
    const givenBack = names(refused.indices)
    const waiting = take(1)
    refused.giveBack()
    refused.giveBack()
    const again = names([...(await waiting).indices, ...(await take(31)).indices])
    expect(again.sort()).toEqual(givenBack.sort())
    const others = names((await take(40)).indices)
    expect(new Set([...again, ...others]).size).toBe(72)
  })
})
