import { readFile, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { once } from 'node:events'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, inject, it } from 'vitest'
import { isRunning } from '../../scripts/setup/lock.mjs'
import { Project, type Run, untilGone } from './project.js'

const running = 'Stop with Ctrl-C.'

let project: Project

beforeAll(async () => {
  project = await Project.create()
}, 60_000)

afterAll(() => project.remove())
afterEach(() => project.clearJournal())

async function start(environment: Record<string, string> = {}): Promise<Run> {
  const run = project.run('start.mjs', environment)
  await run.until(running)
  return run
}

async function stop(run: Run, signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
  run.child.kill(signal)
  await expect(run.exit).resolves.toEqual({ code: 0, signal: null })
}

/** Everything that a run started, each by its number. */
async function processes(): Promise<{ service: number; postgres: number; supervisor: number }> {
  const [service, postgres, supervisor] = await Promise.all([
    project.servicePid(),
    project.postgresPid(),
    project.supervisorPid(),
  ])
  if (postgres === null) throw new Error('There is no PostgreSQL.')
  return { service, postgres, supervisor }
}

describe('npm start without any settings', () => {
  it('builds, starts PostgreSQL and the service, posts the demonstration schema and says where it is', async () => {
    const run = await start()
    expect(run.output()).toContain('Building …')
    const [started, posted] = await project.journal()
    expect(started).toMatchObject({
      databaseAnswers: true,
      environment: {
        ISSUER_BASE_URL: `http://localhost:${started?.port}`,
        VERIFIER_BASE_URL: `http://localhost:${started?.port}`,
        AUTH_DISABLED: 'true',
        ALLOW_INSECURE_HTTP: 'true',
        TRUSTED_ISSUERS: '*',
      },
    })
    expect(posted).toMatchObject({ posted: { name: 'ProofOfPurchase', version: 1 } })
    expect(run.output()).toContain(`Credence is running at http://localhost:${started?.port}\n`)
    await stop(run)
  })

  it.each(['SIGINT', 'SIGTERM'] as const)('on %s stops the service, then PostgreSQL, and leaves no process', async (signal) => {
    const run = await start()
    const { service, postgres, supervisor } = await processes()
    await stop(run, signal)
    expect((await project.journal()).at(-1)).toEqual({ signal: 'SIGTERM', databaseAnswers: true })
    expect([service, postgres, supervisor].filter(isRunning)).toEqual([])
    await expect(project.postgresPid()).resolves.toBeNull()
  })

  it('keeps data and address of the database, and neither builds nor makes it a second time', async () => {
    await stop(await start())
    const run = await start({ SCHEMA_STATUS: '409' })
    await stop(run)
    expect(run.output()).not.toMatch(/Installing|Generating|Building|refused/)
    const urls = (await project.journal()).filter((entry) => 'started' in entry).map((entry) => entry.databaseUrl)
    expect(urls[1]).toBe(urls[0])
  })

  it('says what the service answered where it refuses the demonstration schema', async () => {
    const run = await start({ SCHEMA_STATUS: '400' })
    expect(run.output()).toContain('The demonstration schema was refused: 400 {}')
    await stop(run)
  })

  it('builds again when a source has changed', async () => {
    const file = join(project.directory, 'server', 'main.ts')
    await writeFile(file, `${await readFile(file, 'utf8')}\n// changed\n`)
    const run = await start()
    expect(run.output()).toContain('Building …')
    await stop(run)
  })
})

describe('npm start beside another one', () => {
  it('on the same data says so and leaves the other one alone', async () => {
    const first = await start()
    const second = project.run('start.mjs')
    await expect(second.exit).resolves.toEqual({ code: 1, signal: null })
    expect(second.output()).toMatch(/Another npm start uses the database in .*\.data\. Stop it first \(kill \d+\)/)
    expect(isRunning(await project.servicePid())).toBe(true)
    await stop(first)
  })

  it('on a port in use names it and how to choose another, and stops PostgreSQL', async () => {
    const other = createServer().listen(0, '127.0.0.1')
    await once(other, 'listening')
    const address = other.address()
    const port = typeof address === 'object' ? (address?.port ?? 0) : 0
    const run = project.run('start.mjs', { PORT: String(port) })
    await expect(run.exit).resolves.toEqual({ code: 1, signal: null })
    expect(run.output()).toContain(`Port ${port} of 127.0.0.1 is in use.`)
    expect(run.output()).toContain(`PORT=${port + 1} npm start`)
    await expect(project.postgresPid()).resolves.toBeNull()
    other.close()
  })
})

