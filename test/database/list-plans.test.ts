import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { listFilling } from '../../bench/lists/fill.js'
import { planReader } from '../../bench/lists/plans.js'
import { type Question, questions } from '../../bench/lists/questions.js'
import { connectDatabase, type Database } from '../../server/database/connect.js'
import { createTestDatabase, type TestDatabase } from '../support/postgres.js'

/** Number of rows in each table. With so many rows, PostgreSQL prefers an index. */
const ROWS = 20_000
/**
 * The maximum number of rows that one node of a plan may read: a page for each part of a list, and a page for each
 * group of rows with the same time.
 */
const MOST = 600

let test: TestDatabase
let database: Database
let client: pg.Client
let asked: Map<string, Question>
let planOf: ReturnType<typeof planReader>

const nameOf = ({ list, asked }: Question) => `${list}: ${asked}`

/** The beginning of the id of the ninth credential. */
const PREFIX = 'f82ca5da'

beforeAll(async () => {
  test = await createTestDatabase()
  client = new pg.Client({ connectionString: test.url })
  await client.connect()
  for (const statement of listFilling(ROWS)) await client.query(statement)
  database = connectDatabase(test.url)
  asked = new Map(questions(database, ROWS, PREFIX).map((question) => [nameOf(question), question]))
  planOf = planReader(client)
})
afterAll(async () => {
  await database.close()
  await client.end()
  await test.drop()
})

/** The names of the list requests. No request uses this database. */
const NAMES = questions({ bounded: undefined, sql: undefined } as unknown as Database, ROWS, PREFIX).map(nameOf)

describe('a first page is read by indices and from few rows, with every filter', () => {
  it.each(NAMES)('%s', async (name) => {
    const question = asked.get(name)
    if (question === undefined) throw new Error('Nobody asks that.')
    const { found, scans } = await planOf(question.read)
    expect(found).toBe(question.found)
    expect(scans.length).toBeGreaterThan(0)
    // Partitions of other months are empty.
    expect(scans.filter(({ name, rows }) => name.startsWith('Seq Scan') && rows > 0)).toEqual([])
    expect(scans.filter((scan) => scan.rows > MOST)).toEqual([])
  })
})
