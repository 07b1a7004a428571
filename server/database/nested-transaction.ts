import type pg from 'pg'

type Listener = (...given: unknown[]) => void

/**
 * A connection as Prisma's driver adapter uses it for one transaction. Prisma's transaction becomes a savepoint of the
 * transaction that already runs on the connection.
 */
export class NestedTransaction {
  readonly #connection: pg.PoolClient
  readonly #release: () => void
  #isReleased = false

  /** @param release called once when Prisma's transaction has ended */
  constructor(connection: pg.PoolClient, release: () => void) {
    this.#connection = connection
    this.#release = release
  }

  async query(asked: pg.QueryConfig): Promise<pg.QueryResult> {
    const connection = this.#connection
    const { text } = asked
    if (text === 'BEGIN') return connection.query('SAVEPOINT nested')
    if (text === 'COMMIT') return connection.query('RELEASE SAVEPOINT nested')
    if (text === 'ROLLBACK') {
      await connection.query('ROLLBACK TO SAVEPOINT nested')
      return connection.query('RELEASE SAVEPOINT nested')
    }
    return connection.query(asked)
  }

  on(event: string, listener: Listener): this {
    this.#connection.on(event as 'error', listener)
    return this
  }

  removeListener(event: string, listener: Listener): this {
    this.#connection.removeListener(event as 'error', listener)
    return this
  }

  release(): void {
    if (this.#isReleased) return
    this.#isReleased = true
    this.#release()
  }
}
