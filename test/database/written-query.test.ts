import pg from 'pg'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { connectDatabase, type Database } from '../../server/database/connect.js'
import { sqlStateOf } from '../../server/database/errors.js'
import { createEmptyDatabase, query } from '../support/postgres.js'

const zRow = z.record(z.string(), z.unknown())

/**
 * Makes a database with one connection, so that each statement finds the state in which the previous statement left the
 * connection.
 */
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
  it('returns every kind of value unchanged, at the first and at later executions', () =>
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

  it('is described and prepared once on a connection, and each row is a new object', () =>
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

  it('works after a refusal, even of its first execution or its text', () =>
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

  it('attack: a statement that is refused for its values opens no other connection, also if Prisma sends it', () =>
    onOneConnection(async ({ sql, prisma }, url) => {
      await query(url, 'CREATE TABLE single (a int PRIMARY KEY)')
      const connection = async () => (await sql(zRow)`SELECT pg_backend_pid() AS pid`)[0]?.pid
      const before = await connection()
      const nul = 'a\0b'
      for (let time = 1; time <= 3; time += 1) {
        expect(await refusalOf(sql(zRow)`SELECT ${nul}::text`)).toBe('22021')
        expect(await refusalOf(sql(zRow)`SELECT 1 / ${0}::int`)).toBe('22012')
        expect(await refusalOf(sql(zRow)`INSERT INTO single VALUES (${1}), (${1})`)).toBe('23505')
        expect(await refusalOf(prisma.$queryRawUnsafe('SELECT $1::text', nul))).toBe('22021')
        expect(await prisma.$queryRawUnsafe('SELECT $1::text AS a', 'b')).toEqual([{ a: 'b' }])
      }
      expect(await connection()).toBe(before)
    }))

  it('attack: a connection that breaks after the refusal of a statement is not used again, and no caller waits forever', () =>
    onOneConnection(async ({ sql, load }, url) => {
      const [{ pid } = {}] = await sql(zRow)`SELECT pg_backend_pid() AS pid`
      const refused = refusalOf(sql(zRow)`SELECT 1 / ${0}::int`)
      await query(url, `SELECT pg_terminate_backend(${pid})`)
      expect(['22012', '57P01']).toContain(await refused)
      await expect.poll(async () => (await sql(zRow)`SELECT 1 AS a`.catch(() => [])).length).toBe(1)
      expect(load()).toMatchObject({ busy: 0, waiting: 0 })
    }))

  it('that takes too long, or whose prepared form has changed, leaves no broken connection in the pool', async () => {
    await using empty = await createEmptyDatabase()
    const database = connectDatabase(empty.url, { max: 1, statementMs: 2_000 })
    try {
      const connection = async () => (await database.sql(zRow)`SELECT pg_backend_pid() AS pid`)[0]?.pid
      const pids = new Set([await connection()])
      await expect(database.sql(zRow)`SELECT pg_sleep(60)`).rejects.toThrow('Query read timeout')
      pids.add(await connection())
      await expect(database.sql(zRow)`SELECT * FROM nowhere.else.at_all`).rejects.toThrow()
      expect(pids.add(await connection()).size).toBe(3)
    } finally {
      await database.close()
    }
  })

  it('attack: if a migration changes the columns of a prepared statement, each column is read with its new type', async () => {
    await using empty = await createEmptyDatabase()
    const database = connectDatabase(empty.url, { max: 4 })
    try {
      await query(empty.url, "CREATE TABLE kinds AS SELECT '1'::text AS a")
      const read = () => database.sql(zRow)`SELECT a, pg_sleep(0.05)::text AS slept FROM kinds`
      const all = () => Promise.all(Array.from({ length: 8 }, read))
      for (const [type, value] of [
        ['text', '1'],
        ['int', 1],
        ['jsonb', 1],
      ]) {
        await query(empty.url, `ALTER TABLE kinds ALTER a TYPE ${type} USING a::text::${type}`)
        for (const rows of await all()) expect(rows).toEqual([{ a: value, slept: '' }])
        expect(database.load().idle).toBe(4)
      }
    } finally {
      await database.close()
    }
  })

  it('that is not supported is finally refused', () =>
    onOneConnection(async ({ sql }) => {
      const crossed = sql(zRow)`SELECT * FROM nowhere.else.at_all`
      expect(await refusalOf(crossed)).toBe('0A000')
    }))

  it('returns the same as the driver’s own query, for every kind of value and text', () =>
    onOneConnection(async ({ sql }, url) => {
      const texts = [
        '',
        ' ',
        'NULL',
        'null',
        '"',
        '\\',
        '\\"',
        '\\\\',
        '{}',
        '{"a,b"}',
        '},{',
        ',',
        "'",
        "'; DROP TABLE kinds; --",
        '$1',
        '\n\r\t',
        '\u202e\u0007',
        '😀',
        '__proto__',
        'x'.repeat(1_000_000),
      ]
      const numbers = [0, -0, 1.5, -1e300, 1e-300, 2 ** 53, Number.NaN, Number.POSITIVE_INFINITY]
      const driver = new pg.Client({ connectionString: url })
      await driver.connect()
      const expected = (text: string, values: unknown[]) =>
        driver.query(text, values).then(
          ({ rows }) => rows,
          (error: pg.DatabaseError) => error.code,
        )
      try {
        for (const value of texts) {
          const json = JSON.stringify({ [value]: [value, { value }] })
          const values = [value, [value, value], json, value.slice(0, 10)] as const
          expect(
            await sql(
              zRow,
            )`SELECT ${values[0]}::text AS a, ${values[1]}::text[] AS b, ${values[2]}::jsonb AS c, ${values[3]}::bytea::text AS "__proto__x"`.catch(
              sqlStateOf,
            ),
            value.slice(0, 40),
          ).toEqual(
            await expected('SELECT $1::text AS a, $2::text[] AS b, $3::jsonb AS c, $4::bytea::text AS "__proto__x"', [
              ...values,
            ]),
          )
        }
        const all = [texts.slice(0, -1), [], numbers, numbers.filter(Number.isSafeInteger)] as const
        expect(
          await sql(zRow)`
            SELECT ${all[0]}::text[] AS a, ${all[1]}::text[] AS b, ${all[2]}::float8[] AS c, ${all[3]}::bigint[] AS d, ${all[1]}::text[] || NULL::text AS e`,
        ).toEqual(
          await expected(
            'SELECT $1::text[] AS a, $2::text[] AS b, $3::float8[] AS c, $4::bigint[] AS d, $2::text[] || NULL::text AS e',
            [...all],
          ),
        )
        const kinds = `SELECT n, NULL::text AS nothing, 9223372036854775807 AS large, 1.10::numeric AS exact, 'NaN'::float8 AS nan, '\\xdeadbeef'::bytea AS bytes,
          ARRAY[1, NULL, 3] AS holes, ARRAY[]::text[] AS none, ARRAY[['a', NULL], ['{', '"']] AS nested, '{"a": [null, "\\u0041"]}'::json AS j, 'null'::jsonb AS n2,
          TRUE AS yes, now() - now() AS span, '2026-01-31T12:00:05.123456+05:30'::timestamptz AS at, 'infinity'::timestamptz AS never,
          ROW(1, 'a') AS pair, 'a' AS twice, 'b' AS twice FROM generate_series(1, 3) n`
        const written = Object.assign([kinds], { raw: [] })
        for (let time = 1; time <= 2; time += 1) expect(await sql(zRow)(written)).toEqual(await expected(kinds, []))
      } finally {
        await driver.end()
      }
    }))

  it('attack: an error in the middle of rows returns no row, and does not affect the next statement', () =>
    onOneConnection(async ({ sql }) => {
      const some = (from: number) => sql(zRow)`SELECT 1 / (n - 5000) AS a FROM generate_series(${from}::int, 9000) n`
      for (let time = 1; time <= 2; time += 1) {
        const [first, second, third] = await Promise.all([refusalOf(some(1)), sql(zRow)`SELECT 1 AS a`, some(8_999)])
        expect([first, second, third]).toEqual(['22012', [{ a: 1 }], [{ a: 0 }, { a: 0 }]])
      }
    }))

  it('attack: a connection that breaks during a statement fails only this statement', () =>
    onOneConnection(async ({ sql }, url) => {
      const name = 'a statement that does not end'
      const failed = refusalOf(sql(zRow)`SELECT pg_sleep(60), ${name}::text`)
      const kill = () =>
        query(url, "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE 'SELECT pg_sleep(60)%'")
      await expect.poll(async () => (await kill()).length).toBe(1)
      expect(await failed).toBe('57P01')
      expect(await sql(zRow)`SELECT 1 AS a`).toEqual([{ a: 1 }])
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

  it('may have the same text as a statement that Prisma prepares before or after', () =>
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
