import { afterAll, beforeAll, expect, it } from 'vitest'
import { createEmptyDatabase, query, type TestDatabase } from '../support/postgres.js'
import { localEnvironment, type ServiceProcess, startProcess } from './process.js'

let database: TestDatabase

beforeAll(async () => {
  database = await createEmptyDatabase()
})
afterAll(() => database?.drop())

const prepare = (url: string): ServiceProcess => startProcess(localEnvironment(url), 'prepare.js')

const defaults = () => query<{ id: string }>(database.url, 'SELECT id FROM issuers')

it('the migration job brings a database to this version and ends, and finds nothing to do the next time', async () => {
  await using first = prepare(database.url)
  expect(await first.exit()).toBe(0)
  expect(first.log().map(({ msg }) => msg)).toEqual(['database migrated', 'database ready'])
  const made = await defaults()
  expect(made).toHaveLength(1)

  await using again = prepare(database.url)
  expect(await again.exit()).toBe(0)
  expect(again.log().map(({ msg }) => msg)).toEqual(['database ready'])

  await using service = startProcess(localEnvironment(database.url))
  await service.url()
  expect(service.log().map(({ msg }) => msg)).not.toContain('database migrated')
  expect(await defaults()).toEqual(made)
})

it('a migration job that cannot reach its database fails, and says so without the password', async () => {
  const unreachable = new URL(database.url)
  unreachable.port = '1'
  unreachable.password = 'not-to-be-told'
  await using job = prepare(unreachable.href)
  expect(await job.exit()).toBe(1)
  expect(job.stderr()).toMatch(/^The database of DATABASE_URL cannot be used \(ECONNREFUSED\)/)
  expect(job.stdout() + job.stderr()).not.toContain('not-to-be-told')
})
