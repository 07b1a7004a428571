import pg from 'pg'

/**
 * SQLSTATE classes of statements that were refused for the values that they had: data exception, integrity constraint violation,
 * transaction rollback. Such a refusal says nothing against the connection.
 */
const REFUSED_FOR_VALUES = /^(?:22|23|40)[0-9A-Z]{3}$/

const isWell = (error: Error): boolean =>
  error instanceof pg.DatabaseError && error.severity === 'ERROR' && REFUSED_FOR_VALUES.test(error.code ?? '')

/** Gives a connection back once the server is ready for the next statement, which it says behind its refusal of the last one. */
function releaseWhenReady(client: pg.PoolClient, release: (isBroken?: boolean) => void): void {
  const settled = (isBroken: boolean) => () => {
    client.off('drain', ready).off('error', lost).off('end', lost)
    release(isBroken)
  }
  const ready = settled(false)
  const lost = settled(true)
  client.once('drain', ready).once('error', lost).once('end', lost)
}

/**
 * The pool's own `query` drops the connection of every statement that fails, so that whoever can have one refused, by a NUL character in
 * an address, would have another connection opened for each request. Here a connection stays where a statement was refused for its values.
 *
 * @see https://www.postgresql.org/docs/current/errcodes-appendix.html
 */
export function keepConnections(pool: pg.Pool): void {
  const query = (asked: pg.QueryConfig) =>
    new Promise<unknown>((resolve, reject) => {
      pool.connect((failure, client, release) => {
        if (client === undefined) {
          reject(failure)
          return
        }
        let isOver = false
        const end = (error?: Error | null, result?: unknown) => {
          if (isOver) return
          isOver = true
          client.removeListener('error', end)
          if (error == null) {
            release()
            resolve(result)
          } else {
            if (isWell(error)) releaseWhenReady(client, release)
            else release(true)
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
  Object.assign(pool, { query })
}
