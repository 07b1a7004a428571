import { afterAll, beforeAll, expect, it } from 'vitest'
import { createEmptyDatabase, query, type TestDatabase } from '../support/postgres.js'
import { localEnvironment, type ServiceProcess, startProcess } from './process.js'

let database: TestDatabase

beforeAll(async () => {
  database = await createEmptyDatabase()
})
afterAll(() => database?.drop())

const prepare = (url: string): ServiceProcess => startProcess(localEnvironment(url), 'process/prepare.js')

const defaults = () => query<{ id: string }>(database.url, 'SELECT id FROM issuers')

it('the migration job migrates a database to this version and ends, and has nothing to do the next time', async () => {
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

/** Settings with a pooler in transaction mode in front of the database. The pooler is unreachable. */
const behindPooler = (direct: string) => {
  const pooler = new URL(direct)
  pooler.port = '1'
  pooler.searchParams.set('pgbouncer', 'true')
  return { ...localEnvironment(pooler.href), DIRECT_DATABASE_URL: direct }
}

it('the migration job does not use the pooler', async () => {
  await using empty = await createEmptyDatabase()
  await using job = startProcess(behindPooler(empty.url), 'process/prepare.js')
  expect(await job.exit(), job.stderr()).toBe(0)
  expect(await query(empty.url, 'SELECT 1 FROM issuers')).toHaveLength(1)
})

it.each(['process/prepare.js', 'main.js'])('%s names DIRECT_DATABASE_URL if it cannot be used', async (program) => {
  const unreachable = new URL(database.url)
  unreachable.port = '1'
  await using service = startProcess(behindPooler(unreachable.href), program)
  expect(await service.exit()).toBe(1)
  expect(service.stderr()).toContain('The database of DIRECT_DATABASE_URL cannot be used (ECONNREFUSED)')
})

it('a start names DATABASE_URL if that database cannot be used', async () => {
  await using service = startProcess(behindPooler(database.url))
  expect(await service.exit()).toBe(1)
  expect(service.stderr()).toBe(
    "The database of DATABASE_URL cannot be used. Can't reach database server at 127.0.0.1:1\n",
  )
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
