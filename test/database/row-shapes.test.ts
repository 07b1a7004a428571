import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { connectDatabase, type Database } from '../../server/database/connect.js'
import { StatementError } from '../../server/database/errors.js'
import { projectDirectory } from '../../server/database/migrations.js'
import { checkRowsWith } from '../../server/database/row-check.js'
import { idRow, noRow } from '../../server/database/row-shapes.js'
import { createTestDatabase, type TestDatabase } from '../support/postgres.js'
import { enforceRowShapes } from '../support/row-shapes.js'

let test: TestDatabase
let database: Database

beforeAll(async () => {
  test = await createTestDatabase()
  database = connectDatabase(test.url)
})
afterAll(async () => {
  await database.close()
  await test.drop()
})
afterEach(enforceRowShapes)

describe('under test, a row with another shape than its statement declares is an error', () => {
  const zCount = z.strictObject({ count: z.int() })

  it.each([
    ['a column of another type', () => database.sql(zCount)`SELECT count(*) FROM issuers`, 'count: must be a number'],
    ['a column that may be null', () => database.sql(idRow)`SELECT NULL::text AS id`, 'id: must be a string'],
    ['a column that is missing', () => database.sql(idRow)`SELECT 'a' AS name`, 'id: must be defined'],
    ['one more column', () => database.sql(idRow)`SELECT 'a' AS id, 1 AS more`, 'Unrecognized key: "more"'],
    ['a row where none is expected', () => database.sql(noRow)`SELECT 1 AS one`, 'the row'],
  ])('%s', async (_what, run, reason) => {
    const refused: unknown = await run().catch((error: unknown) => error)
    expect(refused).toMatchObject({
      message: expect.stringContaining('is not of the shape that its statement declares'),
    })
    expect(String(refused)).toContain(reason)
    // The statement is at fault, not the database.
    expect(refused).not.toBeInstanceOf(StatementError)
  })

  it('a row of the declared shape passes unchanged', async () => {
    expect(await database.sql(zCount)`SELECT count(*)::int FROM issuers`).toEqual([{ count: 0 }])
    expect(await database.sql(noRow)`DELETE FROM used_nonces`).toEqual([])
  })
})

it('the running service trusts its statements: it checks no row', async () => {
  checkRowsWith(undefined)
  expect(await database.sql(idRow)`SELECT 1 AS other`).toEqual([{ other: 1 }])
})

it('rows of a transaction are checked too: statements do not cast rows to a type', async () => {
  const server = join(projectDirectory(), 'server')
  const files = (await readdir(server, { recursive: true })).filter(
    (name) => name.endsWith('.ts') && !name.startsWith('generated'),
  )
  const casts: string[] = []
  for (const name of files) {
    if (/\$queryRaw<(?!unknown\[\]>)/.test(await readFile(join(server, name), 'utf8'))) casts.push(name)
  }
  expect(casts).toEqual([])
})
