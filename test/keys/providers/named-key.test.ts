import { generateKeyPairSync } from 'node:crypto'
import { describe, expect, onTestFinished, test } from 'vitest'
import { pemOf } from '../../agent/authority.js'
import { HTTPS, leafOf, root } from '../../agent/certified.js'
import { createTestDatabase, query } from '../../support/postgres.js'
import { startService } from '../../support/service.js'
import { remotePlace } from './places.js'
import { SUBJECTS, testFile } from './subjects.js'

const begin = async () => {
  const place = await remotePlace(SUBJECTS['vault-transit'])
  const database = await createTestDatabase()
  onTestFinished(() => database.drop())
  return { place, env: { ...HTTPS, ...place.env }, databaseUrl: database.url }
}

type KeyPair = NonNullable<NonNullable<Parameters<typeof leafOf>[0]>['keyPair']>

/** A file for ISSUER_X509 or VERIFIER_X509. @param key its first lines, which name or hold the key */
const fileOf = (keyPair: KeyPair, key: string) => testFile(`${key}\n${pemOf(leafOf({ issuer: root, keyPair }))}`)

const namedBy = ({ publicKey, reference }: Awaited<ReturnType<typeof remotePlace>>, provider = 'hsm') =>
  fileOf({ publicKey, privateKey: root.privateKey }, `key: ${provider}:${reference}`)

/** The keys of the default issuer or verifier, and whether the database has their private parts. */
const keysOf = (databaseUrl: string, table: 'issuers' | 'verifiers') =>
  query(
    databaseUrl,
    `SELECT k.provider, k.private_jwk IS NULL AS away, k.x5c IS NOT NULL AS certified, k.retired_at IS NULL AS signs
     FROM ${table} r JOIN keys k ON k.key_set_id = r.key_set_id WHERE r.is_default`,
  )

const ONLY_THERE = [{ provider: 'hsm', away: true, certified: true, signs: true }]

