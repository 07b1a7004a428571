import { generateKeyPairSync } from 'node:crypto'
import pg from 'pg'
import { describe, expect, it } from 'vitest'
import { createWalks } from '../../server/keys/at-rest/walk.js'
import { createWalkStore, type WalkStore } from '../../server/keys/at-rest/walk-store.js'
import { createLog } from '../../server/log/log.js'
import { ofMetric, startOperations } from '../metrics/scrape.js'
import { runTask } from '../support/maintenance.js'
import { query } from '../support/postgres.js'
import { startService, type TestService } from '../support/service.js'
import { LOOPBACK } from '../support/wallet.js'
import { taking } from '../wallet/taking.js'
import {
  copyCredentials,
  encryptionOf,
  expectReadable,
  fill,
  issueAndRead,
  MARKER,
  newKek,
  protection,
  readClaims,
  verify,
} from './filled.js'

const NO_MAINTENANCE = { maintenance: false }

const done = (service: TestService) => expect.poll(() => service.platform.encryption.pending().length).toBe(0)

const encryptAll = (service: TestService) => runTask(encryptionOf(service), new Date())

/** Another service on the database of a service. */
const beside = ({ databaseUrl, identityProvider }: TestService, env: Record<string, string>, more = {}) =>
  startService({ databaseUrl, identityProvider, env, ...more })

