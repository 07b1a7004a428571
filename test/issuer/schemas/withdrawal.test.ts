import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { query } from '../../support/postgres.js'
import { type Answer, startService, type TestService } from '../../support/service.js'
import { newWallet } from '../../support/wallet-actor.js'
import { type MovingClock, movingClock, PRE_AUTHORIZED } from '../openid4vci/actors.js'
import { PURCHASE, postOffering, postSchema, SUBJECT } from '../purchase.js'

let service: TestService
let clock: MovingClock
let alice: string
let mallory: string
let admin: string

beforeAll(async () => {
  clock = movingClock()
  service = await startService({ clock: clock.now })
  const expiresIn = 100 * 86_400
  alice = await service.bearer('alice', { expiresIn })
  mallory = await service.bearer('mallory', { expiresIn })
  admin = await service.bearer('root', { roles: ['admin'], expiresIn })
})
afterAll(() => service.close())

const withdraw = (id: string, authorization = alice) => service.request('DELETE', `/schemas/${id}`, { authorization })
const read = (id: string, query = '') => service.request('GET', `/schemas/${id}${query}`, { authorization: alice })
const user = (method: string, path: string, body?: unknown) =>
  service.request(method, path, { authorization: alice, ...(body === undefined ? {} : { body }) })

const refusal = ({ status, json }: Answer) => [status, json.message]

async function configurations(): Promise<string[]> {
  const { json } = await service.request('GET', '/.well-known/openid-credential-issuer')
  return Object.keys(json.credential_configurations_supported)
}

/** A wallet takes an offering, as SD-JWT VC. */
async function take(offeringId: string, name: string): Promise<Answer> {
  const offer = await service.request('GET', `/openid4vci/offers/${offeringId}`)
  const token = await service.request('POST', '/openid4vci/token', {
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams({ grant_type: PRE_AUTHORIZED, ...offer.json.grants[PRE_AUTHORIZED] }).toString(),
  })
  const { c_nonce: nonce } = (await service.request('POST', '/openid4vci/nonce')).json
  const wallet = await newWallet()
  const iat = Math.floor(clock.now().getTime() / 1000)
  return service.request('POST', '/openid4vci/credential', {
    authorization: `Bearer ${token.json.access_token}`,
    body: {
      credential_configuration_id: `${name}-sd-jwt`,
      proofs: { jwt: [await wallet.proof(service.url, nonce, { payload: { iat } })] },
    },
  })
}

describe('DELETE /schemas/{id}', () => {
  it('answers 204, also repeatedly; the version is 410 unless includeInactive=true', async () => {
    const schema = await postSchema(service, alice)
    for (const _ of [1, 2]) {
      const answer = await withdraw(schema.id)
      expect([answer.status, answer.text]).toEqual([204, ''])
    }
    const gone = await read(schema.id)
    expect([...refusal(gone), gone.json.error]).toEqual([410, 'Schema version is withdrawn.', 'Gone'])
    expect((await read(schema.id, '?includeInactive=true')).json).toEqual({ ...schema, active: false, withdrawn: true })
    expect((await user('GET', `/schemas/${schema.name}/versions`)).json).toMatchObject([{ withdrawn: true }])
  })

  it('is for the owner and admins: 403 for other callers, 404 for an unknown version', async () => {
    const schema = await postSchema(service, alice)
    expect(refusal(await withdraw(schema.id, mallory))).toEqual([403, 'Schema belongs to another caller.'])
    expect((await read(schema.id)).status).toBe(200)
    expect((await withdraw(schema.id, admin)).status).toBe(204)
    expect(refusal(await withdraw('unknown'))).toEqual([404, 'Schema not found.'])
  })

  it('makes the highest other version active, so that even version 1000000000 can be replaced', async () => {
    const first = await postSchema(service, alice)
    const { name } = first
    await postSchema(service, alice, { name, version: 2 })
    const last = await postSchema(service, alice, { name, version: 1_000_000_000, schema: { not: {} } })
    const issue = () => user('POST', '/api/v1/credentials', { type: name, credential_subject: SUBJECT })
    expect((await issue()).status).toBe(400)
    await withdraw(last.id)
    const { json } = await issue()
    const versions = (await user('GET', `/schemas/${name}/versions`)).json
    expect(versions.map(({ version, active }: { version: number; active: boolean }) => [version, active])).toEqual([
      [1_000_000_000, false],
      [2, true],
      [1, false],
    ])
    expect(json.vc.credentialSchema.id).toBe(versions[1].schemaUri)
    expect(refusal(await read(first.id))).toEqual([410, 'Schema version is superseded.'])
    expect((await postSchema(service, alice, { name, version: 3 })).active).toBe(true)
    const taken = await user('POST', '/schemas', { name, version: 1_000_000_000, schema: PURCHASE })
    expect(taken.status).toBe(409)
  })
})

