import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { CLAIMS_COLUMNS, PROTECTED_COLUMNS } from '../../server/keys/at-rest/columns.js'
import { tour } from '../http/tour.js'
import { walletClients } from '../http/wallet-clients.js'
import { movingClock } from '../issuer/openid4vci/actors.js'
import { runTask } from '../support/maintenance.js'
import { query } from '../support/postgres.js'
import { startService, type TestService } from '../support/service.js'
import { LOOPBACK } from '../support/wallet.js'
import { columnsWith, foundIn } from './stolen.js'

/** Claims of the person whom the tour of all operations issues credentials to. */
const CLAIMS = ['Espresso machine']
const YEAR = 366 * 86_400

const clock = movingClock()
let service: TestService

beforeAll(async () => {
  service = await startService({
    clock: clock.now,
    maintenance: false,
    env: {
      ...LOOPBACK,
      WALLET_CLIENTS: walletClients(),
      KEY_ENCRYPTION_KEY: randomBytes(32).toString('base64url'),
      RETENTION_CLAIMS_DAYS: '1',
    },
  })
  await tour(service)
})
afterAll(() => service.close())

const rows = <Row extends object>(sql: string, ...values: unknown[]) => query<Row>(service.databaseUrl, sql, values)

/** The columns in which a thief with the database and the key-encryption key reads the claims. */
async function readable(): Promise<string[]> {
  const { vault, claims } = service.platform
  const found = await columnsWith(service.databaseUrl, CLAIMS)
  for (const { name, table, column, idColumn } of CLAIMS_COLUMNS) {
    const stored = await rows<{ id: string; value: unknown; key: string | null }>(
      `SELECT t."${idColumn}" AS id, t."${column}" AS value, k.wrapped AS key FROM "${table}" t
       LEFT JOIN content_keys k ON k.row_id = t."${idColumn}" AND k.column_name = $1`,
      name,
    )
    const texts = stored.map(({ id, value, key }) => JSON.stringify(claims.reveal({ column: name, id }, value, key)))
    if (texts.some((text) => foundIn(text, CLAIMS).length > 0)) found.push(name)
  }
  for (const { name, table, column, idColumn } of PROTECTED_COLUMNS) {
    const stored = await rows<{ id: string; value: string }>(
      `SELECT "${idColumn}" AS id, "${column}" AS value FROM "${table}" WHERE "${column}" IS NOT NULL`,
    )
    const texts = await Promise.all(stored.map(({ id, value }) => vault.reveal({ column: name, id }, value)))
    if (texts.some((text) => foundIn(text, CLAIMS).length > 0)) found.push(name)
  }
  return found.sort()
}

const ofHolders = (columns: readonly string[]) => columns.filter((name) => name.startsWith('wallet_'))

it('after the retention, the key-encryption key opens no claims of issuer and verifier, and all else still works', async () => {
  const before = await readable()
  expect(before).toEqual(
    expect.arrayContaining(['credentials.vc', 'offerings.credential_subject', 'verification_sessions.result']),
  )
  const admin = { authorization: await service.bearer('root', { roles: ['admin'], expiresIn: 2 * YEAR }) }
  const audited = await rows<{ id: string }>(
    "SELECT DISTINCT subject_id AS id FROM audit_events WHERE action = 'credential.issued'",
  )

  clock.ahead = YEAR
  const { erasure, verificationSessions, authorizations, flows } = service.features
  // Stored answers of repeated requests end after a day.
  const answers = service.platform.tasks.filter(({ name }) => name === 'remove idempotency keys')
  expect(answers).toHaveLength(1)
  for (const task of [
    ...[erasure, verificationSessions, authorizations, flows].flatMap(({ tasks }) => tasks),
    ...answers,
  ])
    await runTask(task, clock.now())
  // No time ends the storage of an offering without an end.
  const open = await rows<{ id: string }>('SELECT id FROM offerings WHERE credential_subject IS NOT NULL')
  for (const { id } of open) {
    const answer = await service.request('POST', `/api/v1/offerings/${id}/erase`, { client: true })
    expect(answer.status, answer.text).toBe(200)
  }

  const after = await readable()
  // A retention keeps the names of a record and the reason of a batch's end, by which issuers find and explain their records.
  expect([...after].sort()).toEqual(['credentials.names', ...ofHolders(before)].sort())
  const left = await rows<{ column_name: string }>(
    "SELECT DISTINCT column_name FROM content_keys WHERE column_name NOT IN ('pages.texts', 'credentials.names', 'offerings.names', 'offer_batches.confidential')",
  )
  expect(left).toEqual([])

  const [first] = audited
  const { id } = first ?? { id: '' }
  const history = await service.request('GET', `/api/v1/credentials/${id}/history`, admin)
  expect(history.json.credential).toMatchObject({ id, claimsErasedAt: expect.any(String) })
  const list = await service.request('GET', '/api/v1/credentials?limit=100', admin)
  expect(list.json.items.length).toBeGreaterThanOrEqual(audited.length)
  expect(list.json.items.every((item: { claimsErasedAt?: string }) => item.claimsErasedAt !== undefined)).toBe(true)
  const revoked = await service.request('POST', `/api/v1/credentials/${id}/revoke`, { client: true })
  expect(revoked.status, revoked.text).toBe(200)
  const [instance] = history.json.instances
  const published = await service.request('GET', `/token-status-lists/${instance.statusListId}`)
  expect(published.status).toBe(200)
  const offerings = await service.request('GET', '/api/v1/offerings', { client: true })
  expect(offerings.status, offerings.text).toBe(200)
  expect(offerings.json.length).toBeGreaterThan(0)
})