describe('the first key of a filled installation', () => {
  it('encrypts every row while the service issues; both forms are readable until the end', async () => {
    await using former = await startService({ env: LOOPBACK })
    const filled = await fill(former)
    await using taken = await taking(former)
    const held = async (at: TestService) => {
      const { id, authorization } = taken.wallet
      const { status, json } = await at.request('GET', `/holders/${id}/credentials`, { authorization })
      return [status, json.length]
    }
    const ids = await copyCredentials(former.databaseUrl, 400)
    const proven = await query<{ id: string }>(
      former.databaseUrl,
      "SELECT id FROM credentials WHERE vc -> 'proof' IS NOT NULL",
    )
    const withProof = proven.map(({ id }) => id)
    const env = { KEY_ENCRYPTION_KEY: newKek() }
    await using waiting = await beside(former, env, NO_MAINTENANCE)
    await expectReadable(waiting, filled)
    expect(await held(waiting)).toEqual([200, 2])
    const lines: string[] = []
    const log = createLog('info', { write: (line) => lines.push(line) })
    await using service = await beside(former, env, { maintenanceEveryMs: 20, log })
    const operations = await startOperations(service)
    expect(Object.values(ofMetric(await operations.samples(), 'credence_encryption_rows_left'))).toContain(1)
    const issued: string[] = []
    while (service.platform.encryption.pending().length > 0) {
      issued.push(await issueAndRead(service, filled))
      await expectReadable(service, filled)
    }
    expect(await protection(former.databaseUrl)).toEqual({ clear: 0, keys: expect.objectContaining({ size: 1 }) })
    const authorization = await service.bearer('alice')
    for (const id of [...ids.slice(0, 50), ...ids.slice(-50), ...issued]) {
      const { status, json } = await service.request('GET', `/api/v1/credentials/${id}`, { authorization })
      expect([status, json.vc.credentialSubject.product]).toEqual([200, MARKER])
    }
    const signed = await query<{ id: string }>(former.databaseUrl, 'SELECT id FROM credentials WHERE signed')
    expect(signed.map(({ id }) => id).sort()).toEqual([...withProof, ...issued].sort())
    const samples = await operations.samples()
    expect(new Set(Object.values(ofMetric(samples, 'credence_encryption_rows_left')))).toEqual(new Set([0]))
    const values = ofMetric(samples, 'credence_encryption_values_total')
    expect(values['credence_encryption_values_total{column="credentials.vc",outcome="encrypted"}']).toBe(802)
    const said = lines.map((line) => JSON.parse(line)).filter(({ msg }) => /encrypt/.test(msg))
    expect(said.at(0)).toMatchObject({ msg: 'encryption of stored values begins' })
    expect(said).toContainEqual(expect.objectContaining({ msg: 'column encrypted', column: 'credentials.vc' }))
    expect(said.at(-1)).toMatchObject({ msg: 'all stored values are encrypted' })
    expect(lines.join('')).not.toContain(MARKER)
    // The process without maintenance follows within a second.
    await operations.close()
    await done(waiting)
    await expectReadable(waiting, filled)
    expect(await held(waiting)).toEqual([200, 2])
    await query(former.databaseUrl, `UPDATE wallet_credentials SET content = '{"planted":"${MARKER}"}'`)
    expect((await held(waiting))[0]).toBe(500)
    expect((await waiting.request('GET', '/health/readiness')).json.details.encryption).toEqual({ status: 'degraded' })
  })

  it('is encrypted by several processes at once, each row once', async () => {
    await using former = await startService()
    const filled = await fill(former)
    const ids = await copyCredentials(former.databaseUrl, 200)
    const env = { KEY_ENCRYPTION_KEY: newKek() }
    await using first = await beside(former, env, NO_MAINTENANCE)
    await using second = await beside(former, env, NO_MAINTENANCE)
    await Promise.all([encryptAll(first), encryptAll(second), encryptAll(first), encryptAll(second)])
    expect((await protection(former.databaseUrl)).clear).toBe(0)
    const authorization = await second.bearer('alice')
    for (const id of ids) {
      expect((await second.request('GET', `/api/v1/credentials/${id}`, { authorization })).text).toContain(MARKER)
    }
    await expectReadable(first, filled)
    const keys = await query(former.databaseUrl, 'SELECT count(*)::int AS rows FROM content_keys')
    const claims = await query(
      former.databaseUrl,
      `SELECT ((SELECT count(vc) FROM credentials) + (SELECT count(credential_subject) FROM offerings)
         + (SELECT count(result) FROM verification_sessions))::int AS rows`,
    )
    expect(keys).toEqual(claims)
  })

  it('leaves a row alone that changes during a batch, and visits the row again', async () => {
    await using former = await startService()
    const { credential } = await fill(former)
    await using service = await beside(former, { KEY_ENCRYPTION_KEY: newKek() }, NO_MAINTENANCE)
    const { database, claims, encryption, config } = service.platform
    const [current = new Uint8Array()] = config.keyEncryptionKeys
    const walkWith = (store: WalkStore) =>
      createWalks({ store, keys: [current], claims, isEncrypted: encryption.isEncrypted }).find(
        ({ name }) => name === 'credentials.vc',
      )
    const change = (vc: string | null) =>
      query(former.databaseUrl, 'UPDATE credentials SET vc = $2 WHERE id = $1', [credential, vc])
    const changedMeanwhile = (vc: string | null): WalkStore => {
      const store = createWalkStore(database)
      const read: WalkStore['claims'] = async (...asked) => {
        const rows = await store.claims(...asked)
        await change(vc)
        return rows
      }
      return { ...store, claims: read }
    }
    const stored = async () => {
      const [row] = await query(
        former.databaseUrl,
        `SELECT vc::text, (SELECT count(*)::int FROM content_keys WHERE row_id = c.id) AS keys FROM credentials c WHERE id = $1`,
        [credential],
      )
      return row
    }
    const later = '{"later":"claims"}'
    const batch = await walkWith(changedMeanwhile(later))?.batch('', 500)
    expect(await stored()).toEqual({ vc: later, keys: 0 })
    expect((batch?.position ?? '') < credential).toBe(true)
    // Erased claims do not come back.
    await walkWith(changedMeanwhile(null))?.batch(batch?.position ?? '', 500)
    expect(await stored()).toEqual({ vc: null, keys: 0 })
    await change(later)
    await walkWith(createWalkStore(database))?.batch(batch?.position ?? '', 500)
    expect(await stored()).toEqual({ vc: expect.stringMatching(/^"[\w-]+"$/), keys: 1 })
  })

  it('waits for no other transaction: a locked row is visited again after its release', async () => {
    await using former = await startService()
    const { credential } = await fill(former)
    await using service = await beside(former, { KEY_ENCRYPTION_KEY: newKek() }, NO_MAINTENANCE)
    const holder = new pg.Client({ connectionString: former.databaseUrl })
    await holder.connect()
    await holder.query('BEGIN')
    await holder.query('SELECT 1 FROM credentials WHERE id = $1 FOR UPDATE', [credential])
    await encryptAll(service)
    expect(service.platform.encryption.isEncrypted('credentials.vc')).toBe(false)
    expect((await protection(former.databaseUrl)).clear).toBeGreaterThan(0)
    await holder.query('COMMIT')
    await holder.end()
    await encryptAll(service)
    expect((await protection(former.databaseUrl)).clear).toBe(0)
  })

  it('continues at the stored position after a restart, and then visits the column again', async () => {
    await using former = await startService()
    await fill(former)
    await copyCredentials(former.databaseUrl, 300)
    const env = { KEY_ENCRYPTION_KEY: newKek() }
    const position = async () => {
      const [row] = await query(
        former.databaseUrl,
        "SELECT position, again, seen FROM encryption_progress WHERE column_name = 'credentials.vc'",
      )
      return row
    }
    await using first = await beside(former, env, NO_MAINTENANCE)
    while ((await position())?.position === '') await encryptionOf(first).run(new Date(), 200)
    const stopped = await position()
    expect(stopped).toMatchObject({ again: false, seen: expect.any(Number) })
    await using second = await beside(former, env, NO_MAINTENANCE)
    expect(await position()).toEqual({ ...stopped, again: true })
    await encryptAll(second)
    expect(await position()).toMatchObject({ position: null, again: false })
    expect((await protection(former.databaseUrl)).clear).toBe(0)
  })
})

