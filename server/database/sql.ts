import type { Pool } from 'pg'
import type { z } from 'zod'
import { StatementError, sqlStateOf, TooSlowError } from './errors.js'
import { Fragment, type SqlValue, type Step } from './fragment.js'
import { ask } from './kept-connections.js'
import { rowsOf } from './row-check.js'
import type { StatementNames } from './statement-names.js'
import { statementTexts } from './statement-texts.js'
import { withSteps } from './with-steps.js'
import { WrittenQuery } from './written-query.js'

/**
 * Runs one statement, each value a parameter of its own, and resolves to its rows, whose shape it declares:
 * `` sql(zRow)`SELECT …` ``; parts of it are made with `fragment`, and those that others read with `Step`. It goes over
 * Prisma's pool, prepared under the same names, but not through Prisma's client, whose interpreter takes more than twice the
 * processor time of the statement itself.
 *
 * Types are PostgreSQL's: a timestamp is a Date, JSON is parsed, bigint and numeric are strings. Rows are checked by their
 * shape in the tests alone (`row-check.ts`). A shape is a constant: making one takes 10 to 20 µs.
 *
 * @throws StatementError where the statement is refused or the database is away.
 */
export type RunSql = <Row>(
  shape: z.ZodType<Row>,
  /** Steps that nothing reads. */
  also?: readonly Step[],
) => (strings: TemplateStringsArray, ...values: readonly SqlValue[]) => Promise<Row[]>

/** SQLSTATE feature_not_supported: among others of a statement that gives other columns than when it was prepared. */
const NOT_SUPPORTED = '0A000'

/**
 * A migration beside a process that runs changes what its statements give. Nothing of such a statement was done, and the pool drops the
 * connection on which it was refused: it runs again on another one, of which all may know it as it was.
 */
export function sqlOver(pool: Pool, nameOf: StatementNames): RunSql {
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
 * The same for statements whose cost depends on what a caller asks for: each is planned anew, for its values, in a transaction that
 * reads only and that the server ends after a time.
 *
 * @param ms for how long a statement may take
 * @throws TooSlowError where it takes longer
 */
export function boundedSqlOver(pool: Pool, ms: number): RunSql {
  const statementOf = statementTexts(() => '')
  // Compiling a plan takes longer than any list may.
  const begin = `BEGIN READ ONLY; SET LOCAL statement_timeout = ${ms}; SET LOCAL jit = off`
  const run = async (whole: Fragment) => {
    const statement = statementOf(whole)
    const client = await pool.connect()
    let broken = true
    try {
      await client.query(begin)
      const { rows } = await client.query(statement)
      await client.query('COMMIT')
      broken = false
      return { text: statement.text, rows }
    } catch (cause) {
      // A connection on which a statement failed is well once its transaction is over.
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
        // A replica cancels a statement for reasons of its own too, sooner.
        if (sqlStateOf(error) === CANCELED && performance.now() - began >= ms) throw new TooSlowError(error)
        throw error
      })
      return rowsOf(shape, rows, text)
    }
}
