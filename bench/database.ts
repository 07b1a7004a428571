import { randomBytes } from 'node:crypto'
import pg from 'pg'
import { startTemporaryPostgres } from '../scripts/postgres/temporary.js'

export interface BenchDatabase {
  readonly url: string
  /** Says whose server it is, for the report. */
  readonly description: string
  remove(): Promise<void>
}

async function administer(url: string, sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    await client.query(sql)
  } finally {
    await client.end()
  }
}

/** An empty database of its own: on the server of BENCH_DATABASE_URL, or on an embedded one that is gone afterwards. */
export async function createBenchDatabase(): Promise<BenchDatabase> {
  const given = process.env.BENCH_DATABASE_URL
  const embedded = given ? undefined : await startTemporaryPostgres()
  const serverUrl = embedded?.url ?? given ?? ''
  const name = `credence_bench_${randomBytes(6).toString('hex')}`
  await administer(serverUrl, `CREATE DATABASE ${name}`)
  const url = new URL(serverUrl)
  url.pathname = `/${name}`
  return {
    url: url.href,
    description: given ? 'PostgreSQL of BENCH_DATABASE_URL' : 'embedded PostgreSQL, without fsync',
    remove: async () => {
      if (embedded === undefined) await administer(serverUrl, `DROP DATABASE ${name} WITH (FORCE)`)
      else await embedded.remove()
    },
  }
}
