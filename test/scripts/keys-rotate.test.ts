import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { isRunning } from '../../scripts/launch/lock.mjs'
import { DataDirectory } from '../../scripts/start/data-directory.js'
import { Supervisor } from '../../scripts/supervisor/handle.js'
import { ensureDefaults } from '../../server/agent/defaults.js'
import { readConfig } from '../../server/config/config.js'
import { connectDatabase } from '../../server/database/connect.js'
import { migrate } from '../../server/database/migrate.js'
import { withStartLock } from '../../server/database/start-lock.js'
import { createKeyProviders } from '../../server/keys/providers/providers.js'
import { createVault } from '../../server/keys/vault.js'
import { createStores } from '../../server/wiring/stores.js'
import { localEnvironment } from '../main/process.js'
import { Project } from './project.js'

const ROTATED =
  /^issuer \S+ signs with a new key as did:jwk:\S+\nverifier .+\ncredential requests .+\n2 records have a new key\.\n$/

let project: Project

beforeAll(async () => {
  project = await Project.create(['server'])
})

afterAll(() => project.remove())

/** Prepares a database as the service does at its start. */
async function prepare(databaseUrl: string): Promise<void> {
  await withStartLock(databaseUrl, migrate)
  const database = connectDatabase(databaseUrl, { max: 2 })
  const config = readConfig(localEnvironment(databaseUrl))
  await ensureDefaults({
    config,
    providers: createKeyProviders({ config, clock: () => new Date() }),
    vault: createVault([]),
    newId: randomUUID,
    ...createStores(database),
  })
  await database.close()
}

async function rotate(args: readonly string[] = []): Promise<{ code: number | null; output: string }> {
  const run = project.run('keys-rotate.mjs', {}, args)
  const { code } = await run.exit
  return { code, output: run.output() }
}

it('npm run keys:rotate finds the embedded database without any variable, before, while and after npm start runs', async () => {
  expect(await rotate()).toEqual({
    code: 1,
    output: expect.stringMatching(/^There is no database yet\. Run npm start first\.$/m),
  })

  const supervisor = await Supervisor.start()
  const url = await new DataDirectory(join(project.directory, '.data')).start(supervisor)
  const postgres = (await project.postgresPid()) ?? 0
  await prepare(url)
  expect(await rotate()).toEqual({ code: 0, output: expect.stringMatching(ROTATED) })
  expect(isRunning(postgres)).toBe(true)
  await supervisor.end()

  expect(await rotate(['--alg', 'EdDSA'])).toEqual({ code: 0, output: expect.stringMatching(ROTATED) })
  await expect(project.postgresPid()).resolves.toBeNull()
  const refused = await rotate(['--reencrypt'])
  expect(refused).toEqual({ code: 1, output: 'KEY_ENCRYPTION_KEY or KEY_ENCRYPTION_PROVIDER must be defined.\n' })
})
