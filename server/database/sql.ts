import type { Pool } from 'pg'
import type { z } from 'zod'
import { Prisma } from '../generated/prisma/client.js'
import { StatementError } from './errors.js'
import { rowsOf } from './row-check.js'
import type { StatementNames } from './statement-names.js'

/** What a statement may be given; an array goes as one parameter. */
export type SqlValue = string | number | boolean | null | Date | readonly (string | number)[] | Prisma.Sql

/**
 * Runs one statement, each value a parameter of its own, and resolves to its rows, whose shape it declares:
 * `` sql(zRow)`SELECT …` ``; fragments are made with `Prisma.sql`. It
 * goes over Prisma's pool, prepared under the same names, but not through Prisma's client, whose interpreter takes more
 * than twice the processor time of the statement itself.
 *
 * Types are PostgreSQL's: a timestamp is a Date, JSON is parsed, bigint and numeric are strings. Rows are checked by their
 * shape in the tests alone (`row-check.ts`).
 *
 * @throws StatementError where the statement is refused or the database is away.
 */
export type RunSql = <Row>(
  shape: z.ZodType<Row>,
) => (strings: TemplateStringsArray, ...values: readonly SqlValue[]) => Promise<Row[]>

/** The driver writes a Date in this machine's time zone, and slowly. */
const parameter = (value: unknown): unknown => (value instanceof Date ? value.toISOString() : value)

export function sqlOver(pool: Pool, nameOf: StatementNames): RunSql {
  const run = async (strings: TemplateStringsArray, values: readonly SqlValue[]) => {
    const { text, values: parameters } = Prisma.sql(strings, ...values)
    const statement = { name: nameOf(text), text, values: parameters.map(parameter) }
    try {
      return { text, rows: (await pool.query(statement)).rows }
    } catch (cause) {
      throw new StatementError(cause)
    }
  }
  return (shape) =>
    async (strings, ...values) => {
      const { text, rows } = await run(strings, values)
      return rowsOf(shape, rows, text)
    }
}