describe('when something is killed', () => {
  it('the runner: the service and PostgreSQL stop, and the next start works', async () => {
    const run = await start()
    const { service, postgres, supervisor } = await processes()
    run.child.kill('SIGKILL')
    await Promise.all([service, postgres, supervisor].map(untilGone))
    expect((await project.journal()).at(-1)).toEqual({ signal: 'SIGTERM', databaseAnswers: true })
    await stop(await start())
  })

  it('the service: PostgreSQL stops and the command fails', async () => {
    const run = await start()
    const { service, postgres } = await processes()
    process.kill(service, 'SIGKILL')
    await expect(run.exit).resolves.toEqual({ code: 1, signal: null })
    expect(run.output()).toContain('The service was ended by SIGKILL.')
    expect(isRunning(postgres)).toBe(false)
  })

  it('PostgreSQL: the service stops, the command fails, and the next start recovers the data', async () => {
    const run = await start()
    const { service, postgres } = await processes()
    process.kill(postgres, 'SIGKILL')
    await expect(run.exit).resolves.toEqual({ code: 1, signal: null })
    expect(run.output()).toContain('PostgreSQL ended by itself')
    expect(isRunning(service)).toBe(false)
    await expect(project.postgresPid()).resolves.toBe(postgres)
    await stop(await start())
  })

  it('the supervisor: the command stops the service and PostgreSQL itself', async () => {
    const run = await start()
    const { service, postgres, supervisor } = await processes()
    process.kill(supervisor, 'SIGKILL')
    await expect(run.exit).resolves.toMatchObject({ code: 1 })
    await Promise.all([service, postgres].map(untilGone))
  })

  it('everything but PostgreSQL: the next start stops the one that was left and goes on', async () => {
    const run = await start()
    const { service, postgres, supervisor } = await processes()
    for (const pid of [run.child.pid ?? 0, supervisor, service]) process.kill(pid, 'SIGKILL')
    await run.exit
    expect(isRunning(postgres)).toBe(true)
    const next = await start()
    expect(isRunning(postgres)).toBe(false)
    await stop(next)
  })
})

it('a postmaster.pid that names a stranger does not hinder the next start', async () => {
  await stop(await start())
  await writeFile(join(project.directory, '.data', 'postgres', 'postmaster.pid'), `${process.pid}\n/nowhere\n`)
  await stop(await start())
})

describe('npm start with settings', () => {
  it('fills in nothing where some are given, shows what the service says and ends with its code', async () => {
    const run = project.run('start.mjs', { OIDC_JWKS_URL: 'https://idp.example/jwks' })
    await expect(run.exit).resolves.toEqual({ code: 1, signal: null })
    expect(run.output()).toContain('Invalid environment variables:\n- ISSUER_BASE_URL must be defined.\n')
    await expect(project.postgresPid()).resolves.toBeNull()
  })

  it('fills in nothing in production, not even the database', async () => {
    const run = project.run('start.mjs', { NODE_ENV: 'production' })
    await expect(run.exit).resolves.toEqual({ code: 1, signal: null })
    expect(run.output()).toContain('- ISSUER_BASE_URL must be defined.')
  })

  it('reads .env for that decision', async () => {
    const file = join(project.directory, '.env')
    await writeFile(file, 'NODE_ENV=production\n')
    const run = project.run('start.mjs')
    await expect(run.exit).resolves.toEqual({ code: 1, signal: null })
    await rm(file)
  })

  it('takes the database of DATABASE_URL and starts none', async () => {
    const { url } = inject('databaseServer')
    const run = await start({ DATABASE_URL: url })
    await expect(project.postgresPid()).resolves.toBeNull()
    const [started] = await project.journal()
    expect(started).toMatchObject({ databaseUrl: url, databaseAnswers: true })
    await stop(run)
  })
})
