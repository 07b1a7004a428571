import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startService, type TestService } from '../support/service.js'
import { recordStatements, type StatementRecord } from '../support/statements.js'
import { postOffering, postSchema, SUBJECT } from './purchase.js'

let statements: StatementRecord
let service: TestService
let secure: TestService
let authorization: string
let type: string

beforeAll(async () => {
  // There is no maintenance job, because its statements would be counted.
  service = await startService({ maintenance: false })
  const https = 'https://credence.example'
  secure = await startService({
    maintenance: false,
    identityProvider: service.identityProvider,
    env: { ISSUER_BASE_URL: https, VERIFIER_BASE_URL: https },
  })
  authorization = await service.bearer('alice', { roles: ['admin'] })
  type = (await postSchema(service, authorization)).name
  statements = recordStatements()
})
afterAll(async () => {
  statements.stop()
  await service.close()
  await secure.close()
})

/**
 * Returns the number of statements of a request. The keys are already imported, and the connections are already open.
 */
async function statementsOf(act: () => Promise<{ status: number }>): Promise<number> {
  for (let warm = 0; warm < 3; warm += 1) expect((await act()).status).toBeLessThan(300)
  const counts: number[] = []
  for (let count = 0; count < 3; count += 1) {
    statements.clear()
    await act()
    counts.push(statements.sent().length)
  }
  // At most one of three successive requests reserves the next block of status indices.
  return Math.min(...counts)
}

const user = (by: TestService, method: string, path: string, body?: unknown) =>
  by.request(method, path, { authorization, ...(body === undefined ? {} : { body }) })

describe('statements of a request', () => {
  it('POST /api/v1/credentials: two, for the context and for the record', async () => {
    const body = { type, credential_subject: SUBJECT }
    expect(await statementsOf(() => user(service, 'POST', '/api/v1/credentials', body))).toBe(2)
  })

  it('reserving status indices: one for 32 credentials', async () => {
    statements.clear()
    const body = { type, credential_subject: SUBJECT }
    for (let count = 0; count < 32; count += 1) await user(service, 'POST', '/api/v1/credentials', body)
    expect(statements.sent().filter((text) => text.includes('reserve_status_indices'))).toHaveLength(1)
  })

  it('POST …/claim: two', async () => {
    const { id } = await postOffering(service, { credential_type: type, redemption_limit: 100 })
    expect(await statementsOf(() => user(service, 'POST', `/api/v1/offerings/${id}/claim`))).toBe(2)
  })

  it('POST /credentials/sign: two', async () => {
    const body = { type, credential_subject: SUBJECT, format: 'dc+sd-jwt' }
    expect(await statementsOf(() => user(service, 'POST', '/credentials/sign', body))).toBe(2)
  })

  it('POST /credentials/verify: one for the status with a did:jwk, one more for the document of a did:web of this service', async () => {
    const verifyOn = async (by: TestService, name: string) => {
      const created = await user(by, 'POST', '/api/v1/credentials', { type: name, credential_subject: SUBJECT })
      const credential = created.json.vc.proof.jws
      const { json } = await user(by, 'POST', '/credentials/verify', { credential })
      expect(json.isValid).toBe(true)
      return statementsOf(() => user(by, 'POST', '/credentials/verify', { credential }))
    }
    expect(await verifyOn(service, type)).toBe(1)
    expect(await verifyOn(secure, (await postSchema(secure, authorization)).name)).toBe(2)
  })

  it('GET a credential: one; revoking it: one', async () => {
    const { json } = await user(service, 'POST', '/api/v1/credentials', { type, credential_subject: SUBJECT })
    const path = `/api/v1/credentials/${json.id}`
    expect(await statementsOf(() => user(service, 'GET', path))).toBe(1)
    expect(await statementsOf(() => service.request('POST', `${path}/revoke`, { client: true }))).toBe(1)
  })

  it('offerings: two to make, one to read, one to list for a stranger, two to list with redemptions', async () => {
    const body = { credential_type: type, credential_subject: SUBJECT }
    expect(await statementsOf(() => service.request('POST', '/api/v1/offerings', { client: true, body }))).toBe(2)
    const { id } = await postOffering(service, body)
    expect(await statementsOf(() => service.request('GET', `/api/v1/offerings/${id}`))).toBe(1)
    expect(await statementsOf(() => service.request('GET', '/api/v1/offerings'))).toBe(1)
    expect(await statementsOf(() => service.request('GET', '/api/v1/offerings', { client: true }))).toBe(2)
  })

  it('a published status list, a hosted DID document: one each', async () => {
    const { json } = await user(service, 'POST', '/api/v1/credentials', { type, credential_subject: SUBJECT })
    const [{ statusListCredential }] = json.vc.credentialStatus
    expect(await statementsOf(() => service.request('GET', new URL(statusListCredential).pathname))).toBe(1)
    const uuid = (await secure.platform.stores.agents.defaultIssuer())?.did.split(':').at(-1)
    expect(await statementsOf(() => secure.request('GET', `/${uuid}/did.json`))).toBe(1)
  })
})
