import { expect, it } from 'vitest'
import { postSchema } from '../issuer/purchase.js'
import { encryptionOf, newKek, protection } from '../keys/filled.js'
import { query } from '../support/postgres.js'
import { startService, type TestService } from '../support/service.js'

it('a stored answer can be repeated during and after a change of the key-encryption key', async () => {
  const former = newKek()
  await using before = await startService({ env: { KEY_ENCRYPTION_KEY: former }, maintenance: false })
  const authorization = await before.bearer('alice')
  const { name: type } = await postSchema(before, authorization)
  const post = (service: TestService) =>
    service.request('POST', '/api/v1/credentials', {
      authorization,
      body: { type, credential_subject: { product: 'Espresso machine' } },
      headers: { 'idempotency-key': '"rotated"' },
    })
  const first = await post(before)
  expect(first.status, first.text).toBe(201)
  const beside = (env: Readonly<Record<string, string>>) =>
    startService({
      databaseUrl: before.databaseUrl,
      identityProvider: before.identityProvider,
      maintenance: false,
      env: { ISSUER_BASE_URL: before.url, VERIFIER_BASE_URL: before.url, ...env },
    })
  const current = newKek()
  {
    await using both = await beside({ KEY_ENCRYPTION_KEY: current, KEY_ENCRYPTION_KEY_PREVIOUS: former })
    expect((await post(both)).text).toBe(first.text)
    const task = encryptionOf(both)
    while ((await task.run(new Date(), 500)).more);
    expect((await protection(before.databaseUrl)).keys.size).toBe(1)
  }
  await using alone = await beside({ KEY_ENCRYPTION_KEY: current })
  const again = await post(alone)
  expect([again.text, again.headers.get('idempotency-replayed')]).toEqual([first.text, 'true'])

  // A person who can write to the database cannot make the service send another answer.
  await query(before.databaseUrl, `UPDATE idempotency_keys SET answer = '{"output":{"json":{}},"headers":[]}'`)
  expect((await post(alone)).status).toBe(500)
})
