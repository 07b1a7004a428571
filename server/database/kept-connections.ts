import pg from 'pg'

/**
 * SQLSTATE classes of statements that were refused because of their values: data exception, integrity constraint violation,
 * transaction rollback. After such a refusal, the connection is still usable.
 */
const REFUSED_FOR_VALUES = /^(?:22|23|40)[0-9A-Z]{3}$/

const isWell = (error: Error): boolean =>
  error instanceof pg.DatabaseError && error.severity === 'ERROR' && REFUSED_FOR_VALUES.test(error.code ?? '')

/**
 * Runs a query on a connection of the pool, and returns the connection. If a statement is refused because of its
 * values, the connection stays in the pool. `query` of the pool would close the connection. Then a stranger could make
 * the service open a new connection with each request: a text with a NUL character is enough, because PostgreSQL
 * refuses it.
 *
 * @returns the value that the driver passes to the query's callback
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
      // A broken connection first emits an error, and then each of its queries fails.
      client.once('error', end)
      try {
        client.query(asked, end)
      } catch (error) {
        end(error instanceof Error ? error : new Error('A statement cannot be sent.', { cause: error }))
      }
    })
  })

/** The pool that Prisma uses. Prisma calls `query` with a single argument. */
export class KeptPool extends pg.Pool {
  // The type is `never`, because the driver's overloads have no other common type.
  override query(asked: never): never {
    return ask(this, asked) as never
  }
}
