import type { Pool } from 'pg'
import type { z } from 'zod'
import { StatementError, sqlStateOf, TooSlowError } from './errors.js'
import { Fragment, type SqlValue, type Step } from './fragment.js'
import { ask, type KeptPool } from './kept-connections.js'
import { rowsOf } from './row-check.js'
import type { StatementNames } from './statement-names.js'
import { statementTexts } from './statement-texts.js'
import { outsideUnit } from './unit-of-work.js'
import { withSteps } from './with-steps.js'
import { WrittenQuery } from './written-query.js'

/**
 * Runs one statement and returns its rows. Each value is a separate parameter, and the call declares the shape of the
 * rows: `` sql(zRow)`SELECT …` ``. `fragment` makes a part of a statement. `Step` makes a part whose rows further parts
 * read. The statement uses Prisma's pool, and it is prepared under the same name as Prisma's statement with the same
 * text. It does not use Prisma's client, whose interpreter takes more than twice the processor time of the statement
 * itself.
 *
 * Types are PostgreSQL's: a timestamp is a Date, JSON is parsed, bigint and numeric are strings. Only the tests check rows by their
 * shape (`row-check.ts`). Declare a shape as a constant, because making a shape takes 10 to 20 µs.
 *
 * @throws StatementError if the statement is refused or the database is unavailable.
 */
export type RunSql = <Row>(
  shape: z.ZodType<Row>,
  /** Steps that no other part reads. */
  also?: readonly Step[],
) => (strings: TemplateStringsArray, ...values: readonly SqlValue[]) => Promise<Row[]>

/** SQLSTATE feature_not_supported. It is the error for a statement whose columns changed after it was prepared. */
const NOT_SUPPORTED = '0A000'

/**
 * Makes the function that runs statements. A migration can change the columns of a statement while the service runs.
 * PostgreSQL then refuses the prepared statement without running it, and the pool closes the connection. The statement
 * is sent again on further connections, because each connection may still have the old prepared statement.
 */
export function sqlOver(pool: KeptPool, nameOf: StatementNames): RunSql {
  const statementOf = statementTexts(nameOf)
  const run = async (whole: Fragment) => {
    const statement = statementOf(whole)
    for (let others = pool.options.max ?? 0; ; others -= 1) {
      try {
        return { text: statement.text, rows: await ask<readonly unknown[]>(pool, new WrittenQuery(statement)) }
      } catch (cause) {
        const error = new StatementError(cause)
        if (sqlStateOf(error) !== NOT_SUPPORTED || others === 0) throw error
      }
    }
  }
  return (shape, also) =>
    async (strings, ...values) => {
      const { text, rows } = await run(withSteps(new Fragment(strings, values), also))
      return rowsOf(shape, rows, text)
    }
}

/** SQLSTATE query_canceled. */
const CANCELED = '57014'

/**
 * Runs statements whose cost depends on a caller's request. Each statement is planned for its own values, in a
 * read-only transaction that the server ends after a time limit.
 *
 * @param ms time limit of a statement, in milliseconds
 * @throws TooSlowError if a statement takes longer
 */
export function boundedSqlOver(pool: Pool, ms: number): RunSql {
  const statementOf = statementTexts(() => '')
  // JIT compilation is off, because it can take longer than the time limit of a list.
  const begin = `BEGIN READ ONLY; SET LOCAL statement_timeout = ${ms}; SET LOCAL jit = off`
  const run = async (whole: Fragment) => {
    const statement = statementOf(whole)
    const client = await outsideUnit(() => pool.connect())
    let broken = true
    try {
      await client.query(begin)
      const { rows } = await client.query(statement)
      await client.query('COMMIT')
      broken = false
      return { text: statement.text, rows }
    } catch (cause) {
      // After a failed statement, the transaction must be ended. Then the connection can be used again.
      broken = await client.query('ROLLBACK').then(
        () => false,
        () => true,
      )
      throw cause
    } finally {
      client.release(broken)
    }
  }
  return (shape, also) =>
    async (strings, ...values) => {
      const began = performance.now()
      const { text, rows } = await run(withSteps(new Fragment(strings, values), also)).catch((thrown: unknown) => {
        const error = new StatementError(thrown)
        // A replica also cancels statements for reasons that have nothing to do with the time limit.
        if (sqlStateOf(error) === CANCELED && performance.now() - began >= ms) throw new TooSlowError(error)
        throw error
      })
      return rowsOf(shape, rows, text)
    }
}
