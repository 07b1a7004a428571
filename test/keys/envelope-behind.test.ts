import { expect, it, onTestFinished } from 'vitest'
import { keysCommand } from '../../server/key-rotation/command.js'
import { query } from '../support/postgres.js'
import { startService } from '../support/service.js'
import { environmentOf } from './environment.js'
import { expectReadable, fill, issueAndRead, protection } from './filled.js'
import { environmentWith, SUBJECTS } from './providers/subjects.js'

async function begin() {
  const subject = await SUBJECTS['vault-transit']()
  onTestFinished(() => subject.double.close())
  const KEY_ENCRYPTION_PROVIDER = `hsm:${subject.addWrapping('wrapping')}`
  const env = { ...(await environmentWith(subject)), KEY_ENCRYPTION_PROVIDER }
  const other = `hsm:${subject.addWrapping('other')}`
  return {
    double: subject.double,
    KEY_ENCRYPTION_PROVIDER,
    other,
    options: { env, envelopeKeysEveryMs: 100, maintenanceEveryMs: 50 },
  }
}

const keysIn = (databaseUrl: string) =>
  query<{ id: string; retired_at: Date | null }>(
    databaseUrl,
    'SELECT id, retired_at FROM envelope_keys ORDER BY active_at',
  )

const activate = (databaseUrl: string, id: string | undefined) =>
  query(databaseUrl, 'UPDATE envelope_keys SET active_at = now() WHERE id = $1', [id])

it('a process that cannot unwrap a new key is not ready, loses no value, and follows when it can', async () => {
  const { double, options } = await begin()
  await using first = await startService(options)
  const { databaseUrl, identityProvider } = first
  await using second = await startService({ ...options, databaseUrl, identityProvider })
  const before = double.got.length
  // With this call the process logs in. Its later calls have the same token.
  await second.platform.keyProviders.find('hsm', 'missing').catch(() => undefined)
  const tokenOf = ({ headers }: (typeof double.got)[number]) => String(headers['x-vault-token'] ?? '')
  const tokens = new Set(double.got.slice(before).map(tokenOf).filter(Boolean))
  expect(tokens.size).toBeGreaterThan(0)
  const filled = await fill(first)
  const [former] = await keysIn(databaseUrl)
  double.faults.api = (got) => (tokens.has(tokenOf(got)) ? { status: 503, body: {} } : undefined)
  await keysCommand(['--encryption-key'], environmentOf(first, options.env))
  const [, current] = await keysIn(databaseUrl)
  const readiness = async () => (await second.request('GET', '/health/readiness')).json.details.encryption
  const behind = { status: 'degraded', reason: 'a new key-encryption key cannot be used' }
  await expect.poll(readiness).toEqual(behind)
  // No process encrypts under the new key yet, so the process still reads everything.
  await expectReadable(second, filled)

  await activate(databaseUrl, current?.id)
  await expect.poll(async () => (await protection(databaseUrl)).keys).toEqual(new Set([current?.id]))
  await expect.poll(readiness).toEqual({ status: 'down' })
  expect((await second.request('GET', '/health/readiness')).status).toBe(503)
  await expect.poll(async () => (await keysIn(databaseUrl))[0]?.retired_at ?? null).not.toBeNull()
  const authorization = await second.bearer('alice')
  const body = { type: filled.type, credential_subject: { product: 'Late' } }
  // The root secret and the signing key are in the memory of the process, so it still issues, under the former key.
  const late = await second.request('POST', '/api/v1/credentials', { authorization, body })
  const isStored = late.status === 201
  expect((await first.request('GET', '/health/readiness')).status).toBe(200)

  double.faults.api = undefined
  const ready = async () => (await second.request('GET', '/health/readiness')).status
  await expect.poll(ready).toBe(200)
  // The values that the process could not read are still reported for a while, but no key is missing any more.
  expect(await readiness()).not.toEqual(behind)
  await expect.poll(async () => (await protection(databaseUrl)).keys).toEqual(new Set([current?.id]))
  for (const service of [first, second]) {
    await expectReadable(service, filled)
    await issueAndRead(service, filled)
    if (!isStored) continue
    const read = await service.request('GET', `/api/v1/credentials/${late.json.id}`, { authorization })
    expect([read.status, read.text.includes('Late')]).toEqual([200, true])
  }
  expect((await keysIn(databaseUrl)).map(({ id }) => id)).toEqual([former?.id, current?.id])
})

