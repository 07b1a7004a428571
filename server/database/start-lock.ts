import pg from 'pg'

/** The number of the advisory lock. It is arbitrary, but must be the same in all processes and versions. */
const key = 4_073_101_525

/** The proof that no other process is starting on the database at this time, and a connection to the database. */
export interface StartLock {
  readonly connection: pg.Client
}

/**
 * Runs `start` while no other process starts on the same database. Many processes may start at once: the first process
 * makes tables and the default issuer, and the other processes find them. The lock ends with the connection, so the
 * crash of a process frees the lock.
 */
export async function withStartLock<T>(databaseUrl: string, start: (lock: StartLock) => Promise<T>): Promise<T> {
  const connection = new pg.Client({ connectionString: databaseUrl, keepAlive: true })
  const lost = new Promise<never>((_, reject) => connection.on('error', reject))
  lost.catch(() => undefined)
  await connection.connect()
  try {
    await connection.query('SELECT pg_advisory_lock($1)', [key])
    return await Promise.race([start({ connection }), lost])
  } finally {
    await connection.end()
  }
}
