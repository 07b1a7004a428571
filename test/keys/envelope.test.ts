import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { flattenedDecrypt } from 'jose'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { keysCommand } from '../../server/key-rotation/command.js'
import { packageDirectory } from '../../server/keys/providers/pkcs11/library.js'
import { createLog } from '../../server/log/log.js'
import { createTestDatabase, everyRow, query } from '../support/postgres.js'
import { type ServiceOptions, startService, type TestService } from '../support/service.js'
import { environmentOf } from './environment.js'
import { expectReadable, fill, issueAndRead, newKek, protection } from './filled.js'
import { MODULE, makeToken, PIN, type Token, WITHOUT_TOKEN } from './providers/softhsm.js'

const skipped = WITHOUT_TOKEN === undefined ? '' : ` (left out: ${WITHOUT_TOKEN})`
const describeToken = describe.skipIf(WITHOUT_TOKEN !== undefined)

let token: Token

const makeWrappingKey = (on: Token, label: string, id: string, ...more: readonly string[]) =>
  on.tool('--keygen', '--key-type', 'AES:32', '--label', label, '--id', id, '--sensitive', ...more)

if (WITHOUT_TOKEN === undefined) {
  beforeAll(async () => {
    token = await makeToken()
    await makeWrappingKey(token, 'wrapping', '0a')
    await makeWrappingKey(token, 'other', '0b')
  })
  afterAll(() => token.remove())
}

const wrappedBy = (label: string, more: Readonly<Record<string, string>> = {}) => ({
  ...token.env,
  KEY_ENCRYPTION_PROVIDER: `hsm:${label}`,
  ...more,
})

interface Row {
  readonly id: string
  readonly wrapping: string
  readonly wrapped: string
  readonly retired_at: Date | null
}

const rowsOf = (databaseUrl: string) =>
  query<Row>(databaseUrl, 'SELECT id, wrapping, wrapped, retired_at FROM envelope_keys ORDER BY active_at')

const beside = ({ databaseUrl, identityProvider }: TestService, options: ServiceOptions) =>
  startService({ databaseUrl, identityProvider, ...options })

const refusalOf = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => {
      throw new Error('It started.')
    },
    (error: Error) => {
      expect(error.name).toBe('ConfigurationError')
      return error.message
    },
  )

/** Starts a service that must not start. */
const startRefused = (service: TestService, env: Readonly<Record<string, string>>) =>
  refusalOf(beside(service, { env, maintenance: false }))

/** Unwraps a key with pkcs11js alone, in a process that has no code of this service. */
async function unwrappedElsewhere(label: string, { id, wrapped }: Row): Promise<Buffer> {
  const library = JSON.stringify(join(packageDirectory(), 'node_modules', 'pkcs11js'))
  const script = `
    const p = require(${library}); const m = new p.PKCS11()
    m.load(${JSON.stringify(MODULE)}); m.C_Initialize()
    const slot = m.C_GetSlotList(true).find((s) => m.C_GetTokenInfo(s).label.trim() === 'credence')
    const s = m.C_OpenSession(slot, p.CKF_SERIAL_SESSION)
    m.C_Login(s, p.CKU_USER, ${JSON.stringify(PIN)})
    m.C_FindObjectsInit(s, [{ type: p.CKA_CLASS, value: p.CKO_SECRET_KEY }, { type: p.CKA_LABEL, value: ${JSON.stringify(label)} }])
    const [key] = m.C_FindObjects(s, 1); m.C_FindObjectsFinal(s)
    const octets = Buffer.from(${JSON.stringify(wrapped)}, 'base64url')
    const parameter = { type: p.CK_PARAMS_AES_GCM_v240, iv: octets.subarray(0, 12), ivBits: 96, tagBits: 128,
      aad: Buffer.from(${JSON.stringify(`envelope-key:${id}`)}) }
    m.C_DecryptInit(s, { mechanism: p.CKM_AES_GCM, parameter }, key)
    process.stdout.write(m.C_Decrypt(s, octets.subarray(12), Buffer.alloc(64)).toString('hex'))`
  const env = { ...process.env, SOFTHSM2_CONF: token.env.SOFTHSM2_CONF }
  return Buffer.from((await promisify(execFile)(process.execPath, ['-e', script], { env })).stdout, 'hex')
}

/** Every value of the database, as text. */
const everything = async (databaseUrl: string): Promise<string> => (await everyRow(databaseUrl)).join('\n')

const isWalked = (service: TestService) =>
  expect.poll(() => service.platform.encryption.pending().length, { timeout: 30_000 }).toBe(0)