it('a former key is removed after its day only when every value was visited once more, by a running process', async () => {
  const { options } = await begin()
  await using service = await startService(options)
  const { databaseUrl, identityProvider } = service
  const filled = await fill(service)
  const [former] = await keysIn(databaseUrl)
  const contentKeys = () =>
    query<{ row_id: string; column_name: string; wrapped: string }>(databaseUrl, 'SELECT * FROM content_keys')
  const wrappedByFormer = await contentKeys()
  const rotate = () => keysCommand(['--encryption-key'], environmentOf(service, options.env))
  // Two operators at once: one of them makes a key.
  const rotations = await Promise.allSettled([rotate(), rotate()])
  expect(rotations.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
  expect(await keysIn(databaseUrl)).toHaveLength(2)
  const [, current] = await keysIn(databaseUrl)
  await activate(databaseUrl, current?.id)
  await expect.poll(async () => (await keysIn(databaseUrl))[0]?.retired_at ?? null).not.toBeNull()
  const isDone = async () =>
    (await query(databaseUrl, 'SELECT 1 FROM encryption_progress WHERE position IS NOT NULL')).length === 0
  await expect.poll(isDone).toBe(true)
  expect((await protection(databaseUrl)).keys).toEqual(new Set([current?.id]))

  // A process without the newer key wrapped these content keys, long after the second walk.
  for (const { row_id, column_name, wrapped } of wrappedByFormer) {
    await query(databaseUrl, 'UPDATE content_keys SET wrapped = $3 WHERE row_id = $1 AND column_name = $2', [
      row_id,
      column_name,
      wrapped,
    ])
  }
  expect((await protection(databaseUrl)).keys).toEqual(new Set([former?.id, current?.id]))
  await query(databaseUrl, "UPDATE envelope_keys SET retired_at = now() - interval '23 hours' WHERE id = $1", [
    former?.id,
  ])
  await using idle = await startService({ ...options, databaseUrl, identityProvider, maintenance: false })
  expect(await keysIn(databaseUrl)).toHaveLength(2)
  await query(databaseUrl, "UPDATE envelope_keys SET retired_at = now() - interval '25 hours' WHERE id = $1", [
    former?.id,
  ])
  await expect.poll(async () => (await keysIn(databaseUrl)).map(({ id }) => id)).toEqual([current?.id])
  expect((await protection(databaseUrl)).keys).toEqual(new Set([current?.id]))
  await using fresh = await startService({ ...options, databaseUrl, identityProvider })
  for (const one of [service, idle, fresh]) await expectReadable(one, filled)
})

it('a change of the wrapping key that was killed between two keys is finished by the next start', async () => {
  const { options, KEY_ENCRYPTION_PROVIDER, other } = await begin()
  await using service = await startService({ ...options, envelopeKeysEveryMs: 3_600_000 })
  const { databaseUrl, identityProvider } = service
  const filled = await fill(service)
  await keysCommand(['--encryption-key'], environmentOf(service, options.env))
  const rows = () =>
    query<{ id: string; wrapping: string; wrapped: string }>(
      databaseUrl,
      'SELECT id, wrapping, wrapped FROM envelope_keys ORDER BY active_at',
    )
  const before = await rows()
  const alone = { ...options.env, KEY_ENCRYPTION_PROVIDER: other }
  const both = { ...alone, KEY_ENCRYPTION_PROVIDER_PREVIOUS: KEY_ENCRYPTION_PROVIDER }
  const start = (env: Readonly<Record<string, string>>) =>
    startService({ env, databaseUrl, identityProvider, maintenance: false })
  for (const left of before) {
    await using wrapping = await start(both)
    await expectReadable(wrapping, filled)
    expect((await rows()).map((row) => row.wrapping)).toEqual([other, other])
    // The killed start had stored the other key alone.
    await query(databaseUrl, 'UPDATE envelope_keys SET wrapping = $2, wrapped = $3 WHERE id = $1', [
      left.id,
      left.wrapping,
      left.wrapped,
    ])
    await expect(start(alone)).rejects.toThrow(`Set KEY_ENCRYPTION_PROVIDER_PREVIOUS to ${KEY_ENCRYPTION_PROVIDER}`)
    expect((await rows()).filter(({ wrapping }) => wrapping === KEY_ENCRYPTION_PROVIDER)).toEqual([left])
  }
  await using wrapping = await start(both)
  await expectReadable(wrapping, filled)
  await using final = await start(alone)
  await expectReadable(final, filled)
})

it('a column that was visited under a former key is not done under the new key', async () => {
  const { options } = await begin()
  await using service = await startService({ ...options, maintenance: false })
  const { databaseUrl, platform } = service
  const [current] = await keysIn(databaseUrl)
  await query(databaseUrl, "UPDATE encryption_progress SET position = ''")
  const progressOf = async () =>
    (await query(databaseUrl, 'SELECT 1 FROM encryption_progress WHERE position IS NULL')).length
  await platform.encryption.complete('content_keys.wrapped', 'former')
  expect(await progressOf()).toBe(0)
  await platform.encryption.complete('content_keys.wrapped', current?.id ?? '')
  expect(await progressOf()).toBe(1)
})
