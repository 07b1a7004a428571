import { generateKeyPairSync, randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { CompactEncrypt, decodeProtectedHeader } from 'jose'
import { describe, expect, it } from 'vitest'
import { keysCommand } from '../../server/key-rotation/command.js'
import { PROTECTED_COLUMNS } from '../../server/keys/at-rest/columns.js'
import { postSchema, SUBJECT } from '../issuer/purchase.js'
import { localEnvironment, startProcess } from '../main/process.js'
import { query } from '../support/postgres.js'
import { startService, type TestService } from '../support/service.js'
import { environmentOf } from './environment.js'

const newKek = () => randomBytes(32).toString('base64url')

/** Every value of every text column, as a thief of the database could read it. */
async function everyText(databaseUrl: string): Promise<string[]> {
  const columns = await query<{ table_name: string; column_name: string }>(
    databaseUrl,
    `SELECT c.table_name, c.column_name FROM information_schema.columns c JOIN pg_class p ON p.relname = c.table_name
     WHERE c.table_schema = 'public' AND NOT p.relispartition AND c.data_type IN ('text', 'json', 'jsonb')`,
  )
  const selects = columns.map(
    ({ table_name, column_name }) => `SELECT "${column_name}"::text AS text FROM "${table_name}"`,
  )
  const rows = await query<{ text: string | null }>(databaseUrl, selects.join(' UNION ALL '))
  return rows.flatMap(({ text }) => text ?? [])
}

const privateKeys = async (databaseUrl: string) =>
  (await query<{ private_jwk: string }>(databaseUrl, 'SELECT private_jwk FROM keys')).map((row) => row.private_jwk)

/**
 * Returns the `kid` of each JWE in the database. They name the key-encryption keys that are needed to read the
 * database.
 */
async function encryptions(databaseUrl: string): Promise<Set<unknown>> {
  const jwes = (await everyText(databaseUrl)).filter((text) => /^[\w-]+\.\.[\w-]+\.[\w-]+\.[\w-]+$/.test(text))
  return new Set(jwes.map((jwe) => decodeProtectedHeader(jwe).kid))
}

async function newHolder(service: TestService): Promise<void> {
  const authorization = await service.bearer('holly', { roles: ['admin'] })
  const answer = await service.request('POST', '/agent/holder', { authorization, body: { method: 'key' } })
  expect(answer.status).toBe(201)
}

/** Makes a credential of the default issuer. */
async function issue(service: TestService) {
  const authorization = await service.bearer('alice')
  const { name: type } = await postSchema(service, authorization)
  const body = { type, credential_subject: SUBJECT }
  return service.request('POST', '/api/v1/credentials', { authorization, body })
}

async function issues(service: TestService): Promise<boolean> {
  const authorization = await service.bearer('alice')
  const created = await issue(service)
  const credential = created.json.vc.proof.jws
  return (await service.request('POST', '/credentials/verify', { authorization, body: { credential } })).json.isValid
}

describe('private keys and secrets at rest', () => {
  it('are JWE (RFC 7516) under KEY_ENCRYPTION_KEY: the database contains no `d`', async () => {
    await using service = await startService({ env: { KEY_ENCRYPTION_KEY: newKek() } })
    await newHolder(service)
    expect(await issues(service)).toBe(true)
    for (const stored of await privateKeys(service.databaseUrl)) {
      expect(decodeProtectedHeader(stored)).toEqual({
        alg: 'dir',
        enc: 'A256GCM',
        kid: expect.any(String),
        bound: true,
      })
    }
    expect((await everyText(service.databaseUrl)).filter((text) => /"d"\s*:/.test(text))).toEqual([])
    const [root] = await query(service.databaseUrl, "SELECT value FROM secrets WHERE name = 'root'")
    expect(root?.value).toMatch(/^[\w-]+\.\.[\w-]+\.[\w-]+\.[\w-]+$/)
    expect((await encryptions(service.databaseUrl)).size).toBe(1)
  })

  it('are in the clear if KEY_ENCRYPTION_KEY is unset', async () => {
    await using service = await startService()
    const stored = await privateKeys(service.databaseUrl)
    expect(stored.length).toBeGreaterThan(1)
    for (const jwk of stored) expect(JSON.parse(jwk)).toMatchObject({ kty: 'EC', crv: 'P-256', d: expect.any(String) })
  })

  it('include every column of the data model whose comment says that it is stored like private keys', async () => {
    const model = await readFile(new URL('../../prisma/schema.prisma', import.meta.url), 'utf8')
    const protectedColumns: string[] = []
    let table = ''
    for (const block of model.split(/^model /m).slice(1)) {
      table = /@@map\("(\w+)"\)/.exec(block)?.[1] ?? ''
      const fields = block.matchAll(/^ {2}\/\/\/ ([^\n]*(?:\n {2}\/\/\/ [^\n]*)*)\n {2}(\w+) +(\S+)([^\n]*)/gm)
      for (const [, comment = '', field = '', , rest = ''] of fields) {
        if (!/as private keys are|compact JWE/.test(comment)) continue
        protectedColumns.push(`${table}.${/@map\("(\w+)"\)/.exec(rest)?.[1] ?? field}`)
      }
    }
    expect(protectedColumns).toContain('keys.private_jwk')
    const known = PROTECTED_COLUMNS.map(({ table, column }) => `${table}.${column}`)
    expect(known).toEqual(expect.arrayContaining(protectedColumns))
    expect(known).toContain('secrets.value')
  })
})

/** The signing key of the default issuer or the default verifier. */
const defaultKey = async (databaseUrl: string, kind: 'issuers' | 'verifiers') => {
  const [key] = await query<{ id: string; private_jwk: string }>(
    databaseUrl,
    `SELECT k.id, k.private_jwk FROM keys k JOIN ${kind} r USING (key_set_id) WHERE r.is_default`,
  )
  return { id: key?.id ?? '', stored: key?.private_jwk ?? '' }
}

const storeKey = (databaseUrl: string, id: string, stored: string) =>
  query(databaseUrl, 'UPDATE keys SET private_jwk = $2 WHERE id = $1', [id, stored])

/** Encrypts every value as earlier versions did: as a compact JWE that is bound to no row. */
async function ageSecrets({ platform, databaseUrl }: TestService, kek: string): Promise<number> {
  let aged = 0
  for (const { name, table, column, idColumn } of PROTECTED_COLUMNS) {
    const rows = await query<{ id: string; stored: string }>(
      databaseUrl,
      `SELECT "${idColumn}" AS id, "${column}" AS stored FROM "${table}" WHERE "${column}" IS NOT NULL`,
    )
    for (const { id, stored } of rows) {
      const { kid = '' } = decodeProtectedHeader(stored)
      const compact = await new CompactEncrypt(Buffer.from(await platform.vault.reveal({ column: name, id }, stored)))
        .setProtectedHeader({ alg: 'dir', enc: 'A256GCM', kid })
        .encrypt(Buffer.from(kek, 'base64url'))
      await query(databaseUrl, `UPDATE "${table}" SET "${column}" = $2 WHERE "${idColumn}" = $1`, [id, compact])
      aged += 1
    }
  }
  return aged
}

/** Counts the JWEs that are bound to their rows, and the JWEs that are not. */
async function bindings(databaseUrl: string) {
  const jwes = (await everyText(databaseUrl)).filter((text) => /^[\w-]+\.\.[\w-]+\.[\w-]+\.[\w-]+$/.test(text))
  const bound = jwes.filter((jwe) => decodeProtectedHeader(jwe).bound === true).length
  return { bound, unbound: jwes.length - bound }
}

describe('an attacker who can write to the database', () => {
  it('cannot make a key sign for another row: a copied ciphertext cannot be decrypted there', async () => {
    const env = { KEY_ENCRYPTION_KEY: newKek() }
    await using service = await startService({ env })
    const { databaseUrl, identityProvider } = service
    const issuer = await defaultKey(databaseUrl, 'issuers')
    await storeKey(databaseUrl, issuer.id, (await defaultKey(databaseUrl, 'verifiers')).stored)
    await using restarted = await startService({ databaseUrl, identityProvider, env })
    expect((await issue(restarted)).status).toBe(500)
    await storeKey(databaseUrl, issuer.id, issuer.stored)
    expect(await issues(restarted)).toBe(true)
  })

  it('cannot make the service sign with a foreign key: an unencrypted key is refused, and never encrypted', async () => {
    const env = { KEY_ENCRYPTION_KEY: newKek() }
    await using service = await startService({ env })
    const { databaseUrl, identityProvider } = service
    const issuer = await defaultKey(databaseUrl, 'issuers')
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    const planted = JSON.stringify(privateKey.export({ format: 'jwk' }))
    await storeKey(databaseUrl, issuer.id, planted)
    await using restarted = await startService({ databaseUrl, identityProvider, env })
    const refused = await issue(restarted)
    expect([refused.status, refused.text.includes('"d"')]).toEqual([500, false])
    await expect(keysCommand(['--reencrypt'], environmentOf(service, env))).rejects.toThrow(
      `0 values encrypted anew. Values that are not encrypted for their rows are refused and stay unchanged: keys.private_jwk ${issuer.id}.`,
    )
    expect((await defaultKey(databaseUrl, 'issuers')).stored).toBe(planted)
  })

  it('cannot make unencrypted values acceptable with an unencrypted root secret: the start fails and names it', async () => {
    const env = { KEY_ENCRYPTION_KEY: newKek() }
    await using service = await startService({ env })
    await query(service.databaseUrl, "UPDATE secrets SET value = $1 WHERE name = 'root'", ['A'.repeat(43)])
    await using process = startProcess({ ...localEnvironment(service.databaseUrl), ...env })
    const altered = 'The root secret is not encrypted for its row although other secrets are: the database was altered.'
    expect([await process.exit(), process.stderr()]).toEqual([1, expect.stringContaining(altered)])
    await expect(keysCommand([], environmentOf(service, env))).rejects.toThrow(altered)
    // An encrypted value that was copied from a different row is refused too, although this service encrypted it.
    const { stored } = await defaultKey(service.databaseUrl, 'issuers')
    await query(service.databaseUrl, "UPDATE secrets SET value = $1 WHERE name = 'root'", [stored])
    await expect(keysCommand([], environmentOf(service, env))).rejects.toThrow(
      'A stored secret cannot be used: The encrypted secret was altered.',
    )
  })
})

describe('values that an earlier version encrypted, bound to no row', () => {
  it('are encrypted for their rows at the next start; after that the earlier form is refused', async () => {
    const KEY_ENCRYPTION_KEY = newKek()
    const env = { KEY_ENCRYPTION_KEY }
    await using service = await startService({ env })
    await newHolder(service)
    const { databaseUrl, identityProvider } = service
    expect(await ageSecrets(service, KEY_ENCRYPTION_KEY)).toBe(5)
    const former = await defaultKey(databaseUrl, 'issuers')
    expect(await bindings(databaseUrl)).toEqual({ bound: 0, unbound: 5 })
    await using restarted = await startService({ databaseUrl, identityProvider, env, maintenanceEveryMs: 20 })
    // The maintenance job encrypts the key of the hosted wallet.
    await expect.poll(() => bindings(databaseUrl)).toEqual({ bound: 5, unbound: 0 })
    expect(await issues(restarted)).toBe(true)
    // An attacker may have such a value from a backup.
    await storeKey(databaseUrl, former.id, former.stored)
    await using again = await startService({ databaseUrl, identityProvider, env })
    expect((await issue(again)).status).toBe(500)
  })

  it('are encrypted for their rows by --reencrypt, also from a former key, all or none', async () => {
    const former = newKek()
    await using service = await startService({ env: { KEY_ENCRYPTION_KEY: former } })
    await newHolder(service)
    await ageSecrets(service, former)
    const wrong = environmentOf(service, { KEY_ENCRYPTION_KEY: newKek() })
    await expect(keysCommand(['--reencrypt'], wrong)).rejects.toThrow('KEY_ENCRYPTION_KEY does not decrypt')
    expect(await bindings(service.databaseUrl)).toEqual({ bound: 0, unbound: 5 })
    const both = { KEY_ENCRYPTION_KEY: newKek(), KEY_ENCRYPTION_KEY_PREVIOUS: former }
    expect(await keysCommand(['--reencrypt'], environmentOf(service, both))).toEqual(['5 values encrypted anew.'])
    expect(await bindings(service.databaseUrl)).toEqual({ bound: 5, unbound: 0 })
    expect((await encryptions(service.databaseUrl)).size).toBe(1)
  })
})

describe('keys:rotate --reencrypt', () => {
  it('encrypts unencrypted values; the service continues', async () => {
    await using service = await startService()
    await newHolder(service)
    const KEY_ENCRYPTION_KEY = newKek()
    expect(await keysCommand(['--reencrypt'], environmentOf(service, { KEY_ENCRYPTION_KEY }))).toEqual([
      '5 values encrypted anew.',
    ])
    expect((await everyText(service.databaseUrl)).filter((text) => /"d"\s*:/.test(text))).toEqual([])
    const { databaseUrl, identityProvider } = service
    await using restarted = await startService({ databaseUrl, identityProvider, env: { KEY_ENCRYPTION_KEY } })
    expect(await issues(restarted)).toBe(true)
    expect(await keysCommand(['--reencrypt'], environmentOf(service, { KEY_ENCRYPTION_KEY }))).toEqual([
      '0 values encrypted anew.',
    ])
  })

  it('encrypts all values under the new key; the previous key is then no longer needed', async () => {
    const former = newKek()
    const current = newKek()
    await using service = await startService({ env: { KEY_ENCRYPTION_KEY: former } })
    await newHolder(service)
    const before = await encryptions(service.databaseUrl)
    const { databaseUrl, identityProvider } = service
    const both = { KEY_ENCRYPTION_KEY: current, KEY_ENCRYPTION_KEY_PREVIOUS: former }
    await using between = await startService({ databaseUrl, identityProvider, env: both, maintenance: false })
    // Keys that are made meanwhile are already encrypted with the new key.
    await newHolder(between)
    expect((await encryptions(databaseUrl)).size).toBe(2)
    expect(await keysCommand(['--reencrypt'], environmentOf(service, both))).toEqual(['5 values encrypted anew.'])
    const after = await encryptions(databaseUrl)
    expect([after.size, [...before].some((kid) => after.has(kid))]).toEqual([1, false])
    await using alone = await startService({ databaseUrl, identityProvider, env: { KEY_ENCRYPTION_KEY: current } })
    expect(await issues(alone)).toBe(true)
    expect(await issues(between)).toBe(true)
  })

  it('needs a KEY_ENCRYPTION_KEY', async () => {
    await using service = await startService()
    await expect(keysCommand(['--reencrypt'], environmentOf(service))).rejects.toThrow(
      'KEY_ENCRYPTION_KEY or KEY_ENCRYPTION_PROVIDER must be defined.',
    )
  })
})

describe('a wrong KEY_ENCRYPTION_KEY', () => {
  const refusal = 'KEY_ENCRYPTION_KEY does not decrypt the stored keys.'

  it('stops the start with exit code 1, and the error names the variable', async () => {
    await using service = await startService({ env: { KEY_ENCRYPTION_KEY: newKek() } })
    const environment = { ...localEnvironment(service.databaseUrl), KEY_ENCRYPTION_KEY: newKek() }
    await using process = startProcess(environment)
    expect([await process.exit(), process.stderr()]).toEqual([1, `${refusal}\n`])
  })

  it('rotates and encrypts nothing', async () => {
    await using service = await startService({ env: { KEY_ENCRYPTION_KEY: newKek() } })
    const before = await privateKeys(service.databaseUrl)
    const wrong = environmentOf(service, { KEY_ENCRYPTION_KEY: newKek() })
    await expect(keysCommand([], wrong)).rejects.toThrow(refusal)
    await expect(keysCommand([], environmentOf(service))).rejects.toThrow(refusal)
    await expect(keysCommand(['--reencrypt'], wrong)).rejects.toThrow(refusal)
    expect(await privateKeys(service.databaseUrl)).toEqual(before)
  })

  it('is detected even if only some of the keys are under another key', async () => {
    const [former, current] = [newKek(), newKek()]
    await using service = await startService({ env: { KEY_ENCRYPTION_KEY: former } })
    const { databaseUrl, identityProvider } = service
    const both = { KEY_ENCRYPTION_KEY: current, KEY_ENCRYPTION_KEY_PREVIOUS: former }
    await using between = await startService({ databaseUrl, identityProvider, env: both, maintenance: false })
    await newHolder(between)
    // The state in which the operator has encrypted only the root secret.
    const [other] = await query(databaseUrl, "SELECT value FROM secrets WHERE name = 'root'")
    const place = { column: 'secrets.value', id: 'root' } as const
    const root = await between.platform.vault.protect(place, await between.platform.vault.reveal(place, other?.value))
    await query(databaseUrl, "UPDATE secrets SET value = $1 WHERE name = 'root'", [root])
    await expect(keysCommand([], environmentOf(service, { KEY_ENCRYPTION_KEY: current }))).rejects.toThrow(refusal)
  })
})