describe('a database that the version before filled', () => {
  it('is read, encrypted, and loses nothing', async () => {
    const env = { KEY_ENCRYPTION_KEY: newKek() }
    await using former = await startService({ env, ...NO_MAINTENANCE })
    const filled = await fill(former)
    // The version before had secrets encrypted, claims in the clear, and no record.
    const place = { column: 'secrets.value', id: 'root' } as const
    const [root] = await query(former.databaseUrl, "SELECT value FROM secrets WHERE name = 'root'")
    const [secret = ''] = (await former.platform.vault.reveal(place, root?.value)).split(' ')
    const claims = [
      ['credentials', 'vc', filled.credential],
      ['offerings', 'credential_subject', filled.offering],
      ['verification_sessions', 'result', filled.asked.verificationSessionId],
    ] as const
    for (const [table, column, id] of claims) {
      const [row] = await query(
        former.databaseUrl,
        `SELECT t.${column} AS stored, k.wrapped FROM ${table} t JOIN content_keys k ON k.row_id = t.id WHERE t.id = $1`,
        [id],
      )
      const clear = former.platform.claims.reveal(
        { column: `${table}.${column}` as never, id },
        row?.stored,
        row?.wrapped,
      )
      await query(former.databaseUrl, `UPDATE ${table} SET ${column} = $2 WHERE id = $1`, [id, JSON.stringify(clear)])
    }
    await query(former.databaseUrl, 'UPDATE secrets SET value = $1', [
      await former.platform.vault.protect(place, secret),
    ])
    for (const table of ['content_keys', 'encryption_progress']) await query(former.databaseUrl, `DELETE FROM ${table}`)
    await query(
      former.databaseUrl,
      "DELETE FROM credentials WHERE vc::text LIKE '\"%' AND NOT EXISTS (SELECT 1 FROM credential_instances i WHERE i.credential_id = credentials.id)",
    )
    await query(former.databaseUrl, "UPDATE credentials SET vc = NULL WHERE vc::text LIKE '\"%'")
    const ids = await copyCredentials(former.databaseUrl, 100)

    await using service = await beside(former, env, NO_MAINTENANCE)
    await expectReadable(service, filled)
    await issueAndRead(service, filled)
    await encryptAll(service)
    expect((await protection(former.databaseUrl)).clear).toBe(0)
    await expectReadable(service, filled)
    const authorization = await service.bearer('alice')
    const answers = await Promise.all(
      ids.map((id) => service.request('GET', `/api/v1/credentials/${id}`, { authorization })),
    )
    expect(answers.filter(({ text }) => text.includes(MARKER)).length).toBeGreaterThan(100)
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]))
  })
})

