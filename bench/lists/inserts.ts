import type pg from 'pg'

/** The indices that only lists need, on the tables to which each issuance or presentation writes. */
const ADDED = [
  'credentials_active_idx',
  'credentials_schema_id_created_at_idx',
  'credentials_holder_idx',
  'credential_offer_sessions_state_created_at_idx',
  'credential_offer_sessions_deferred_idx',
  'verification_sessions_awaited_idx',
  'audit_events_action_at_idx',
  'audit_events_actor_idx',
]

const TABLES = ['credentials', 'credential_offer_sessions', 'verification_sessions', 'audit_events']

export interface InsertCost {
  readonly name: string
  /** Bytes of the write-ahead log for one row. */
  readonly wal: number
  /** Microseconds for one row. */
  readonly micros: number
}

const IDS: Readonly<Record<string, string>> = {
  credentials: 'id = gen_random_uuid()::text, created_at = clock_timestamp(), revoked_at = NULL',
  credential_offer_sessions:
    "id = gen_random_uuid()::text, created_at = clock_timestamp(), state = 'Created', ended_at = NULL",
  verification_sessions:
    "id = gen_random_uuid()::text, request_id = gen_random_uuid()::text, created_at = clock_timestamp(), state = 'RequestCreated', error_message = NULL, ended_at = NULL, secrets = 'x'",
}

const ROWS = 2_000
/** Number of rows in one transaction. */
const COMMIT = 10

async function costOf(client: pg.Client, table: string): Promise<Omit<InsertCost, 'name'>> {
  await client.query('CHECKPOINT')
  const lsn = async () =>
    (await client.query<{ lsn: string }>('SELECT pg_current_wal_insert_lsn() AS lsn')).rows[0]?.lsn
  const before = await lsn()
  const began = performance.now()
  for (let made = 0; made < ROWS; made += COMMIT) {
    await client.query(
      table === 'audit_events'
        ? `INSERT INTO audit_events (at, actor, action, subject, subject_id)
             SELECT clock_timestamp(), 'alice', action, subject, gen_random_uuid()::text FROM newest_audit_events LIMIT ${COMMIT}`
        : `INSERT INTO ${table} SELECT * FROM newest_${table} LIMIT ${COMMIT}`,
    )
    if (table !== 'audit_events') await client.query(`UPDATE newest_${table} SET ${IDS[table]}`)
  }
  const micros = ((performance.now() - began) * 1_000) / ROWS
  const { rows } = await client.query<{ bytes: string }>(
    'SELECT pg_wal_lsn_diff(pg_current_wal_insert_lsn(), $1) AS bytes',
    [before],
  )
  return { wal: Number(rows[0]?.bytes) / ROWS, micros }
}

/** Measures the cost of one more row in each table, with and without the lists' indices. Each measurement begins just after a checkpoint. */
export async function insertCosts(client: pg.Client, say: (line: string) => void): Promise<InsertCost[]> {
  const costs: InsertCost[] = []
  const { rows: definitions } = await client.query<{ definition: string }>(
    'SELECT pg_get_indexdef(c.oid) AS definition FROM pg_class c WHERE c.relname = ANY ($1)',
    [ADDED],
  )
  for (const table of TABLES) {
    await client.query(
      `CREATE TEMPORARY TABLE newest_${table} AS SELECT * FROM ${table} ORDER BY 1 DESC LIMIT ${COMMIT}`,
    )
    if (table !== 'audit_events') await client.query(`UPDATE newest_${table} SET ${IDS[table]}`)
    if (table === 'credentials')
      await client.query(`UPDATE newest_credentials SET holder_did = 'did:key:z' || md5(id) || md5(vc::text)`)
  }
  const measure = async (name: string) => {
    for (const table of TABLES) {
      const cost = { name: `${table}, ${name}`, ...(await costOf(client, table)) }
      costs.push(cost)
      say(`${cost.name}: ${cost.wal.toFixed(0)} bytes of log, ${cost.micros.toFixed(0)} µs`)
    }
  }
  await measure('with the indices of lists')
  await client.query(`DROP INDEX ${ADDED.join(', ')}`)
  await measure('without them')
  for (const { definition } of definitions) await client.query(definition.replace(' ON ONLY ', ' ON '))
  await measure('with them again')
  return costs
}