describe('a file of a certificate that names a key of a provider', () => {
  test.each([
    ['issuer', 'ISSUER_X509', 'issuers'],
    ['verifier', 'VERIFIER_X509', 'verifiers'],
  ] as const)(
    'is the first key of the default %s: the database never has another one',
    async (_kind, variable, table) => {
      const { place, env, databaseUrl } = await begin()
      await using service = await startService({ databaseUrl, env: { ...env, [variable]: await namedBy(place) } })
      expect(await keysOf(databaseUrl, table)).toEqual(ONLY_THERE)
      if (table === 'verifiers') return
      const { json } = await service.request('GET', '/.well-known/jwt-vc-issuer')
      const { x } = place.publicKey.export({ format: 'jwk' })
      expect(new Set(json.jwks.keys.map((key: { x: string }) => key.x))).toEqual(new Set([x]))
    },
  )

  test('ends the start by name if it names an unknown provider, and nothing is made', async () => {
    const { place, env, databaseUrl } = await begin()
    const refused = await startService({
      databaseUrl,
      env: { ...env, ISSUER_X509: await namedBy(place, 'other') },
    }).catch((error: Error) => error)
    expect(refused).toMatchObject({
      name: 'ConfigurationError',
      message:
        'Invalid environment variables:\n- ISSUER_X509 names a key that cannot be used: KEY_PROVIDERS has no provider other.',
    })
    expect(await keysOf(databaseUrl, 'issuers')).toEqual([])
  })

  test('cannot begin a verifier with the key of the issuer', async () => {
    const { place, env, databaseUrl } = await begin()
    const file = await namedBy(place)
    const unknown = await fileOf(generateKeyPairSync('ec', { namedCurve: 'P-256' }), 'key: other:key')
    const half = { ...env, ISSUER_X509: file, VERIFIER_X509: unknown }
    await expect(startService({ databaseUrl, env: half })).rejects.toThrow('KEY_PROVIDERS has no provider other.')
    expect(await keysOf(databaseUrl, 'issuers')).toEqual(ONLY_THERE)
    await expect(startService({ databaseUrl, env: { ...env, VERIFIER_X509: file } })).rejects.toThrow(
      'VERIFIER_X509 must hold a key that no other issuer or verifier uses or has used.',
    )
    expect(await keysOf(databaseUrl, 'verifiers')).toEqual([])
  })

  test('ends the start if the database has the same key: it must not sign in place of the provider', async () => {
    const { place, env, databaseUrl } = await begin()
    const keyPair = place.subject.double.chest.keys.get('issuer-1')
    if (keyPair === undefined) throw new Error('The double has made no key.')
    const pem = String(keyPair.privateKey.export({ type: 'pkcs8', format: 'pem' }))
    const first = await startService({ databaseUrl, env: { ...env, ISSUER_X509: await fileOf(keyPair, pem) } })
    await first.close()
    const before = await keysOf(databaseUrl, 'issuers')
    await expect(startService({ databaseUrl, env: { ...env, ISSUER_X509: await namedBy(place) } })).rejects.toThrow(
      'ISSUER_X509 must name a new key of hsm, because the database has this key already.',
    )
    expect(await keysOf(databaseUrl, 'issuers')).toEqual(before)
  })

  test('takes the place of the key in an earlier file', async () => {
    const { place, env, databaseUrl } = await begin()
    const keyPair = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    const pem = String(keyPair.privateKey.export({ type: 'pkcs8', format: 'pem' }))
    const first = await startService({ databaseUrl, env: { ...env, ISSUER_X509: await fileOf(keyPair, pem) } })
    await first.close()
    for (let start = 0; start < 2; start += 1) {
      await using _service = await startService({ databaseUrl, env: { ...env, ISSUER_X509: await namedBy(place) } })
      const keys = await keysOf(databaseUrl, 'issuers')
      expect(keys).toHaveLength(3)
      expect(keys.filter(({ signs }) => signs)).toEqual(ONLY_THERE)
    }
  })

  test('that is not configured any more leaves the key of the provider: no former key of the database signs', async () => {
    const { place, env, databaseUrl } = await begin()
    const start = async (more: Readonly<Record<string, string>> = {}) =>
      (await startService({ databaseUrl, env: { ...env, ...more } })).close()
    await start()
    await start({ ISSUER_X509: await namedBy(place) })
    await start()
    const keys = await keysOf(databaseUrl, 'issuers')
    expect(keys).toHaveLength(2)
    expect(keys.filter(({ signs }) => signs)).toEqual([{ provider: 'hsm', away: true, certified: false, signs: true }])
  })

  test('ends the start if its certificate is for another key, and nothing is made', async () => {
    const { place, env, databaseUrl } = await begin()
    const file = await fileOf(generateKeyPairSync('ec', { namedCurve: 'P-256' }), `key: hsm:${place.reference}`)
    await expect(startService({ databaseUrl, env: { ...env, ISSUER_X509: file } })).rejects.toThrow(
      'ISSUER_X509 must begin with a certificate of the key that it names.',
    )
    expect(await keysOf(databaseUrl, 'issuers')).toEqual([])
  })
})

test('a start ends by name if the name of a stored key leads to a different key', async () => {
  const { env, databaseUrl } = await begin()
  const own = { ...env, ISSUER_KEY_PROVIDER: 'hsm' }
  await (await startService({ databaseUrl, env: own })).close()
  const other = generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey.export({ format: 'jwk' })
  const [key] = await query<{ reference: string }>(
    databaseUrl,
    `UPDATE keys SET public_jwk = $1 WHERE provider = 'hsm' RETURNING reference`,
    [JSON.stringify(other)],
  )
  await expect(startService({ databaseUrl, env: own })).rejects.toThrow(
    `KEY_PROVIDERS (hsm): ${key?.reference} is a different key from the key that a record signs with.`,
  )
})
