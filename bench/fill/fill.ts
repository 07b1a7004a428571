import pg from 'pg'
import { COPIES, type Copies, id, ORIGINALS } from './copies.js'

interface Column {
  readonly name: string
  /** Whether the column is unique. */
  readonly distinct: boolean
}

/** Finds the columns that a copy sets: all columns except automatic counters. */
async function columnsOf(client: pg.Client, table: string): Promise<Column[]> {
  const { rows } = await client.query<Column>(
    `SELECT a.attname AS name, a.atttypid = 'text'::regtype AND EXISTS (
        SELECT 1 FROM pg_index i WHERE i.indrelid = a.attrelid AND i.indisunique AND i.indnkeyatts = 1 AND i.indkey[0] = a.attnum
      ) AS distinct
     FROM pg_attribute a LEFT JOIN pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
     WHERE a.attrelid = $1::regclass AND a.attnum > 0 AND NOT a.attisdropped AND a.attgenerated = '' AND a.attidentity = ''
       AND coalesce(pg_get_expr(d.adbin, d.adrelid), '') NOT LIKE 'nextval(%' ORDER BY a.attnum`,
    [table],
  )
  return rows
}

async function copy(client: pg.Client, { table, where, set, count = (rows) => rows }: Copies, rows: number) {
  const columns = await columnsOf(client, table)
  const unknown = Object.keys(set).filter((column) => !columns.some(({ name }) => name === column))
  if (unknown.length > 0) throw new Error(`${table} has no ${unknown.join(', ')}.`)
  const source = `SELECT * FROM ${table} WHERE ${where}`
  const { rowCount } = await client.query(source)
  if (!rowCount) throw new Error(`There is no row of ${table} to copy.`)
  const names = columns.map(({ name }) => client.escapeIdentifier(name))
  const values = columns.map(
    ({ name, distinct }, index) => set[name] ?? (distinct ? id(`${table} ${name}`) : `row.${names[index]}`),
  )
  const done = await client.query(
    `INSERT INTO ${table} (${names.join(', ')}) SELECT ${values.join(', ')}
     FROM generate_series(1, ${count(rows, rowCount)}) AS n, (${source}) AS row`,
  )
  return done.rowCount ?? 0
}

/**
 * Fills the tables that grow with use. Each of them gets `rows` rows. These rows are copies of rows that the service
 * itself wrote, with different ids, hashes and times. The account must be a superuser, so that PostgreSQL does not
 * check each reference. The references of the copies are valid by construction.
 *
 * @returns a description of the work, for the report
 */
export async function fill(databaseUrl: string, rows: number): Promise<string> {
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  const begun = performance.now()
  try {
    await client.query("SET session_replication_role = 'replica'; SET synchronous_commit = off; SET jit = off")
    await client.query(ORIGINALS)
    for (const copies of COPIES) {
      const started = performance.now()
      const made = await copy(client, copies, rows)
      const seconds = ((performance.now() - started) / 1000).toFixed(1)
      process.stdout.write(`${made.toLocaleString('en')} rows of ${copies.table} in ${seconds} s\n`)
    }
    await client.query('VACUUM ANALYZE')
    await client.query('CHECKPOINT')
  } finally {
    await client.end()
  }
  const took = ((performance.now() - begun) / 1000).toFixed(0)
  return `A database was filled with ${rows.toLocaleString('en')} rows of everything in ${took} s.`
}
