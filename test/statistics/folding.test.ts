import { Client, type QueryResultRow } from 'pg'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { query } from '../support/postgres.js'
import { startService, type TestService } from '../support/service.js'

let service: TestService
/**
 * The time of the service's clock, which the test moves. The job waits some seconds for a missing number before it
 * ignores the number.
 */
let now: Date

beforeAll(async () => {
  service = await startService({ maintenance: false })
})
afterAll(() => service.close())

const AT = '2026-03-01T12:30:00Z'
const sql = <Row extends QueryResultRow>(text: string) => query<Row>(service.databaseUrl, text)
const event = (count = 1) =>
  `INSERT INTO audit_events (at, action, subject, subject_id)
   SELECT '${AT}', 'authorization-request.created', 'verification-session', 'gone' FROM generate_series(1, ${count})`

const fold = (limit = 1_000) => service.platform.stores.statistics.fold(now, limit)
const later = (seconds: number) => {
  now = new Date(now.getTime() + seconds * 1_000)
}

/** Counts until no work is left at this time. */
async function batches(limit: number): Promise<number[]> {
  const counts: number[] = []
  for (let more = true; more; later(60)) {
    const done = await fold(limit)
    counts.push(done.count)
    more = done.more
  }
  return counts
}

async function requests(): Promise<number> {
  const [row] = await sql<{ count: number | null }>(
    `SELECT sum(count)::int AS count FROM statistics WHERE step = 'hour' AND measure = 'requests' AND at = '2026-03-01T12:00:00Z'`,
  )
  return row?.count ?? 0
}

async function missing(): Promise<string[]> {
  const rows = await sql<{ gap: string }>('SELECT unnest(gaps + watched)::text AS gap FROM statistics_progress')
  return rows.map(({ gap }) => gap)
}

/**
 * Waits until the server has no older transaction. While other users of this PostgreSQL have open transactions, the job
 * keeps waiting for all missing numbers, to be safe.
 */
async function becomesOldest(client: Client): Promise<void> {
  const { rows } = await client.query<{ xid: string }>('SELECT pg_current_xact_id()::text AS xid')
  const oldest = async () => {
    const [row] = await sql<{ xid: string }>('SELECT pg_snapshot_xmin(pg_current_snapshot())::text AS xid')
    return row?.xid
  }
  await expect.poll(oldest, { timeout: 90_000 }).toBe(rows[0]?.xid)
}

/** Begins a transaction and writes events in it. The transaction stays open. */
async function openTransaction(count: number): Promise<Client> {
  const client = new Client({ connectionString: service.databaseUrl })
  await client.connect()
  await client.query('BEGIN')
  await client.query(event(count))
  return client
}

async function end(client: Client, how: 'COMMIT' | 'ROLLBACK'): Promise<void> {
  await client.query(how)
  await client.end()
}

beforeEach(async () => {
  now = new Date('2026-03-01T13:00:00Z')
  await sql('TRUNCATE statistics')
  await sql(`UPDATE statistics_progress SET high = (SELECT last_value FROM audit_events_id_seq), gaps = '{}', watched = '{}',
    watched_at = 'epoch', watched_before = NULL`)
})

