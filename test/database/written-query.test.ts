import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { connectDatabase, type Database } from '../../server/database/connect.js'
import { sqlStateOf } from '../../server/database/errors.js'
import { createEmptyDatabase, query } from '../support/postgres.js'

const zRow = z.record(z.string(), z.unknown())

/** A database with one connection, so that each statement meets what the one before it left there. */
async function onOneConnection(use: (database: Database, url: string) => Promise<void>): Promise<void> {
  await using empty = await createEmptyDatabase()
  const database = connectDatabase(empty.url, { max: 1 })
  try {
    await use(database, empty.url)
  } finally {
    await database.close()
  }
}

const refusalOf = (statement: Promise<unknown>) =>
  statement.then(
    () => 'done',
    (error: unknown) => sqlStateOf(error),
  )

describe('a statement that is written out', () => {
  it('gives back every kind of value as it was given, the first time and later', () =>
    onOneConnection(async ({ sql }) => {
      const texts = ['a', 'b,c', 'say "d"', 'back\\slash', '{e}', 'NULL', '', 'ünï\n']
      const at = new Date('2026-01-31T12:00:05.123Z')
      for (let time = 1; time <= 3; time += 1) {
        const rows = await sql(zRow)`
          SELECT ${texts}::text[] AS texts, ${[1, -2]}::int[] AS numbers, ${[]}::text[] AS none, ${at}::timestamptz AS at, ${time}::int AS time,
            ${false}::bool AS no, ${null}::text AS nothing, ${'{"a":[1]}'}::jsonb AS json FROM generate_series(1, 2)`
        const row = { texts, numbers: [1, -2], none: [], at, time, no: false, nothing: null, json: { a: [1] } }
        expect(rows).toEqual([row, row])
      }
    }))

  it('is described and prepared once on a connection, and its rows are each a new object', () =>
    onOneConnection(async ({ sql }) => {
      const one = (value: string) => sql(zRow)`SELECT ${value}::text AS prepared_once, ${null}::text AS empty`
      const [[first], [second]] = [await one('1'), await one('2')]
      expect([first, second]).toEqual([
        { prepared_once: '1', empty: null },
        { prepared_once: '2', empty: null },
      ])
      const rows = await sql(zRow)`
        SELECT generic_plans + custom_plans AS "executions" FROM pg_prepared_statements WHERE statement LIKE '%prepared_once%' AND statement NOT LIKE '%pg_prepared%'`
      expect(rows).toEqual([{ executions: '2' }])
    }))

  it('works after it was refused, also where that was its first execution or its text', () =>
    onOneConnection(async ({ sql }, url) => {
      const divide = (by: number) => sql(zRow)`SELECT 6 / ${by}::int AS quotient`
      expect(await refusalOf(divide(0))).toBe('22012')
      expect(await refusalOf(divide(0))).toBe('22012')
      expect(await divide(2)).toEqual([{ quotient: 3 }])
      expect(await refusalOf(divide(0))).toBe('22012')
      expect(await divide(3)).toEqual([{ quotient: 2 }])

      const read = () => sql(zRow)`SELECT a FROM later`
      expect(await refusalOf(read())).toBe('42P01')
      await query(url, 'CREATE TABLE later AS SELECT 1 AS a')
      expect(await read()).toEqual([{ a: 1 }])
    }))

  it('never reads a column as what it was before: the server refuses', () =>
    onOneConnection(async ({ sql }, url) => {
      await query(url, "CREATE TABLE kinds AS SELECT '1'::text AS a")
      const read = () => sql(zRow)`SELECT a FROM kinds`
      expect(await read()).toEqual([{ a: '1' }])
      await query(url, 'ALTER TABLE kinds ALTER a TYPE int USING a::int')
      expect(await refusalOf(read())).toBe('0A000')
    }))

  it('may have no rows and no columns', () =>
    onOneConnection(async ({ sql }, url) => {
      await query(url, 'CREATE TABLE bare (a int)')
      for (let time = 1; time <= 2; time += 1) {
        expect(await sql(zRow)`INSERT INTO bare VALUES (${time})`).toEqual([])
        expect(await sql(zRow)`SELECT a FROM bare WHERE a > ${9}`).toEqual([])
      }
      expect(await sql(zRow)`SELECT a FROM bare`).toEqual([{ a: 1 }, { a: 2 }])
    }))

  it('may have a text that Prisma has prepared, or will', () =>
    onOneConnection(async ({ sql, prisma }) => {
      for (const first of ['sql', 'prisma']) {
        const text = `SELECT $1::text AS ${first}`
        const written = () => sql(zRow)(Object.assign([`SELECT `, `::text AS ${first}`], { raw: [] }), 'x')
        const raw = () => prisma.$queryRawUnsafe(text, 'x')
        for (const run of first === 'sql' ? [written, raw, written] : [raw, written, raw]) {
          expect(await run()).toEqual([{ [first]: 'x' }])
        }
      }
    }))
})
