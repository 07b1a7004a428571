import { once } from 'node:events'
import { readFile, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, describe, expect, inject, it } from 'vitest'
import { isRunning } from '../../scripts/launch/lock.mjs'
import { Project } from './project.js'

const stopped = { code: 0, signal: null }
const failed = { code: 1, signal: null }

let project: Project

beforeAll(async () => {
  project = await Project.create()
})

afterAll(() => project.remove())
afterEach(() => project.clearJournal())

describe('npm start without any settings', () => {
  it('builds, starts PostgreSQL and the service, posts the demonstration schema and prints the address', async () => {
    const run = await project.start()
    expect(run.output()).toContain('Building …')
    expect(run.output()).toContain('Building the console …')
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
    expect(run.output()).toContain(
      `Console: http://localhost:${started?.port}/console/\nCredence is running at http://localhost:${started?.port}\n`,
    )
    run.child.kill('SIGTERM')
    await expect(run.exit).resolves.toEqual(stopped)
  })

  it('after Ctrl-C, which may come from the terminal and from npm, stops the service, then PostgreSQL, and leaves no process', async () => {
    const run = await project.start()
    const { service, postgres, supervisor } = await project.processes()
    run.child.kill('SIGINT')
    await setTimeout(10)
    run.child.kill('SIGINT')
    await expect(run.exit).resolves.toEqual(stopped)
    expect((await project.journal()).at(-1)).toEqual({ signal: 'SIGTERM', databaseAnswers: true })
    expect(run.output()).not.toContain('SIGKILL')
    expect([service, postgres, supervisor].filter(isRunning)).toEqual([])
    await expect(project.postgresPid()).resolves.toBeNull()
  })

  it('a second time makes no build, no database and no schema, and reports another running npm start', async () => {
    const { port } = JSON.parse(await readFile(join(project.directory, '.data', 'postgres.json'), 'utf8'))
    const run = await project.start({ SCHEMA_LISTED: 'ProofOfPurchase' })
    expect(run.output()).not.toMatch(/Installing|Generating|Building|refused/)
    expect(await project.journal()).toHaveLength(1)
    expect((await project.starts())[0]?.databaseUrl).toContain(`@127.0.0.1:${port}/`)

    const second = project.run('start.mjs')
    await expect(second.exit).resolves.toEqual(failed)
    const { service, postgres, supervisor } = await project.processes()
    expect(second.output()).toContain(
      `Another npm start uses the database in ${project.directory}/.data. Stop it first (kill ${supervisor})`,
    )
    expect([service, postgres].every(isRunning)).toBe(true)

    run.child.kill('SIGTERM')
    await expect(run.exit).resolves.toEqual(stopped)
  })

  it('builds again when a source has changed, and shows the service’s answer if it refuses the schema', async () => {
    const file = join(project.directory, 'server', 'main.ts')
    await writeFile(file, `${await readFile(file, 'utf8')}\n// changed\n`)
    const run = await project.start({ SCHEMA_STATUS: '400' })
    expect(run.output()).toContain('Building …')
    expect(run.output()).toContain('The demonstration schema was refused: 400 {}')
    run.child.kill('SIGTERM')
    await expect(run.exit).resolves.toEqual(stopped)
  })

  it('names a port in use and how to choose another, and stops PostgreSQL', async () => {
    const other = createServer().listen(0, '127.0.0.1')
    await once(other, 'listening')
    const address = other.address()
    const port = typeof address === 'object' ? (address?.port ?? 0) : 0
    const run = project.run('start.mjs', { PORT: String(port) })
    await expect(run.exit).resolves.toEqual(failed)
    expect(run.output()).toBe(
      `Port ${port} of 127.0.0.1 is in use. Stop the program that has it, or choose another: PORT=${port + 1} npm start\n`,
    )
    await expect(project.postgresPid()).resolves.toBeNull()
    other.close()
  })
})

describe('npm start -- --public', () => {
  it('keeps the service on loopback, names another port for the tunnel, posts the schema and draws a QR code', async () => {
    // A 409 means that an earlier start has already posted the schema.
    const run = project.run('start.mjs', { SCHEMA_STATUS: '409' }, ['--public', 'https://demo.example'])
    await run.until('Stop with Ctrl-C.')
    expect(run.output()).not.toContain('refused')
    const [started, posted] = await project.journal()
    const port = Number(started?.port) + 1
    expect(started?.environment).toMatchObject({
      ISSUER_BASE_URL: 'https://demo.example',
      VERIFIER_BASE_URL: 'https://demo.example',
      PUBLIC_HOST: '127.0.0.1',
      PUBLIC_PORT: String(port),
      AUTH_DISABLED: 'true',
      ALLOW_INSECURE_HTTP: 'false',
    })
    expect(posted).toMatchObject({ posted: { name: 'ProofOfPurchase', version: 1 } })
    expect(run.output()).toContain(`Console: http://localhost:${started?.port}/console/\n`)
    expect(run.output()).toContain(`The tunnel must lead to http://127.0.0.1:${port}`)
    expect(run.output()).toMatch(/[▄█]{5}/)
    run.child.kill('SIGTERM')
    await expect(run.exit).resolves.toEqual(stopped)
  })

  it('names an unusable address in a sentence', async () => {
    const run = project.run('start.mjs', {}, ['--public', 'http://demo.example'])
    await expect(run.exit).resolves.toEqual(failed)
    expect(run.output()).toMatch(/^--public needs the address by which others reach this machine/)
  })
})

describe('npm start with settings', () => {
  it('fills in nothing if some are given, shows the service’s output and ends with its code', async () => {
    const run = project.run('start.mjs', { OIDC_JWKS_URL: 'https://idp.example/jwks' })
    await expect(run.exit).resolves.toEqual(failed)
    expect(run.output()).toMatch(/\nInvalid environment variables:\n- ISSUER_BASE_URL must be defined\.\n$/)
    expect(run.output()).toMatch(/^npm start fills in no settings, because these are set: OIDC_JWKS_URL\./)
    await expect(project.postgresPid()).resolves.toBeNull()
  })

  it('attack: an identity provider without its keys never starts a service without authentication', async () => {
    const run = project.run('start.mjs', { OIDC_ISSUER: 'https://idp.example', OIDC_CLIENT_ID: 'credence' })
    await expect(run.exit).resolves.toEqual(failed)
    expect(run.output()).toContain(
      'OIDC_JWKS_URL: set the jwks_uri of https://idp.example/.well-known/openid-configuration.',
    )
    expect(run.output()).not.toContain('Credence is running')
  })

  it('fills in nothing in production, here by .env, not even the database', async () => {
    const file = join(project.directory, '.env')
    await writeFile(file, 'NODE_ENV=production\n')
    await rm(join(project.directory, '.data', 'postgres.log'))
    const run = project.run('start.mjs')
    await expect(run.exit).resolves.toEqual(failed)
    expect(run.output()).toContain('- ISSUER_BASE_URL must be defined.')
    await expect(readFile(join(project.directory, '.data', 'postgres.log'))).rejects.toThrow('ENOENT')
    await rm(file)
  })

  it('uses the database of DATABASE_URL and starts none', async () => {
    const { url } = inject('databaseServer')
    const run = await project.start({ DATABASE_URL: url })
    await expect(project.postgresPid()).resolves.toBeNull()
    expect(await project.starts()).toMatchObject([{ databaseUrl: url, databaseAnswers: true }])
    run.child.kill('SIGTERM')
    await expect(run.exit).resolves.toEqual(stopped)
  })
})
