import { randomBytes } from 'node:crypto'
import pg from 'pg'
import { startTemporaryPostgres } from '../scripts/postgres/temporary.js'
import { type PostgresUsage, usageReader } from './measure/postgres-usage.js'

/** One PostgreSQL server. Each measured program has its own database on it. */
export interface BenchServer {
  /** Names the server and its settings, for the report. */
  readonly description: string
  /** @returns the URL of an empty database, which is dropped at the end of the benchmark */
  createDatabase(): Promise<string>
  /** Processor time and commits of the whole server since its start. */
  usage(): Promise<PostgresUsage>
  remove(): Promise<void>
}

/** With these settings commits wait for the disk, as on a production server. */
export const DURABLE = { fsync: 'on', synchronous_commit: 'on', full_page_writes: 'on' }
const SETTINGS = { ...DURABLE, shared_buffers: '512MB', max_wal_size: '4GB', max_connections: '500' }

const REPORTED = [...Object.keys(SETTINGS), 'jit']

/** Starts an embedded server that is removed afterwards, or uses the server of BENCH_DATABASE_URL. */
export async function startBenchServer(): Promise<BenchServer> {
  const given = process.env.BENCH_DATABASE_URL
  const embedded = given ? undefined : await startTemporaryPostgres(SETTINGS)
  const serverUrl = embedded?.url ?? given ?? ''
  const client = new pg.Client({ connectionString: serverUrl })
  await client.connect()
  const names: string[] = []
  const settings = await client.query<{ text: string }>(
    "SELECT string_agg(name || ' ' || current_setting(name), ', ' ORDER BY name) AS text FROM pg_settings WHERE name = ANY ($1)",
    [REPORTED],
  )
  const version = await client.query<{ server_version: string }>('SHOW server_version')
  const whose = given ? 'of BENCH_DATABASE_URL' : 'embedded'
  return {
    description: `PostgreSQL ${version.rows[0]?.server_version} ${whose} (${settings.rows[0]?.text})`,
    createDatabase: async () => {
      const name = `credence_bench_${randomBytes(6).toString('hex')}`
      await client.query(`CREATE DATABASE ${name}`)
      names.push(name)
      const url = new URL(serverUrl)
      url.pathname = `/${name}`
      return url.href
    },
    usage: await usageReader(client),
    remove: async () => {
      try {
        if (embedded === undefined) for (const name of names) await client.query(`DROP DATABASE ${name} WITH (FORCE)`)
        await client.end()
      } finally {
        await embedded?.remove()
      }
    },
  }
}
