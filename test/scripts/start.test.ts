import { once } from 'node:events'
import { readFile, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, describe, expect, inject, it } from 'vitest'
import { z } from 'zod'
import { isRunning } from '../../scripts/launch/lock.mjs'
import { findKeys } from '../../scripts/start/identity-provider.js'
import { startOpenidProvider } from '../support/openid-provider.js'
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

describe('npm start -- --login', () => {
  it('starts the service as a client of a provider with four people, whose sign-in is for this machine only', async () => {
    const run = project.run('start.mjs', { VERIFIER_ROLE: 'inspector' }, ['--login'])
    await run.until('Stop with Ctrl-C.')
    const [started] = await project.starts()
    const url = `http://localhost:${started?.port}`
    expect(started?.environment).toMatchObject({
      ISSUER_BASE_URL: url,
      ALLOW_INSECURE_HTTP: 'true',
      OIDC_ISSUER: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
      OIDC_CLIENT_ID: 'credence',
      ADMIN_ROLE: 'admin',
      ISSUER_ROLE: 'issuer',
      VERIFIER_ROLE: 'inspector',
    })
    expect(started?.environment).not.toHaveProperty('AUTH_DISABLED')
    const { OIDC_ISSUER: issuer, OIDC_JWKS_URL: jwks } = z
      .looseObject({ OIDC_ISSUER: z.string(), OIDC_JWKS_URL: z.string() })
      .parse(started?.environment)
    await expect(findKeys(issuer)).resolves.toEqual({ jwksUrl: jwks })
    expect(run.output()).toContain('  Vera Verifier: verifies credentials (inspector)\n')
    expect(run.output()).not.toContain('no authentication')
    run.child.kill('SIGTERM')
    await expect(run.exit).resolves.toEqual(stopped)
    await expect(fetch(jwks)).rejects.toThrow()
  })

  it('is refused in production, in a sentence', async () => {
    const run = project.run('start.mjs', { NODE_ENV: 'production' }, ['--login'])
    await expect(run.exit).resolves.toEqual(failed)
    expect(run.output()).toMatch(/^--login is for development, not for production/)
  })
})

describe('npm start with settings', () => {
  it('fills in nothing if a base URL is given, shows the service’s output and ends with its code', async () => {
    const run = project.run('start.mjs', { VERIFIER_BASE_URL: 'https://verifier.example' })
    await expect(run.exit).resolves.toEqual(failed)
    expect(run.output()).toMatch(/\nInvalid environment variables:\n- ISSUER_BASE_URL must be defined\.\n$/)
    expect(run.output()).toMatch(/^npm start fills in no settings, because these are set: VERIFIER_BASE_URL\./)
    await expect(project.postgresPid()).resolves.toBeNull()
  })

  it('asks the provider of OIDC_ISSUER and OIDC_CLIENT_ID for its keys, fills in the rest and says so', async () => {
    await using provider = await startOpenidProvider()
    await provider.register('http://localhost:3000')
    const run = await project.start({ OIDC_ISSUER: provider.issuer, OIDC_CLIENT_ID: 'none' })
    const [started] = await project.starts()
    const url = `http://localhost:${started?.port}`
    const filled = {
      ISSUER_BASE_URL: url,
      VERIFIER_BASE_URL: url,
      ALLOW_INSECURE_HTTP: 'true',
      OIDC_JWKS_URL: `${provider.issuer}/jwks`,
    }
    expect(started?.environment).toMatchObject(filled)
    expect(started?.environment).not.toHaveProperty('AUTH_DISABLED')
    for (const [name, value] of Object.entries(filled)) expect(run.output()).toContain(`  ${name}=${value}\n`)
    expect(run.output()).toContain(`Register these redirect URIs at the identity provider: ${url}/console/callback`)
    expect(run.output()).not.toContain('no authentication')
    // Nobody is signed in yet, so the demonstration schema is not posted.
    expect((await project.journal()).some((entry) => 'posted' in entry)).toBe(false)
    run.child.kill('SIGTERM')
    await expect(run.exit).resolves.toEqual(stopped)
  })

  it('attack: an unreachable identity provider never starts a service without authentication', async () => {
    const run = project.run('start.mjs', { OIDC_ISSUER: 'http://127.0.0.1:1', OIDC_CLIENT_ID: 'credence' })
    await expect(run.exit).resolves.toEqual(failed)
    expect(run.output()).toContain(
      'OIDC_JWKS_URL: http://127.0.0.1:1/.well-known/openid-configuration cannot be read, because ',
    )
    expect(run.output()).toContain('OIDC configuration missing. Set OIDC_JWKS_URL.')
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
