import type { Pool } from 'pg'
import type { z } from 'zod'
import { StatementError } from './errors.js'
import { Fragment, type SqlValue } from './fragment.js'
import { rowsOf } from './row-check.js'
import type { StatementNames } from './statement-names.js'
import { statementTexts } from './statement-texts.js'

/**
 * Runs one statement, each value a parameter of its own, and resolves to its rows, whose shape it declares:
 * `` sql(zRow)`SELECT …` ``; parts of it are made with `fragment`. It goes over
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
) => (strings: TemplateStringsArray, ...values: readonly SqlValue[]) => Promise<Row[]>

export function sqlOver(pool: Pool, nameOf: StatementNames): RunSql {
  const statementOf = statementTexts(nameOf)
  const run = async (whole: Fragment) => {
    const statement = statementOf(whole)
    try {
      return { text: statement.text, rows: (await pool.query(statement)).rows }
    } catch (cause) {
      throw new StatementError(cause)
    }
  }
  return (shape) =>
    async (strings, ...values) => {
      const { text, rows } = await run(new Fragment(strings, values))
      return rowsOf(shape, rows, text)
    }
}
