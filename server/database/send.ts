import type pg from 'pg'

/**
 * Runs a query on one connection.
 *
 * @returns the value that the driver passes to the query's callback
 * @throws the driver's own error
 */
export const send = <Answer>(client: pg.ClientBase, asked: pg.QueryConfig): Promise<Answer> =>
  new Promise((resolve, reject) => {
    let isOver = false
    const end = (error?: Error | null, answer?: unknown) => {
      if (isOver) return
      isOver = true
      client.removeListener('error', end)
      if (error == null) resolve(answer as Answer)
      else reject(error)
    }
    // A broken connection first emits an error, and then each of its queries fails.
    client.once('error', end)
    try {
      client.query(asked, end)
    } catch (error) {
      end(error instanceof Error ? error : new Error('A statement cannot be sent.', { cause: error }))
    }
  })
