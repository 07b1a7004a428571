import { afterAll, beforeAll, expect, it } from 'vitest'
import { newTypeName, PURCHASE, SUBJECT } from '../issuer/purchase.js'
import { type IdentityProvider, startIdentityProvider } from '../support/identity-provider.js'
import { createTestDatabase, query, type TestDatabase } from '../support/postgres.js'
import { inParallel, scaled } from './parallel.js'
import { type ServiceProcess, startService } from './service-process.js'

const CLAIMS = scaled(1_000, 150)
const LIMIT = scaled(800, 120)
const AT_ONCE = 32

let database: TestDatabase
let identityProvider: IdentityProvider
let service: ServiceProcess
let authorization: string

const start = () => startService(database.url, identityProvider.jwksUrl)

beforeAll(async () => {
  database = await createTestDatabase()
  identityProvider = await startIdentityProvider()
  authorization = `Bearer ${await identityProvider.token('alice')}`
  service = await start()
}, 600_000)
afterAll(async () => {
  await service?.[Symbol.asyncDispose]()
  await identityProvider?.close()
  await database?.drop()
})

const state = async (offeringId: string) => {
  const [row] = await query(
    database.url,
    `SELECT o.redemption_count AS counted,
       (SELECT count(*)::int FROM redemptions WHERE offering_id = o.id) AS redemptions,
       (SELECT count(*)::int FROM credentials) AS credentials,
       (SELECT count(*)::int FROM credential_instances) AS instances,
       (SELECT count(*)::int FROM audit_events WHERE action = 'credential.claimed') AS audited
     FROM offerings o WHERE o.id = $1`,
    [offeringId],
  )
  return row as { counted: number } & Record<string, number>
}

const consistent = (count: number) => ({
  counted: count,
  redemptions: count,
  credentials: count,
  instances: count,
  audited: count,
})

it(`kill -9 in the middle of ${CLAIMS} claims leaves no redemption without a credential, and no credential without a redemption`, async () => {
  const type = newTypeName()
  await service.request('POST', '/schemas', { authorization, body: { name: type, version: 1, schema: PURCHASE } })
  const offering = await service.request('POST', '/api/v1/offerings', {
    body: { credential_type: type, credential_subject: SUBJECT, redemption_limit: LIMIT },
  })
  const { id } = offering.json
  const answered: string[] = []
  let killed: Promise<void> | undefined
  const claim = async () => {
    const { status, json } = await service.request('POST', `/api/v1/offerings/${id}/claim`, { authorization })
    if (status === 200) answered.push(json.id)
    if (answered.length === Math.floor(CLAIMS / 3)) killed ??= service.kill()
    return status
  }
  const first = await inParallel(CLAIMS, AT_ONCE, () => claim().catch(() => 'lost'))
  await killed
  // The process was killed after a third of the claims. So all later claims are lost, except those that were already
  // being answered.
  expect(first.filter((outcome) => outcome === 'lost').length).toBeGreaterThanOrEqual(CLAIMS - CLAIMS / 3 - AT_ONCE)
  // A claim whose answer was lost may have counted. Each claim that counted is complete in the database.
  const after = await state(id)
  expect(after).toEqual(consistent(after.counted))
  expect(after.counted).toBeGreaterThanOrEqual(answered.length)
  expect(after.counted).toBeLessThanOrEqual(answered.length + AT_ONCE)

  service = await start()
  const reads = await inParallel(answered.length, AT_ONCE, async (number) => {
    const { status, json } = await service.request('GET', `/api/v1/credentials/${answered[number]}`, { authorization })
    return status === 200 && json.vc.proof.jws.length > 0
  })
  expect(new Set(reads)).toEqual(new Set([true]))

  // Exactly the rest of the limit can still be claimed. Indices that the killed process had reserved are not used
  // again.
  const second = await inParallel(CLAIMS, AT_ONCE, claim)
  expect(second.filter((status) => status === 200)).toHaveLength(LIMIT - after.counted)
  expect(new Set(second)).toEqual(new Set([200, 409]))
  expect(await state(id)).toEqual(consistent(LIMIT))
}, 600_000)
