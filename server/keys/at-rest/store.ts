import { z } from 'zod'
import type { Database } from '../../database/connect.js'
import { rowsOf } from '../../database/row-check.js'
import { idRow } from '../../database/row-shapes.js'
import { Prisma } from '../../generated/prisma/client.js'
import type { ProtectedColumn } from './columns.js'

const zProtectedValue = z.strictObject({ id: z.string(), stored: z.string() })

export type ProtectedValue = z.infer<typeof zProtectedValue>

/** A new value for a row. The new value is written only if the stored value has not changed since the read. */
export interface Replacement {
  readonly id: string
  readonly from: string
  readonly to: string
}

/** The values of protected columns in their stored form. */
export interface ProtectedValues {
  /** A page of a column, in the order of its ids. */
  page(column: ProtectedColumn, after: string, take: number): Promise<ProtectedValue[]>
  /** @returns the number of replaced values. */
  replace(column: ProtectedColumn, replacements: readonly Replacement[]): Promise<number>
}

/** In a large installation, encrypting everything at once may take long. */
const TRANSACTION_MS = 60 * 60 * 1000

type Run = <Row>(shape: z.ZodType<Row>, statement: Prisma.Sql) => Promise<Row[]>

/** Runs statements through Prisma, with or without a transaction around them. */
const runBy =
  (client: Pick<Database['prisma'], '$queryRaw'>): Run =>
  async (shape, statement) =>
    rowsOf(shape, await client.$queryRaw<unknown[]>(statement), statement.sql)

const namesOf = ({ table, idColumn, column }: ProtectedColumn) => ({
  table: Prisma.raw(`"${table}"`),
  id: Prisma.raw(`"${idColumn}"`),
  value: Prisma.raw(`"${column}"`),
})

function valuesOver(run: Run): ProtectedValues {
  return {
    page(column, after, take) {
      const { table, id, value } = namesOf(column)
      return run(
        zProtectedValue,
        Prisma.sql`
        SELECT ${id} AS id, ${value} AS stored FROM ${table}
        WHERE ${id} > ${after} AND ${value} IS NOT NULL ORDER BY ${id} LIMIT ${take}`,
      )
    },
    async replace(column, replacements) {
      if (replacements.length === 0) return 0
      const { table, id, value } = namesOf(column)
      const member = (name: keyof Replacement) => replacements.map((replacement) => replacement[name])
      const replaced = await run(
        idRow,
        Prisma.sql`
        UPDATE ${table} t SET ${value} = r.new_value
        FROM unnest(${member('id')}::text[], ${member('from')}::text[], ${member('to')}::text[]) r(id, old_value, new_value)
        WHERE t.${id} = r.id AND t.${value} = r.old_value RETURNING t.${id} AS id`,
      )
      return replaced.length
    },
  }
}

export type AtRestStore = ReturnType<typeof createAtRestStore>

export function createAtRestStore({ prisma }: Database) {
  return {
    values: valuesOver(runBy(prisma)),

    /**
     * Works on all values in one transaction, while every other process is locked out.
     *
     * @param work receives the stored value of the secret `name`; undefined if there is none
     */
    exclusively: <T>(name: string, work: (stored: string | undefined, values: ProtectedValues) => Promise<T>) =>
      prisma.$transaction(
        async (tx) => {
          const run = runBy(tx)
          const [row] = await run(
            z.strictObject({ value: z.string() }),
            Prisma.sql`SELECT value FROM secrets WHERE name = ${name} FOR UPDATE`,
          )
          return work(row?.value, valuesOver(run))
        },
        { timeout: TRANSACTION_MS },
      ),
  }
}