describe('a withdrawn type', () => {
  it('can no longer be offered, issued or signed', async () => {
    const { id, name } = await postSchema(service, alice)
    await withdraw(id)
    const subject = { credential_subject: SUBJECT }
    const offering = { client: true, body: { credential_type: name, ...subject } }
    for (const answer of [
      await service.request('POST', '/api/v1/offerings', offering),
      await user('POST', '/api/v1/credentials', { type: name, ...subject }),
      await user('POST', '/credentials/sign', { type: name, ...subject, format: 'dc+sd-jwt' }),
    ]) {
      expect(refusal(answer)).toEqual([404, 'Schema not found.'])
    }
    const offered = await user('POST', '/credential-offers', {
      credentialConfigurationIds: [name],
      credentialSubject: SUBJECT,
    })
    expect(refusal(offered)).toEqual([
      400,
      [`credentialConfigurationIds names ${name}, which is not a credential configuration`],
    ])
    expect(await configurations()).not.toContain(name)
  })

  it('issued credentials verify; schema and type metadata stay at their addresses', async () => {
    const { id, name, schemaUri } = await postSchema(service, alice, { selectivelyDisclosable: ['price'] })
    const issued = await user('POST', '/api/v1/credentials', { type: name, credential_subject: SUBJECT })
    const metadata = (await service.request('GET', `/vct/${name}`)).json
    await withdraw(id)
    const { json } = await user('POST', '/credentials/verify', { credential: issued.json.vc.proof.jws })
    expect(json.isValid).toBe(true)
    expect((await user('GET', `/api/v1/credentials/${issued.json.id}`)).status).toBe(200)
    const body = await service.request('GET', new URL(schemaUri).pathname)
    expect([body.status, body.json]).toEqual([200, PURCHASE])
    const after = await service.request('GET', `/vct/${name}`)
    expect([after.status, after.json]).toEqual([200, metadata])
  })

  it('current offerings continue: wallets find the type in the metadata until the last offering expires', async () => {
    const { id, name } = await postSchema(service, alice)
    const hour = new Date(clock.now().getTime() + 3_600_000).toISOString()
    const day = new Date(clock.now().getTime() + 86_400_000).toISOString()
    const open = await postOffering(service, { credential_type: name, redemption_limit: 5, expires_at: hour })
    const used = await postOffering(service, { credential_type: name, redemption_limit: 1, expires_at: day })
    expect((await user('POST', `/api/v1/offerings/${used.id}/claim`)).status).toBe(200)
    await withdraw(id)
    expect(await configurations()).toEqual(expect.arrayContaining([name, `${name}-sd-jwt`]))
    expect((await user('GET', `/api/v1/offerings/${open.id}`)).status).toBe(200)
    expect((await user('POST', `/api/v1/offerings/${open.id}/claim`)).status).toBe(200)
    const taken = await take(open.id, name)
    expect(taken.status, taken.text).toBe(200)
    clock.ahead += 3_601
    expect(await configurations()).not.toContain(name)
    clock.ahead = 0
  })

  it('an offering without expiry keeps it in the metadata', async () => {
    const { id, name } = await postSchema(service, alice)
    const { id: offeringId } = await postOffering(service, { credential_type: name })
    await withdraw(id)
    clock.ahead += 50 * 86_400
    expect(await configurations()).toContain(name)
    expect((await take(offeringId, name)).status).toBe(200)
    clock.ahead = 0
    expect(
      await query(service.databaseUrl, "SELECT offered_until = 'infinity' AS open FROM schemas WHERE id = $1", [id]),
    ).toEqual([{ open: true }])
  })

  it('an offering keeps its version if this version is withdrawn and another becomes active', async () => {
    const first = await postSchema(service, alice)
    const second = await postSchema(service, alice, { name: first.name, version: 2 })
    const offering = await postOffering(service, { credential_type: first.name })
    await withdraw(second.id)
    const { json } = await user('POST', `/api/v1/offerings/${offering.id}/claim`)
    expect(json.vc.credentialSchema.id).toBe(second.schemaUri)
  })
})