describe('a changed key-encryption key', () => {
  it('wraps content keys again while the service issues and verifies; the claims stay as they are', async () => {
    const former = newKek()
    await using before = await startService({ env: { KEY_ENCRYPTION_KEY: former } })
    const filled = await fill(before)
    for (let count = 0; count < 20; count += 1) await issueAndRead(before, filled)
    const stored = () => query(before.databaseUrl, 'SELECT id, vc::text FROM credentials ORDER BY id LIMIT 10')
    const claims = await stored()
    const both = { KEY_ENCRYPTION_KEY: newKek(), KEY_ENCRYPTION_KEY_PREVIOUS: former }
    await using between = await beside(before, both, { maintenanceEveryMs: 20 })
    while (between.platform.encryption.pending().length > 0) {
      await issueAndRead(between, filled)
      await verify(between)
      await expectReadable(between, filled)
    }
    expect(await protection(before.databaseUrl)).toEqual({ clear: 0, keys: expect.objectContaining({ size: 1 }) })
    const changed = new Map(claims.map(({ id, vc }) => [id, vc]))
    for (const { id, vc } of await stored()) if (changed.has(id)) expect(vc).toBe(changed.get(id))
    await using alone = await beside(before, { KEY_ENCRYPTION_KEY: both.KEY_ENCRYPTION_KEY })
    await expectReadable(alone, filled)
    await issueAndRead(alone, filled)
  })

  it('finds what a process under the former key wrote behind the position: each start visits every column again', async () => {
    const former = newKek()
    await using before = await startService({ env: { KEY_ENCRYPTION_KEY: former }, ...NO_MAINTENANCE })
    const filled = await fill(before)
    const both = { KEY_ENCRYPTION_KEY: newKek(), KEY_ENCRYPTION_KEY_PREVIOUS: former }
    await using first = await beside(before, both, NO_MAINTENANCE)
    await encryptAll(first)
    expect((await protection(before.databaseUrl)).keys.size).toBe(1)
    await issueAndRead(before, filled)
    expect((await protection(before.databaseUrl)).keys.size).toBe(2)
    await using second = await beside(before, both, NO_MAINTENANCE)
    await encryptAll(second)
    expect((await protection(before.databaseUrl)).keys.size).toBe(1)
  })

  it('needs the former key until the job is done: a start without it ends by name, and writes nothing', async () => {
    const former = newKek()
    await using before = await startService({ env: { KEY_ENCRYPTION_KEY: former }, ...NO_MAINTENANCE })
    const filled = await fill(before)
    const KEY_ENCRYPTION_KEY = newKek()
    await using between = await beside(
      before,
      { KEY_ENCRYPTION_KEY, KEY_ENCRYPTION_KEY_PREVIOUS: former },
      NO_MAINTENANCE,
    )
    const task = encryptionOf(between)
    while (between.platform.encryption.pending()[0]?.column !== 'content_keys.wrapped') await task.run(new Date(), 200)
    const progress = () => query(before.databaseUrl, 'SELECT * FROM encryption_progress ORDER BY 1')
    const stopped = await progress()
    await expect(beside(before, { KEY_ENCRYPTION_KEY }, NO_MAINTENANCE)).rejects.toThrow(
      /^Values of content_keys\.wrapped are still encrypted under the key \S+, and neither KEY_ENCRYPTION_KEY nor/,
    )
    expect(await progress()).toEqual(stopped)
    await encryptAll(between)
    await using alone = await beside(before, { KEY_ENCRYPTION_KEY }, NO_MAINTENANCE)
    await expectReadable(alone, filled)
  })

  it('that is lost leaves everything else working after the operator gave it up; a key that is found again opens all', async () => {
    const former = newKek()
    await using before = await startService({ env: { KEY_ENCRYPTION_KEY: former }, ...NO_MAINTENANCE })
    const filled = await fill(before)
    const KEY_ENCRYPTION_KEY = newKek()
    const both = { KEY_ENCRYPTION_KEY, KEY_ENCRYPTION_KEY_PREVIOUS: former }
    await using between = await beside(before, both, NO_MAINTENANCE)
    const task = encryptionOf(between)
    while (between.platform.encryption.pending()[0]?.column !== 'content_keys.wrapped') await task.run(new Date(), 200)
    await query(before.databaseUrl, "UPDATE encryption_progress SET former_key_ids = '{}'")
    await using alone = await beside(before, { KEY_ENCRYPTION_KEY }, NO_MAINTENANCE)
    await encryptAll(alone)
    expect((await readClaims(alone, filled)).map(({ status }) => status)).toEqual([500, 500, 500])
    await issueAndRead(alone, filled)
    const revoked = await alone.request('POST', `/api/v1/credentials/${filled.credential}/revoke`, { client: true })
    expect(revoked.status).toBe(200)
    await using again = await beside(before, both, NO_MAINTENANCE)
    await encryptAll(again)
    await expectReadable(again, filled)
    expect((await protection(before.databaseUrl)).keys.size).toBe(1)
  })

  it('may change again after the job is done, and not before', async () => {
    const [one, two, three] = [newKek(), newKek(), newKek()]
    await using first = await startService({ env: { KEY_ENCRYPTION_KEY: one }, ...NO_MAINTENANCE })
    const filled = await fill(first)
    await using second = await beside(
      first,
      { KEY_ENCRYPTION_KEY: two, KEY_ENCRYPTION_KEY_PREVIOUS: one },
      NO_MAINTENANCE,
    )
    const task = encryptionOf(second)
    while (second.platform.encryption.pending()[0]?.column !== 'content_keys.wrapped') await task.run(new Date(), 200)
    const next = { KEY_ENCRYPTION_KEY: three, KEY_ENCRYPTION_KEY_PREVIOUS: two }
    await expect(beside(first, next, NO_MAINTENANCE)).rejects.toThrow('are still encrypted under the key')
    await encryptAll(second)
    await using last = await beside(first, next, NO_MAINTENANCE)
    await encryptAll(last)
    await expectReadable(last, filled)
    expect((await protection(first.databaseUrl)).keys.size).toBe(1)
  })
})

