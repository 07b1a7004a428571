import pg from 'pg'
import { send } from './send.js'
import { joinedUnit, Turns, type UnitPool } from './unit-of-work.js'

/**
 * SQLSTATE classes of statements that were refused because of their values: data exception, integrity constraint violation,
 * transaction rollback. After such a refusal, the connection is still usable.
 */
const REFUSED_FOR_VALUES = /^(?:22|23|40)[0-9A-Z]{3}$/

const isWell = (error: Error): boolean =>
  error instanceof pg.DatabaseError && error.severity === 'ERROR' && REFUSED_FOR_VALUES.test(error.code ?? '')

/**
 * Runs a query on a connection of the pool, and returns the connection. A statement of a unit of work runs on the
 * unit's connection. If a statement is refused because of its
 * values, the connection stays in the pool. `query` of the pool would close the connection. Then a stranger could make
 * the service open a new connection with each request: a text with a NUL character is enough, because PostgreSQL
 * refuses it.
 *
 * @returns the value that the driver passes to the query's callback
 * @throws the driver's own error
 * @see https://www.postgresql.org/docs/current/errcodes-appendix.html
 */
export const ask = <Answer>(pool: KeptPool, asked: pg.QueryConfig): Promise<Answer> => {
  const unit = joinedUnit()
  return unit?.takes(pool, asked) === true ? unit.ask(asked) : askPool(pool, asked)
}

const askPool = <Answer>(pool: pg.Pool, asked: pg.QueryConfig): Promise<Answer> =>
  new Promise((resolve, reject) => {
    pool.connect((failure, client, release) => {
      if (client === undefined) {
        reject(failure)
        return
      }
      send<Answer>(client, asked).then(
        (answer) => {
          release()
          resolve(answer)
        },
        (error: Error) => {
          release(!isWell(error))
          reject(error)
        },
      )
    })
  })

/** The pool that Prisma uses. Prisma calls `query` with a single argument, and `connect` without any. */
export class KeptPool extends pg.Pool implements UnitPool {
  /** At most half of the connections belong to units, because an operation may need a second connection. */
  readonly turns = new Turns(Math.floor((this.options.max ?? 10) / 2), this.options.connectionTimeoutMillis ?? 0)

  // The type is `never`, because the driver's overloads have no other common type.
  override query(asked: never): never {
    return ask(this, asked) as never
  }

  // The type is `never` for the same reason. Without a callback, Prisma begins a transaction.
  override connect(...given: never[]): never {
    const unit = given.length === 0 ? joinedUnit() : undefined
    if (unit?.takesTransactions(this) === true) return unit.nested() as never
    return Reflect.apply(super.connect, this, given) as never
  }

  alone<Answer>(asked: pg.QueryConfig): Promise<Answer> {
    return askPool(this, asked)
  }

  take(): Promise<pg.PoolClient> {
    return super.connect()
  }
}
