import pg from 'pg'
import { query } from './postgres.js'

/** Runs `run` while statements are not committed yet, and commits them as soon as `run` waits for them. */
export async function during<Done>(
  databaseUrl: string,
  statements: readonly string[],
  run: () => Promise<Done>,
): Promise<Done> {
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  try {
    await client.query('BEGIN')
    for (const statement of statements) await client.query(statement)
    const running = run()
    const { rows: own } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid')
    for (let waits = 0; waits === 0; ) {
      const [found] = await query<{ n: number }>(
        databaseUrl,
        'SELECT count(*)::int AS n FROM pg_stat_activity WHERE $1 = ANY(pg_blocking_pids(pid))',
        [own[0]?.pid],
      )
      waits = found?.n ?? 0
    }
    await client.query('COMMIT')
    return await running
  } finally {
    await client.end()
  }
}
