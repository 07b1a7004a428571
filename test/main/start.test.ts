import { createServer } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { portOf } from '../support/local-server.js'
import { createTestDatabase, type TestDatabase } from '../support/postgres.js'
import { localEnvironment, startProcess } from './process.js'

let database: TestDatabase
/** Makes a database whose secrets have been encrypted since its first start. */
let encrypted: TestDatabase

beforeAll(async () => {
  database = await createTestDatabase()
  encrypted = await createTestDatabase()
})
afterAll(async () => {
  await database.drop()
  await encrypted.drop()
})

const KEY = Buffer.alloc(32, 1).toString('base64url')
const ANOTHER_KEY = Buffer.alloc(32, 2).toString('base64url')

describe('a start that fails', () => {
  it('exits 1 with only the problems on standard error', async () => {
    await using service = startProcess({ DATABASE_URL: 'postgres://127.0.0.1/x', LOG_LEVEL: 'loud' })
    expect(await service.exit()).toBe(1)
    expect(service.stderr()).toBe(
      [
        'Invalid environment variables:',
        '- ISSUER_BASE_URL must be defined.',
        '- VERIFIER_BASE_URL must be defined.',
        '- LOG_LEVEL must be trace, debug, info, warn, error, fatal or silent.',
        'OIDC configuration missing. Set OIDC_JWKS_URL.',
        '',
      ].join('\n'),
    )
    expect(service.stdout()).toBe('')
  })

  it('names the address that is already in use, with one process and with workers', async () => {
    const other = createServer().listen(0, '127.0.0.1')
    await new Promise((resolve) => other.once('listening', resolve))
    const port = portOf(other)
    const environment = { ...localEnvironment(database.url), PORT: String(port), WEB_CONCURRENCY: '2' }
    await using service = startProcess(environment)
    expect(await service.exit()).toBe(1)
    expect(service.stderr()).toContain(
      `127.0.0.1:${port} is already in use. Set PORT to another one, or stop what listens there.`,
    )
    await new Promise((resolve) => other.close(resolve))
  })

  it('names the METRICS_PORT that is already in use', async () => {
    const other = createServer().listen(0, '127.0.0.1')
    await new Promise((resolve) => other.once('listening', resolve))
    const port = portOf(other)
    await using service = startProcess({ ...localEnvironment(database.url), METRICS_PORT: String(port) })
    expect(await service.exit()).toBe(1)
    expect(service.stderr()).toBe(
      `127.0.0.1:${port} cannot be listened on (EADDRINUSE). Check METRICS_HOST and METRICS_PORT.\n`,
    )
    await new Promise((resolve) => other.close(resolve))
  })

  it('names a database that cannot be reached', async () => {
    await using service = startProcess(localEnvironment('postgres://postgres@127.0.0.1:1/credence'))
    expect(await service.exit()).toBe(1)
    expect(service.stderr()).toMatch(/^The database of DATABASE_URL cannot be used \(ECONNREFUSED\)\. .*\n$/)
  })
})

describe('a start', () => {
  it('migrates, warns of insecure settings and serves; standard output has only structured log lines', async () => {
    await using service = startProcess({ ...localEnvironment(encrypted.url), KEY_ENCRYPTION_KEY: KEY })
    const url = await service.url()
    const version = await fetch(`${url}/version`)
    expect(await version.json()).toEqual({ name: 'credence', version: expect.stringMatching(/^\d+\.\d+\.\d+/) })
    // The service keeps idle connections open for longer than proxies usually do, so a proxy closes them first.
    expect(version.headers.get('keep-alive')).toBe('timeout=65')
    service.child.kill('SIGINT')
    expect(await service.exit()).toBe(0)

    expect(service.stderr()).toBe('')
    const warnings = service.log().filter(({ level }) => level === 40)
    expect(warnings.map(({ msg }) => msg.split(' ', 1)[0])).toEqual(['AUTH_DISABLED', 'ALLOW_INSECURE_HTTP'])
    const requestId = version.headers.get('x-request-id')
    expect(service.log()).toContainEqual(
      expect.objectContaining({ method: 'GET', path: '/version', status: 200, requestId }),
    )
    expect(service.log().at(-1)?.msg).toBe('stopped')
  })

  it('with another KEY_ENCRYPTION_KEY than for the stored keys names it and exits 1; a quiet log hides no warning', async () => {
    const environment = { ...localEnvironment(encrypted.url), KEY_ENCRYPTION_KEY: ANOTHER_KEY, LOG_LEVEL: 'error' }
    await using service = startProcess(environment)
    expect(await service.exit()).toBe(1)
    expect(service.stdout()).toBe('')
    expect(service.stderr().split('\n')).toEqual([
      expect.stringMatching(/^AUTH_DISABLED is true/),
      expect.stringMatching(/^ALLOW_INSECURE_HTTP is true/),
      'KEY_ENCRYPTION_KEY does not decrypt the stored keys.',
      '',
    ])
  })
})