describe('counting audit events', () => {
  it('counts each event once, also if it runs again', async () => {
    await sql(event(5))
    expect(await fold()).toEqual({ count: 5, first: new Date(AT), more: false })
    expect((await fold()).count).toBe(0)
    expect(await requests()).toBe(5)
  })

  it('counts events that are older than the counters, in limited batches', async () => {
    await sql(event(25))
    await sql('UPDATE statistics_progress SET high = 0')
    const [written] = await sql<{ all: number; requests: number }>(
      `SELECT count(*)::int AS all, count(*) FILTER (WHERE action = 'authorization-request.created')::int AS requests FROM audit_events`,
    )
    const counted = await batches(10)
    expect(counted.slice(0, -1).every((count) => count === 10)).toBe(true)
    expect(counted.reduce((sum, count) => sum + count)).toBe(written?.all)
    expect(await requests()).toBe(written?.requests)
  })

  it('attack on the figures: an event written before and committed after others is counted once, after any delay', async () => {
    const slow = await openTransaction(3)
    await becomesOldest(slow)
    await sql(event(2))
    expect((await fold()).count).toBe(2)
    for (let turn = 0; turn < 10; turn += 1) {
      later(60)
      await sql(event())
      await fold()
    }
    expect(await requests()).toBe(12)
    expect(await missing()).toHaveLength(1)
    await end(slow, 'COMMIT')
    expect((await fold()).count).toBe(3)
    for (let turn = 0; turn < 5; turn += 1) {
      later(60)
      expect((await fold()).count).toBe(0)
    }
    expect(await requests()).toBe(15)
    expect(await missing()).toEqual([])
  })

  it('stops waiting for numbers that were rolled back when no open transaction can have them', async () => {
    await end(await openTransaction(3), 'ROLLBACK')
    await sql(event())
    await fold()
    expect(await missing()).toHaveLength(1)
    // Other users of this PostgreSQL may have transactions too. They must end before the job stops waiting.
    const turn = async () => {
      later(11)
      await fold()
      return missing()
    }
    await expect.poll(turn).toEqual([])
  })

  it('waits some seconds before it checks which transactions may still use a number, because a transaction takes the number before it writes', async () => {
    await end(await openTransaction(3), 'ROLLBACK')
    await sql(event())
    const asked = async () => {
      await fold()
      const [row] = await sql<{ watched: boolean; asked: boolean }>(
        'SELECT NOT isempty(watched) AS watched, watched_before IS NOT NULL AS asked FROM statistics_progress',
      )
      return row
    }
    await expect.poll(asked).toEqual({ watched: true, asked: false })
    later(9)
    expect(await asked()).toEqual({ watched: true, asked: false })
    later(1)
    expect(await asked()).toEqual({ watched: true, asked: true })
  })

  it('attack: remembers at most ten thousand missing numbers, and new events wait until some numbers are given up', async () => {
    await sql(
      `UPDATE statistics_progress SET gaps = (SELECT range_agg(int8range(-2 * n, 1 - 2 * n)) FROM generate_series(1, 10000) n)`,
    )
    await sql(event())
    expect((await fold()).count).toBe(0)
    const turn = async () => {
      later(11)
      await fold()
      return requests()
    }
    await expect.poll(turn).toBe(1)
  })

  it('continues in a database that was restored from a dump of another server', async () => {
    await end(await openTransaction(1), 'ROLLBACK')
    await sql(event())
    await fold()
    await sql(`UPDATE statistics_progress SET watched = gaps, gaps = '{}', watched_before = '4611686018427387904'`)
    await fold()
    expect(await missing()).toEqual([])
  })

  it('attack on the figures: several processes that count at once count each event once', async () => {
    await sql(event(400))
    for (let turn = 0; turn < 10; turn += 1) {
      await Promise.all([fold(50), fold(50), sql(event(3)), fold(50), fold(50)])
    }
    await batches(50)
    expect(await requests()).toBe(430)
  })

  it('counts late events in limited batches too, and gives up none of them', async () => {
    const before = await openTransaction(1)
    // An event is committed after this transaction began. So the job can tell this transaction from later transactions.
    await sql(event())
    await fold(10)
    const slow = await openTransaction(30)
    await sql(event())
    await fold(10)
    await end(before, 'ROLLBACK')
    await becomesOldest(slow)
    // The job now watches the missing numbers until every transaction that could have written them has ended.
    for (let turn = 0; turn < 3; turn += 1) {
      later(60)
      await fold(10)
    }
    await end(slow, 'COMMIT')
    expect(await batches(10)).toEqual([10, 10, 10, 0])
    expect(await requests()).toBe(32)
  })
})