describe('an attack by a person who can write to the database', () => {
  const start = async () => {
    const env = { KEY_ENCRYPTION_KEY: newKek(), NODE_ENV: 'production' }
    const lines: string[] = []
    const log = createLog('error', { write: (line) => lines.push(line) })
    const service = await startService({ env, log, ...NO_MAINTENANCE })
    const filled = await fill(service)
    const refused = async (expected: string, at: TestService = service) => {
      const answers = await readClaims(at, filled)
      const bad = answers.filter(({ status }) => status === 500)
      expect(bad.length).toBeGreaterThan(0)
      for (const { json, text } of bad) {
        expect([json.message, text.includes(expected), text.includes(MARKER)]).toEqual([
          'Internal server error',
          false,
          false,
        ])
      }
      expect((await at.request('GET', '/health/readiness')).json.details.encryption).toEqual({ status: 'degraded' })
      expect(lines.join('')).toContain(expected)
      expect(lines.join('')).not.toContain(MARKER)
    }
    const sql = (text: string, ...values: unknown[]) => query(service.databaseUrl, text, values)
    return {
      env,
      service,
      filled,
      refused,
      sql,
      log,
      [Symbol.asyncDispose]: () => service.close(),
    }
  }

  const CLEAR = 'is not encrypted for its row.'
  const ALTERED = 'was altered, or belongs to another row or database'

  it('claims in the clear are refused, also after the progress was set back and the service was restarted', async () => {
    await using attacked = await start()
    const { service, filled, refused, sql, env, log } = attacked
    const planted = JSON.stringify({ product: MARKER })
    await sql('UPDATE offerings SET credential_subject = $2::json WHERE id = $1', filled.offering, planted)
    await refused(`A value of offerings.credential_subject ${CLEAR}`)
    await sql("UPDATE encryption_progress SET position = ''")
    await using second = await beside(service, env, { log, ...NO_MAINTENANCE })
    await encryptAll(second)
    await refused(`A value of offerings.credential_subject ${CLEAR}`, second)
    await sql('DELETE FROM encryption_progress')
    await using third = await beside(service, env, { log, ...NO_MAINTENANCE })
    await encryptAll(third)
    await refused(`A value of offerings.credential_subject ${CLEAR}`, third)
    const [row] = await sql('SELECT credential_subject FROM offerings WHERE id = $1', filled.offering)
    expect(row?.credential_subject).toEqual(JSON.parse(planted))
  })

  it('claims in the clear are refused after the root secret was deleted: the new one names every column', async () => {
    await using attacked = await start()
    const { service, filled, refused, sql, env, log } = attacked
    await sql("DELETE FROM secrets WHERE name = 'root'")
    await sql(
      'UPDATE offerings SET credential_subject = $2::json WHERE id = $1',
      filled.offering,
      `{"product":"${MARKER}"}`,
    )
    await using restarted = await beside(service, env, { log, ...NO_MAINTENANCE })
    await encryptAll(restarted)
    await refused(`A value of offerings.credential_subject ${CLEAR}`, restarted)
  })

  it('a key of the installation in the clear is refused and never encrypted, also before the job is done', async () => {
    await using former = await startService()
    const filled = await fill(former)
    const env = { KEY_ENCRYPTION_KEY: newKek(), NODE_ENV: 'production' }
    await using service = await beside(former, env, NO_MAINTENANCE)
    const clear = () =>
      query<{ id: string; own: boolean }>(
        former.databaseUrl,
        `SELECT k.id, NOT EXISTS (SELECT 1 FROM dids d WHERE d.key_set_id = k.key_set_id AND d.holder_id IS NOT NULL) AS own
         FROM keys k WHERE private_jwk LIKE '{%'`,
      )
    // The key of the hosted wallet waits for the job.
    expect(await clear()).toEqual([{ id: expect.any(String), own: false }])
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    await query(
      former.databaseUrl,
      'UPDATE keys k SET private_jwk = $1 FROM issuers i WHERE i.key_set_id = k.key_set_id AND i.is_default',
      [JSON.stringify(privateKey.export({ format: 'jwk' }))],
    )
    const issue = async (at: TestService) => {
      const authorization = await at.bearer('alice')
      const body = { type: filled.type, credential_subject: { product: MARKER } }
      return (await at.request('POST', '/api/v1/credentials', { authorization, body })).status
    }
    expect(await issue(service)).toBe(500)
    await encryptAll(service)
    expect(await clear()).toEqual([{ id: expect.any(String), own: true }])
    expect(await issue(service)).toBe(500)
  })

  it('a root secret in the clear does not bring back claims in the clear, although every key was deleted', async () => {
    await using attacked = await start()
    const { service, sql, env } = attacked
    await sql("UPDATE secrets SET value = $1 WHERE name = 'root'", 'A'.repeat(43))
    await sql("UPDATE keys SET private_jwk = '{}'")
    await expect(beside(service, env)).rejects.toThrow('the database was altered')
  })

  it('ciphertext of another row is refused, with and without its content key', async () => {
    await using attacked = await start()
    const { service, filled, refused, sql } = attacked
    const other = await issueAndRead(service, filled)
    await sql(
      'UPDATE credentials SET vc = (SELECT vc FROM credentials WHERE id = $2) WHERE id = $1',
      filled.credential,
      other,
    )
    await refused(ALTERED)
    await sql(
      'UPDATE content_keys SET wrapped = (SELECT wrapped FROM content_keys WHERE row_id = $2) WHERE row_id = $1',
      filled.credential,
      other,
    )
    await refused(ALTERED)
  })

  it('ciphertext of another column is refused, although the row has the same id', async () => {
    await using attacked = await start()
    const { service, filled, refused, sql } = attacked
    const place = { column: 'offerings.credential_subject', id: filled.credential } as const
    const { json, wrappedKey } = service.platform.claims.protect(place, { credentialSubject: { product: MARKER } })
    await sql('UPDATE credentials SET vc = $2::json WHERE id = $1', filled.credential, json)
    await sql('UPDATE content_keys SET wrapped = $2 WHERE row_id = $1', filled.credential, wrappedKey)
    await refused(ALTERED)
  })

  it('ciphertext of another database under the same key is refused, although row and column are the same', async () => {
    await using attacked = await start()
    const { filled, refused, sql, env } = attacked
    await using elsewhere = await startService({ env, ...NO_MAINTENANCE })
    const place = { column: 'credentials.vc', id: filled.credential } as const
    const { json, wrappedKey } = elsewhere.platform.claims.protect(place, { credentialSubject: { product: MARKER } })
    await sql('UPDATE credentials SET vc = $2::json WHERE id = $1', filled.credential, json)
    await sql('UPDATE content_keys SET wrapped = $2 WHERE row_id = $1', filled.credential, wrappedKey)
    await refused(ALTERED)
  })

  it('truncated ciphertext, a truncated content key and a deleted content key are refused by name', async () => {
    await using attacked = await start()
    const { filled, refused, sql } = attacked
    const { credential, offering, asked } = filled
    await sql(`UPDATE credentials SET vc = ('"' || left(vc #>> '{}', -8) || '"')::json WHERE id = $1`, credential)
    await refused(ALTERED)
    await sql(`UPDATE credentials SET vc = '"AAAA"'::json WHERE id = $1`, credential)
    await refused('The encrypted value is too short.')
    await sql('UPDATE content_keys SET wrapped = left(wrapped, -8) WHERE row_id = $1', offering)
    await refused(ALTERED)
    await sql('DELETE FROM content_keys WHERE row_id = $1', asked.verificationSessionId)
    await refused('A value of verification_sessions.result has no content key.')
  })

  it('the job leaves refused values as they are, counts them, and finishes', async () => {
    await using attacked = await start()
    const { service, filled, sql, log } = attacked
    await sql('UPDATE content_keys SET wrapped = left(wrapped, -8) WHERE row_id = $1', filled.offering)
    const env = {
      KEY_ENCRYPTION_KEY: newKek(),
      KEY_ENCRYPTION_KEY_PREVIOUS: attacked.env.KEY_ENCRYPTION_KEY,
      NODE_ENV: 'production',
    }
    await using rotated = await beside(service, env, { log, ...NO_MAINTENANCE })
    await encryptAll(rotated)
    const [row] = await sql(
      "SELECT refused, position FROM encryption_progress WHERE column_name = 'content_keys.wrapped'",
    )
    expect(row).toEqual({ refused: 1, position: null })
    await attacked.refused(`content_keys.wrapped ${filled.offering} offerings.credential_subject`, rotated)
  })
})
