import { randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { decodeProtectedHeader } from 'jose'
import { describe, expect, it } from 'vitest'
import { keysCommand } from '../../server/key-rotation/command.js'
import { PROTECTED_COLUMNS } from '../../server/keys/store.js'
import { postSchema, SUBJECT } from '../issuer/purchase.js'
import { localEnvironment, startProcess } from '../main/process.js'
import { query } from '../support/postgres.js'
import { startService, type TestService } from '../support/service.js'
import { environmentOf } from './environment.js'

const newKek = () => randomBytes(32).toString('base64url')

/** Every value of every column of text, as a thief of the database would read it. */
async function everyText(databaseUrl: string): Promise<string[]> {
  const columns = await query<{ table_name: string; column_name: string }>(
    databaseUrl,
    `SELECT table_name, column_name FROM information_schema.columns
     WHERE table_schema = 'public' AND data_type IN ('text', 'json', 'jsonb')`,
  )
  const selects = columns.map(
    ({ table_name, column_name }) => `SELECT "${column_name}"::text AS text FROM "${table_name}"`,
  )
  const rows = await query<{ text: string | null }>(databaseUrl, selects.join(' UNION ALL '))
  return rows.flatMap(({ text }) => text ?? [])
}

const privateKeys = async (databaseUrl: string) =>
  (await query<{ private_jwk: string }>(databaseUrl, 'SELECT private_jwk FROM keys')).map((row) => row.private_jwk)

/** The `kid` of each JWE in the database: which key-encryption keys it takes to read it. */
async function encryptions(databaseUrl: string): Promise<Set<unknown>> {
  const jwes = (await everyText(databaseUrl)).filter((text) => /^[\w-]+\.\.[\w-]+\.[\w-]+\.[\w-]+$/.test(text))
  return new Set(jwes.map((jwe) => decodeProtectedHeader(jwe).kid))
}

async function newHolder(service: TestService): Promise<void> {
  const authorization = await service.bearer('holly', { roles: ['admin'] })
  const answer = await service.request('POST', '/agent/holder', { authorization, body: { method: 'key' } })
  expect(answer.status).toBe(201)
}

async function issues(service: TestService): Promise<boolean> {
  const authorization = await service.bearer('alice')
  const { name: type } = await postSchema(service, authorization)
  const body = { type, credential_subject: SUBJECT }
  const created = await service.request('POST', '/api/v1/credentials', { authorization, body })
  const credential = created.json.vc.proof.jws
  return (await service.request('POST', '/credentials/verify', { authorization, body: { credential } })).json.isValid
}

describe('private keys and secrets at rest', () => {
  it('are JWE (RFC 7516) under KEY_ENCRYPTION_KEY: no `d` stands in the database', async () => {
    await using service = await startService({ env: { KEY_ENCRYPTION_KEY: newKek() } })
    await newHolder(service)
    expect(await issues(service)).toBe(true)
    for (const stored of await privateKeys(service.databaseUrl)) {
      expect(decodeProtectedHeader(stored)).toEqual({ alg: 'dir', enc: 'A256GCM', kid: expect.any(String) })
    }
    expect((await everyText(service.databaseUrl)).filter((text) => /"d"\s*:/.test(text))).toEqual([])
    const [root] = await query(service.databaseUrl, "SELECT value FROM secrets WHERE name = 'root'")
    expect(root?.value).toMatch(/^[\w-]+\.\.[\w-]+\.[\w-]+\.[\w-]+$/)
    expect((await encryptions(service.databaseUrl)).size).toBe(1)
  })

  it('stand in the clear where KEY_ENCRYPTION_KEY is unset', async () => {
    await using service = await startService()
    const stored = await privateKeys(service.databaseUrl)
    expect(stored.length).toBeGreaterThan(1)
    for (const jwk of stored) expect(JSON.parse(jwk)).toMatchObject({ kty: 'EC', crv: 'P-256', d: expect.any(String) })
  })

  it('name every column of the data model that is said to be stored as private keys are', async () => {
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

describe('keys:rotate --reencrypt', () => {
  it('encrypts what stood in the clear; the service goes on', async () => {
    await using service = await startService()
    await newHolder(service)
    const KEY_ENCRYPTION_KEY = newKek()
    expect(await keysCommand(['--reencrypt'], environmentOf(service, { KEY_ENCRYPTION_KEY }))).toEqual([
      '4 values encrypted anew.',
    ])
    expect((await everyText(service.databaseUrl)).filter((text) => /"d"\s*:/.test(text))).toEqual([])
    const { databaseUrl, identityProvider } = service
    await using restarted = await startService({ databaseUrl, identityProvider, env: { KEY_ENCRYPTION_KEY } })
    expect(await issues(restarted)).toBe(true)
    expect(await keysCommand(['--reencrypt'], environmentOf(service, { KEY_ENCRYPTION_KEY }))).toEqual([
      '0 values encrypted anew.',
    ])
  })

  it('moves everything from the previous key to the new one, which alone opens it then', async () => {
    const former = newKek()
    const current = newKek()
    await using service = await startService({ env: { KEY_ENCRYPTION_KEY: former } })
    await newHolder(service)
    const before = await encryptions(service.databaseUrl)
    const { databaseUrl, identityProvider } = service
    const both = { KEY_ENCRYPTION_KEY: current, KEY_ENCRYPTION_KEY_PREVIOUS: former }
    await using between = await startService({ databaseUrl, identityProvider, env: both })
    // What is made meanwhile is under the new key already.
    await newHolder(between)
    expect((await encryptions(databaseUrl)).size).toBe(2)
    expect(await keysCommand(['--reencrypt'], environmentOf(service, both))).toEqual(['4 values encrypted anew.'])
    const after = await encryptions(databaseUrl)
    expect([after.size, [...before].some((kid) => after.has(kid))]).toEqual([1, false])
    await using alone = await startService({ databaseUrl, identityProvider, env: { KEY_ENCRYPTION_KEY: current } })
    expect(await issues(alone)).toBe(true)
    expect(await issues(between)).toBe(true)
  })

  it('needs a KEY_ENCRYPTION_KEY', async () => {
    await using service = await startService()
    await expect(keysCommand(['--reencrypt'], environmentOf(service))).rejects.toThrow(
      'KEY_ENCRYPTION_KEY must be defined.',
    )
  })
})

describe('a wrong KEY_ENCRYPTION_KEY', () => {
  const refusal = 'KEY_ENCRYPTION_KEY does not decrypt the stored keys.'

  it('aborts the start by name, with exit code 1', async () => {
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

  it('is noticed where only some of the keys are under another one', async () => {
    const [former, current] = [newKek(), newKek()]
    await using service = await startService({ env: { KEY_ENCRYPTION_KEY: former } })
    const { databaseUrl, identityProvider } = service
    const both = { KEY_ENCRYPTION_KEY: current, KEY_ENCRYPTION_KEY_PREVIOUS: former }
    await using between = await startService({ databaseUrl, identityProvider, env: both })
    await newHolder(between)
    // As if the operator had encrypted the root secret alone.
    const [other] = await query(databaseUrl, "SELECT value FROM secrets WHERE name = 'root'")
    const root = await between.deps.vault.protect(await between.deps.vault.reveal(other?.value))
    await query(databaseUrl, "UPDATE secrets SET value = $1 WHERE name = 'root'", [root])
    await expect(keysCommand([], environmentOf(service, { KEY_ENCRYPTION_KEY: current }))).rejects.toThrow(refusal)
  })
})
