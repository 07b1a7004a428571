import { randomBytes } from 'node:crypto'
import { expect, it, onTestFinished } from 'vitest'
import { connectDatabase } from '../../server/database/connect.js'
import { createEnvelopeStore } from '../../server/keys/envelope/store.js'
import { newEnvelopeKey, unwrap } from '../../server/keys/envelope/wrapped.js'
import { startService } from '../support/service.js'

const WRAPPING = { name: 'hsm:wrapping', provider: 'hsm', key: 'wrapping' }

/** A provider that binds a wrapped key to no place, as AES key wrap. */
const unbound = {
  wrap: async (_wrapping: unknown, key: Uint8Array) => Buffer.from(key).toString('base64url'),
  unwrap: async (_wrapping: unknown, wrapped: string) => new Uint8Array(Buffer.from(wrapped, 'base64url')),
}

const by = { key: WRAPPING, variable: 'KEY_ENCRYPTION_PROVIDER' }

it('a wrapped key of another row is refused by name, also if the provider binds it to no place', async () => {
  const [one, other] = [await newEnvelopeKey(unbound, WRAPPING), await newEnvelopeKey(unbound, WRAPPING)]
  expect(await unwrap(unbound, by, one)).toEqual(one.key)
  const refusal = `KEY_ENCRYPTION_PROVIDER (hsm:wrapping): the wrapped key-encryption key ${one.id} was altered, or belongs to another row.`
  for (const wrapped of [other.wrapped, randomBytes(16).toString('base64url'), 'A'.repeat(4_001)])
    await expect(unwrap(unbound, by, { id: one.id, wrapped })).rejects.toThrow(refusal)
})

it('a new wrapped form does not replace a form that another process has stored meanwhile', async () => {
  await using service = await startService()
  const database = connectDatabase(service.databaseUrl, { max: 1 })
  onTestFinished(() => database.close())
  const store = createEnvelopeStore(database)
  const { key: _key, ...row } = await newEnvelopeKey(unbound, WRAPPING)
  await store.add(row, 0)
  expect(await store.rewrap(row, 'hsm:other', 'first')).toBe(true)
  expect(await store.rewrap(row, 'hsm:other', 'second')).toBe(false)
  expect(await store.all()).toMatchObject([{ id: row.id, wrapping: 'hsm:other', wrapped: 'first' }])
})
