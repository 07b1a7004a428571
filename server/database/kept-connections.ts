import pg from 'pg'

/**
 * SQLSTATE classes of statements that were refused for the values that they had: data exception, integrity constraint violation,
 * transaction rollback. Such a refusal says nothing against the connection.
 */
const REFUSED_FOR_VALUES = /^(?:22|23|40)[0-9A-Z]{3}$/

const isWell = (error: Error): boolean =>
  error instanceof pg.DatabaseError && error.severity === 'ERROR' && REFUSED_FOR_VALUES.test(error.code ?? '')

/**
 * Asks on a connection of the pool, and gives it back. A connection stays where a statement was refused for its values. The pool's own
 * `query` drops it then, and each NUL character in a stranger's request would have another connection opened.
 *
 * @returns what the driver tells the callback of such a query
 * @throws the driver's own error
 * @see https://www.postgresql.org/docs/current/errcodes-appendix.html
 */
export const ask = <Answer>(pool: pg.Pool, asked: pg.QueryConfig): Promise<Answer> =>
  new Promise((resolve, reject) => {
    pool.connect((failure, client, release) => {
      if (client === undefined) {
        reject(failure)
        return
      }
      let isOver = false
      const end = (error?: Error | null, answer?: unknown) => {
        if (isOver) return
        isOver = true
        client.removeListener('error', end)
        if (error == null) {
          release()
          resolve(answer as Answer)
        } else {
          release(!isWell(error))
          reject(error)
        }
      }
      // A connection that breaks tells so first, and then each of its queries.
      client.once('error', end)
      try {
        client.query(asked, end)
      } catch (error) {
        end(error instanceof Error ? error : new Error('A statement cannot be sent.', { cause: error }))
      }
    })
  })

/** The same for Prisma, which asks its pool with a single argument. */
export class KeptPool extends pg.Pool {
  // The overloads of the driver have `never` alone in common.
  override query(asked: never): never {
    return ask(this, asked) as never
  }
}
