import { describe, expect, it } from 'vitest'
import { keysCommand } from '../../../server/key-rotation/command.js'
import { ensureEncryptionKey } from '../../../server/key-rotation/encryption-key.js'
import { environmentOf } from '../../keys/environment.js'
import { runTask } from '../../support/maintenance.js'
import { query } from '../../support/postgres.js'
import { startService, type TestService } from '../../support/service.js'
import { type Issuer, movingClock, refusalOf, startIssuer } from './actors.js'
import { encryptFor, requestKey, sendJwe } from './encryption-actors.js'
import { issuanceTasks } from './issuance-tasks.js'

const DAY = 86_400

const stored = ({ databaseUrl }: TestService) =>
  query<{ id: string; private_jwk: string; retired: boolean }>(
    databaseUrl,
    `SELECT id, private_jwk, retired_at IS NOT NULL AS retired FROM keys
     WHERE key_set_id = 'credential-encryption' ORDER BY created_at, id`,
  )

describe('the key for the encryption of credential requests', () => {
  it('is made once, even if several processes start together, and a later start uses it', async () => {
    const service = await startService({ env: { CREDENTIAL_ENCRYPTION: 'off' } })
    expect(await stored(service)).toEqual([])
    const { vault, newId, stores } = service.platform
    await Promise.all(Array.from({ length: 8 }, () => ensureEncryptionKey({ vault, newId, ...stores })))
    const [key, ...others] = await stored(service)
    expect(others).toEqual([])
    const audited = await query(
      service.databaseUrl,
      "SELECT 1 FROM audit_events WHERE action = 'key.created' AND subject_id = $1",
      [key?.id],
    )
    expect(audited).toHaveLength(1)
    const { databaseUrl, identityProvider } = service
    const next = await startService({ databaseUrl, identityProvider })
    expect((await requestKey(next)).kid).toBe(key?.id)
    expect(await stored(next)).toEqual([key])
    await next.close()
    await service.close()
  })

  it('is encrypted at rest, like signing keys', async () => {
    const KEY_ENCRYPTION_KEY = Buffer.alloc(32, 7).toString('base64url')
    const issuer = await startIssuer({ env: { KEY_ENCRYPTION_KEY } })
    const [key] = await stored(issuer.service)
    expect(key?.private_jwk).toMatch(/^eyJ[\w-]+(\.[\w-]*){4}$/)
    expect(await opens(issuer, await jweOf(issuer))).toBe(true)
    await issuer.service.close()
  })
})

/** A request that is refused because of its content, also if it is not encrypted. */
async function jweOf(issuer: Issuer): Promise<string> {
  return encryptFor(await requestKey(issuer.service), JSON.stringify({ credential_configuration_id: 'Unknown' }))
}

async function opens(issuer: Issuer, jwe: string): Promise<boolean> {
  const token = await issuer.token((await issuer.makeOffer()).credentialOfferSessionId)
  const [status, error, description] = refusalOf(await sendJwe(issuer.service, token, jwe))
  if (error === 'unknown_credential_configuration') return true
  expect([status, error, description]).toEqual([
    400,
    'invalid_encryption_parameters',
    'The kid of the request names no key of this issuer; its metadata have it.',
  ])
  return false
}

describe('keys:rotate', () => {
  it('makes a new key that metadata name at once; former keys decrypt requests for a day and are then removed', async () => {
    const clock = movingClock()
    const options = { clock: clock.now, maintenance: false }
    const issuer = await startIssuer(options)
    const first = await jweOf(issuer)
    expect(await opens(issuer, first)).toBe(true)
    const lines = await keysCommand([], environmentOf(issuer.service))
    expect(lines).toContain(
      'credential requests are encrypted for a new key; the former key still decrypts requests for a day',
    )
    const second = await jweOf(issuer)
    await keysCommand([], environmentOf(issuer.service))
    const third = await jweOf(issuer)
    expect(new Set([first, second, third].map((jwe) => jwe.split('.')[0])).size).toBe(3)
    expect((await stored(issuer.service)).map(({ retired }) => retired)).toEqual([true, true, false])
    const remove = issuanceTasks(issuer.service).find(
      ({ name }) => name === 'remove former keys of credential requests',
    )
    if (remove === undefined) throw new Error('There is no such task.')

    clock.ahead = DAY - 60
    await runTask(remove, clock.now())
    for (const jwe of [first, second, third]) expect(await opens(issuer, jwe)).toBe(true)

    // The first process still has the keys in memory. The second process has never loaded them.
    const { databaseUrl, identityProvider, url } = issuer.service
    clock.ahead = DAY + 60
    const other = await startService({ ...options, databaseUrl, identityProvider, env: { ISSUER_BASE_URL: url } })
    for (const at of [issuer, { ...issuer, service: other }]) {
      expect(await opens(at, first)).toBe(false)
      expect(await opens(at, second)).toBe(false)
      expect(await opens(at, third)).toBe(true)
    }
    await other.close()

    clock.ahead = DAY + 600
    await runTask(remove, clock.now())
    expect((await stored(issuer.service)).map(({ retired }) => retired)).toEqual([false])
    expect(await opens(issuer, third)).toBe(true)
    await issuer.service.close()
  })

  it('leaves one key that metadata name, even if it runs several times at once', async () => {
    const service = await startService()
    await Promise.all([1, 2, 3].map(() => keysCommand([], environmentOf(service))))
    const keys = await stored(service)
    expect(keys.filter(({ retired }) => !retired).map(({ id }) => id)).toEqual([(await requestKey(service)).kid])
    await service.close()
  })

  it('makes no key if there was none', async () => {
    const service = await startService({ env: { CREDENTIAL_ENCRYPTION: 'off' } })
    const lines = await keysCommand([], environmentOf(service))
    expect(lines.filter((line) => line.includes('encrypted'))).toEqual([])
    expect(await stored(service)).toEqual([])
    await service.close()
  })
})
