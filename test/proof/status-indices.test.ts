import { inflateSync } from 'node:zlib'
import { decodeJwt } from 'jose'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { newTypeName, PURCHASE, SUBJECT } from '../issuer/purchase.js'
import { type IdentityProvider, startIdentityProvider } from '../support/identity-provider.js'
import { createTestDatabase, query, type TestDatabase } from '../support/postgres.js'
import { inParallel, scaled } from './parallel.js'
import { type ServiceProcess, startService } from './service-process.js'

const CREDENTIALS = scaled(2_000, 300)
const REVOKED = scaled(500, 75)
const AT_ONCE = 32

let database: TestDatabase
let identityProvider: IdentityProvider
let processes: ServiceProcess[]
let authorization: string

beforeAll(async () => {
  database = await createTestDatabase()
  identityProvider = await startIdentityProvider()
  authorization = `Bearer ${await identityProvider.token('alice')}`
  processes = await Promise.all([1, 2].map(() => startService(database.url, identityProvider.jwksUrl)))
}, 600_000)
afterAll(async () => {
  await Promise.all((processes ?? []).map((process) => process[Symbol.asyncDispose]()))
  await identityProvider?.close()
  await database?.drop()
})

const by = (number: number) => processes[number % 2] as ServiceProcess

interface Place {
  readonly id: string
  readonly jws: string
  readonly list: string
  readonly index: number
}

/** Reads the revoked indices from a list that a process publishes. */
async function publishedBy(process: ServiceProcess, list: string): Promise<number[]> {
  const { text } = await process.request('GET', `/token-status-lists/${list}`)
  const bytes = inflateSync(Buffer.from(decodeJwt<{ status_list: { lst: string } }>(text).status_list.lst, 'base64url'))
  const indices: number[] = []
  for (let index = 0; index < bytes.length * 8; index += 1) {
    if (((bytes[index >> 3] ?? 0) >> (index & 7)) & 1) indices.push(index)
  }
  return indices
}

it(`of ${CREDENTIALS} credentials from two processes, ${AT_ONCE} at once, no two have the same index, and none of ${REVOKED} simultaneous revocations is lost`, async () => {
  const type = newTypeName()
  await by(0).request('POST', '/schemas', { authorization, body: { name: type, version: 1, schema: PURCHASE } })
  const body = { type, credential_subject: SUBJECT }
  const places = await inParallel(CREDENTIALS, AT_ONCE, async (number): Promise<Place> => {
    const { json } = await by(number).request('POST', '/api/v1/credentials', { authorization, body })
    const [{ statusListCredential, statusListIndex }] = json.vc.credentialStatus
    return { id: json.id, jws: json.vc.proof.jws, list: statusListCredential.split('/').at(-1), index: statusListIndex }
  })
  expect(new Set(places.map(({ list, index }) => `${list} ${index}`)).size).toBe(CREDENTIALS)
  // All credentials share one list: the more credentials share a list, the less a request for the list reveals.
  expect(new Set(places.map(({ list }) => list)).size).toBe(1)

  // Every fourth credential is revoked, alternately through both processes, all at the same time.
  const revoked = places.filter((_, number) => number % Math.floor(CREDENTIALS / REVOKED) === 0).slice(0, REVOKED)
  const statuses = await inParallel(REVOKED, REVOKED, async (number) => {
    const path = `/api/v1/credentials/${revoked[number]?.id}/revoke`
    return (await by(number).request('POST', path)).status
  })
  expect(new Set(statuses)).toEqual(new Set([200]))
  for (const list of new Set(places.map((place) => place.list))) {
    const expected = revoked.filter((place) => place.list === list).map(({ index }) => index)
    for (const process of processes) {
      expect(await publishedBy(process, list)).toEqual(expected.sort((left, right) => left - right))
    }
  }
  const [counts] = await query(
    database.url,
    `SELECT (SELECT count(*)::int FROM credentials WHERE revoked_at IS NOT NULL) AS credentials,
       (SELECT count(*)::int FROM credential_instances WHERE revoked_at IS NOT NULL) AS instances,
       (SELECT count(*)::int FROM audit_events WHERE action = 'credential.revoked') AS audited`,
  )
  expect(counts).toEqual({ credentials: REVOKED, instances: REVOKED, audited: REVOKED })

  const verdicts = await inParallel(60, AT_ONCE, async (number) => {
    const place = places[number]
    const { json } = await by(number + 1).request('POST', '/credentials/verify', {
      authorization,
      body: { credential: place?.jws },
    })
    return json.isValid === !revoked.some(({ id }) => id === place?.id)
  })
  expect(new Set(verdicts)).toEqual(new Set([true]))
}, 600_000)