describeToken(`a key-encryption key that a token wraps${skipped}`, () => {
  it('encrypts the stored values; the database alone does not decrypt them, the token and jose do', async () => {
    await using service = await startService({ env: wrappedBy('wrapping') })
    const filled = await fill(service)
    const { databaseUrl } = service
    const [row, ...others] = await rowsOf(databaseUrl)
    if (row === undefined) throw new Error('There is no key.')
    expect([row.wrapping, others]).toEqual(['hsm:wrapping', []])
    expect(await protection(databaseUrl)).toEqual({ clear: 0, keys: new Set([row.id]) })
    const key = await unwrappedElsewhere('wrapping', row)
    expect(createHash('sha256').update(key).digest().subarray(0, 12).toString('base64url')).toBe(row.id)
    const [root] = await query<{ value: string }>(databaseUrl, "SELECT value FROM secrets WHERE name = 'root'")
    const [header = '', , iv = '', ciphertext = '', tag = ''] = root?.value.split('.') ?? []
    const aad = Buffer.from('secrets.value.root').toString('base64url')
    const { plaintext } = await flattenedDecrypt({ protected: header, iv, ciphertext, tag, aad }, key)
    expect(Buffer.from(plaintext).toString()).toMatch(/^[\w-]{43} encrypted:/)
    const stored = await everything(databaseUrl)
    for (const form of ['hex', 'base64', 'base64url'] as const) expect(stored).not.toContain(key.toString(form))

    await using again = await beside(service, { env: wrappedBy('wrapping') })
    await expectReadable(again, filled)
    expect(await rowsOf(databaseUrl)).toEqual([row])
    // The process that serves never asks the token for the key.
    const metrics = await again.service.operated.metrics.registry.metrics()
    expect(metrics).not.toContain('operation="unwrap"')
  })

  it('ends the start by name while the token is away; a running service goes on', async () => {
    const own = await makeToken()
    await makeWrappingKey(own, 'wrapping', '0a')
    const env = { ...own.env, KEY_ENCRYPTION_PROVIDER: 'hsm:wrapping' }
    await using service = await startService({ env })
    const filled = await fill(service)
    await own.takeAway()
    expect(await startRefused(service, env)).toMatch(/^KEY_ENCRYPTION_PROVIDER \(hsm:wrapping\): /)
    await issueAndRead(service, filled)
    await expectReadable(service, filled)
    const ready = await service.request('GET', '/health/readiness')
    expect([ready.status, ready.json.details.keyProviders]).toEqual([
      200,
      {
        status: 'degraded',
        reason: 'hsm cannot be used. The key-encryption key is in memory, and the next start needs hsm',
      },
    ])
    await own.bringBack()
    await using again = await beside(service, { env })
    await expectReadable(again, filled)
    await own.remove()
  })

  it('refuses rows that were altered, swapped or copied, by name, and changes nothing', async () => {
    // The running services do not look at the rows meanwhile.
    const idle = { env: wrappedBy('wrapping'), maintenance: false, envelopeKeysEveryMs: 3_600_000 }
    await using service = await startService(idle)
    await using foreign = await startService(idle)
    const { databaseUrl } = service
    const [row] = await rowsOf(databaseUrl)
    const [copy] = await rowsOf(foreign.databaseUrl)
    const keysIn = async () => [
      await query(databaseUrl, 'SELECT xmin::text, * FROM keys ORDER BY id'),
      await query(databaseUrl, 'SELECT xmin::text, * FROM secrets ORDER BY name'),
      await query(databaseUrl, 'SELECT xmin::text, * FROM encryption_progress ORDER BY column_name'),
      await rowsOf(databaseUrl),
    ]
    const before = await keysIn()
    const store = (wrapped = '', id = row?.id) =>
      query(databaseUrl, 'UPDATE envelope_keys SET wrapped = $1, id = $2', [wrapped, id])
    const flipped = `${row?.wrapped.slice(0, 30)}${row?.wrapped[30] === 'A' ? 'B' : 'A'}${row?.wrapped.slice(31)}`
    for (const wrapped of [flipped, copy?.wrapped, '', 'A'.repeat(5_000)]) {
      await store(wrapped)
      const message = await startRefused(service, wrappedBy('wrapping'))
      expect(message).toMatch(/^KEY_ENCRYPTION_PROVIDER \(hsm:wrapping\): .*(altered|wrong length)/)
    }
    // The wrapped key of another installation, with its own id: it unwraps, and decrypts nothing.
    await store(copy?.wrapped, copy?.id)
    expect(await startRefused(service, wrappedBy('wrapping'))).toContain('do not decrypt the stored keys')
    await store(row?.wrapped, row?.id)
    expect(await keysIn()).toEqual(before)
    await using again = await beside(service, { env: wrappedBy('wrapping') })
    expect((await again.request('GET', '/health/readiness')).status).toBe(200)
  })

  it('refuses wrapping keys that cannot be used, by name', async () => {
    await token.tool('--keygen', '--key-type', 'AES:16', '--label', 'short', '--id', '21', '--sensitive')
    await token.tool('--keygen', '--key-type', 'AES:32', '--label', 'readable', '--id', '22')
    await makeWrappingKey(token, 'exportable', '23', '--extractable')
    await token.tool('--keypairgen', '--key-type', 'EC:prime256v1', '--label', 'signing', '--id', '24')
    const database = await createTestDatabase()
    const start = (label: string) =>
      refusalOf(startService({ databaseUrl: database.url, env: wrappedBy(label), maintenance: false }))
    expect(await start('short')).toContain('the key short does not have 256 bits')
    expect(await start('readable')).toContain('the key readable can be read (CKA_SENSITIVE)')
    expect(await start('exportable')).toContain('the key exportable can be exported (CKA_EXTRACTABLE)')
    expect(await start('signing')).toContain('the token has no secret key signing')
    expect(await start('missing')).toContain(
      'KEY_ENCRYPTION_PROVIDER (hsm:missing): a key-encryption key cannot be wrapped',
    )
    expect(await rowsOf(database.url)).toEqual([])
    await database.drop()
  })

  it('takes the place of KEY_ENCRYPTION_KEY, and gives it back, without a lost value', async () => {
    const own = newKek()
    await using service = await startService({ env: { KEY_ENCRYPTION_KEY: own } })
    const filled = await fill(service)
    const { databaseUrl } = service
    expect(await startRefused(service, wrappedBy('wrapping'))).toContain(
      'If KEY_ENCRYPTION_KEY encrypted them, set KEY_ENCRYPTION_KEY_PREVIOUS to its value.',
    )
    const env = wrappedBy('wrapping', { KEY_ENCRYPTION_KEY_PREVIOUS: own })
    await using moving = await beside(service, { env, maintenanceEveryMs: 20 })
    await expectReadable(moving, filled)
    await isWalked(moving)
    const [row] = await rowsOf(databaseUrl)
    expect(await protection(databaseUrl)).toEqual({ clear: 0, keys: new Set([row?.id]) })
    await using moved = await beside(service, { env: wrappedBy('wrapping') })
    await expectReadable(moved, filled)
    await issueAndRead(moved, filled)

    const next = newKek()
    expect(await startRefused(service, { ...token.env, KEY_ENCRYPTION_KEY: next })).toContain(
      `The key hsm:wrapping wraps the key-encryption key ${row?.id}`,
    )
    expect(await startRefused(service, token.env)).toContain('Set KEY_ENCRYPTION_PROVIDER to hsm:wrapping')
    const back = { ...token.env, KEY_ENCRYPTION_KEY: next, KEY_ENCRYPTION_PROVIDER_PREVIOUS: 'hsm:wrapping' }
    await using returning = await beside(service, { env: back, maintenanceEveryMs: 20 })
    await expectReadable(returning, filled)
    await isWalked(returning)
    const { keys } = await protection(databaseUrl)
    expect([keys.size, keys.has(row?.id ?? '')]).toEqual([1, false])
    // No value needs the wrapped key any more, so the provider can go.
    await using returned = await beside(service, { env: { KEY_ENCRYPTION_KEY: next } })
    await expectReadable(returned, filled)
    // The wrapped key stays for a day, so a move that was done too early can be taken back.
    expect((await rowsOf(databaseUrl)).map(({ id, retired_at }) => [id, retired_at !== null])).toEqual([
      [row?.id, true],
    ])
    await query(databaseUrl, "UPDATE envelope_keys SET retired_at = now() - interval '25 hours'")
    await using later = await beside(service, { env: { KEY_ENCRYPTION_KEY: next } })
    await expectReadable(later, filled)
    expect(await rowsOf(databaseUrl)).toEqual([])
  })

  it('is wrapped anew under another wrapping key, without a walk over the rows', async () => {
    await using service = await startService({ env: wrappedBy('wrapping') })
    const filled = await fill(service)
    const { databaseUrl } = service
    const [before] = await rowsOf(databaseUrl)
    const values = await query(databaseUrl, 'SELECT xmin::text, private_jwk FROM keys ORDER BY id')
    expect(await startRefused(service, wrappedBy('other'))).toContain(
      'Set KEY_ENCRYPTION_PROVIDER_PREVIOUS to hsm:wrapping',
    )
    expect(await rowsOf(databaseUrl)).toEqual([before])
    const both = wrappedBy('other', { KEY_ENCRYPTION_PROVIDER_PREVIOUS: 'hsm:wrapping' })
    await using between = await beside(service, { env: both, maintenance: false })
    expect(between.platform.encryption.pending()).toEqual([])
    const [after] = await rowsOf(databaseUrl)
    expect([after?.id, after?.wrapping]).toEqual([before?.id, 'hsm:other'])
    expect(after?.wrapped).not.toBe(before?.wrapped)
    await using alone = await beside(service, { env: wrappedBy('other') })
    await expectReadable(alone, filled)
    expect(await query(databaseUrl, 'SELECT xmin::text, private_jwk FROM keys ORDER BY id')).toEqual(values)
  })

  it('is rotated while two processes run: both change to the new key, and the former key goes later', async () => {
    const options: ServiceOptions = { env: wrappedBy('wrapping'), envelopeKeysEveryMs: 100, maintenanceEveryMs: 50 }
    await using service = await startService(options)
    const lines: string[] = []
    const log = createLog('info', { write: (line) => lines.push(line) })
    await using second = await beside(service, { ...options, log })
    const filled = await fill(service)
    const { databaseUrl } = service
    const [former] = await rowsOf(databaseUrl)
    const environment = environmentOf(service, wrappedBy('wrapping'))
    const [line] = await keysCommand(['--encryption-key'], environment)
    const [, current] = await rowsOf(databaseUrl)
    expect(line).toBe(`The key-encryption key ${current?.id} is stored. It encrypts in 60 seconds.`)
    await expect(keysCommand(['--encryption-key'], environment)).rejects.toThrow('is not done')
    await expect.poll(() => lines.join('')).toContain('new key-encryption key unwrapped')
    // Until its time has come, the new key only decrypts.
    await issueAndRead(second, filled)
    expect((await protection(databaseUrl)).keys).toEqual(new Set([former?.id]))
    await query(databaseUrl, 'UPDATE envelope_keys SET active_at = now() WHERE id = $1', [current?.id])
    await expect.poll(() => lines.join('')).toContain('key-encryption key changed')
    while ((await protection(databaseUrl)).keys.has(former?.id ?? '')) {
      await issueAndRead(service, filled)
      await issueAndRead(second, filled)
      await expectReadable(service, filled)
    }
    expect(await protection(databaseUrl)).toEqual({ clear: 0, keys: new Set([current?.id]) })
    await expect.poll(async () => (await rowsOf(databaseUrl))[0]?.retired_at ?? null).not.toBeNull()
    await isWalked(service)
    await isWalked(second)
    for (const one of [service, second]) {
      await expectReadable(one, filled)
      const calls = (await one.service.operated.metrics.registry.metrics()).match(
        /operation="unwrap",outcome="ok"\} (\d+)/,
      )
      expect(calls?.[1]).toBe('1')
    }
    // A start on the same day still has the former key, and a running process removes it later.
    await using soon = await beside(service, { env: wrappedBy('wrapping'), maintenanceEveryMs: 20 })
    await isWalked(soon)
    expect((await rowsOf(databaseUrl)).map(({ id }) => id)).toEqual([former?.id, current?.id])
    await query(
      databaseUrl,
      "UPDATE envelope_keys SET retired_at = now() - interval '2 days' WHERE retired_at IS NOT NULL",
    )
    await expect
      .poll(async () => (await rowsOf(databaseUrl)).map(({ id }) => id), { timeout: 60_000 })
      .toEqual([current?.id])
    await using final = await beside(service, { env: wrappedBy('wrapping') })
    await expectReadable(final, filled)
  })

  it('serves the commands: --reencrypt, a rotation of signing keys, and no rotation without a wrapping key', async () => {
    await using service = await startService({ env: wrappedBy('wrapping') })
    const filled = await fill(service)
    const environment = environmentOf(service, wrappedBy('wrapping'))
    expect(await keysCommand(['--reencrypt'], environment)).toEqual(['0 values encrypted anew.'])
    expect((await keysCommand([], environment)).at(-1)).toBe('2 records have a new key.')
    await using again = await beside(service, { env: wrappedBy('wrapping') })
    await issueAndRead(again, filled)
    await using plain = await startService()
    await expect(keysCommand(['--encryption-key'], environmentOf(plain))).rejects.toThrow(
      'KEY_ENCRYPTION_PROVIDER must be defined.',
    )
  })

  it('encrypts a filled installation that had no key', async () => {
    await using service = await startService()
    const filled = await fill(service)
    const environment = environmentOf(service, wrappedBy('wrapping'))
    const [line] = await keysCommand(['--reencrypt'], environment)
    expect(line).toMatch(/^[1-9]\d* values encrypted anew\.$/)
    expect((await protection(service.databaseUrl)).clear).toBe(0)
    await using again = await beside(service, { env: wrappedBy('wrapping') })
    await expectReadable(again, filled)
  })
})
