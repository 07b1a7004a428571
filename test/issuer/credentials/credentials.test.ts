import { randomUUID } from 'node:crypto'
import { decodeJwt, decodeProtectedHeader } from 'jose'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { query } from '../../support/postgres.js'
import { startService, type TestService } from '../../support/service.js'
import { newIssuer } from '../issuer-record.js'
import { postOffering, postSchema, SUBJECT } from '../purchase.js'

let service: TestService
let alice: string
let type: string
let issuerDid: string

beforeAll(async () => {
  service = await startService()
  alice = await service.bearer('alice')
  type = (await postSchema(service, alice)).name
  issuerDid = (await service.platform.stores.agents.defaultIssuer())?.did ?? ''
})
afterAll(() => service.close())

const create = (members: Readonly<Record<string, unknown>> = {}, authorization = alice) =>
  service.request('POST', '/api/v1/credentials', {
    authorization,
    body: { type, credential_subject: SUBJECT, ...members },
  })

const read = (id: string, authorization: string) =>
  service.request('GET', `/api/v1/credentials/${id}`, { authorization })

describe('POST /api/v1/credentials', () => {
  it('answers 201 with `id` and the W3C credential (VCDM 1.1), its proof holding the JWT', async () => {
    const before = Date.now()
    const answer = await create()
    expect(answer.status).toBe(201)
    const { id, vc } = answer.json
    const { jws } = vc.proof
    const kid = `${issuerDid}#0`
    const [list] = await query(service.databaseUrl, 'SELECT id FROM status_lists')
    const url = `${service.url}/status-lists/${list?.id}`
    const [entry] = vc.credentialStatus
    expect(answer.json).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      vc: {
        '@context': ['https://www.w3.org/2018/credentials/v1', 'https://www.w3.org/ns/credentials/status/v1'],
        id: `urn:uuid:${id}`,
        type: ['VerifiableCredential', type],
        issuer: issuerDid,
        issuanceDate: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/),
        credentialSubject: SUBJECT,
        credentialSchema: { id: expect.stringContaining('/api/v1/schemas/'), type: 'JsonSchemaValidator2018' },
        credentialStatus: [
          {
            id: `${url}#${entry.statusListIndex}`,
            type: 'BitstringStatusListEntry',
            statusPurpose: 'revocation',
            statusListIndex: expect.any(Number),
            statusListCredential: url,
          },
        ],
        proof: {
          type: 'JwtProof2020',
          created: vc.issuanceDate,
          proofPurpose: 'assertionMethod',
          verificationMethod: kid,
          jws,
        },
      },
    })
    expect(decodeProtectedHeader(jws)).toEqual({ typ: 'JWT', alg: 'ES256', kid })
    const payload = decodeJwt<{ vc: Record<string, unknown> }>(jws)
    const { proof: _, credentialStatus: __, ...members } = vc
    expect(payload).toEqual({
      iss: issuerDid,
      jti: vc.id,
      iat: payload.nbf,
      nbf: Date.parse(vc.issuanceDate) / 1000,
      // A single entry is an object, and its index is a string (Bitstring Status List v1.0 §2.1).
      vc: { ...members, credentialStatus: { ...entry, statusListIndex: String(entry.statusListIndex) } },
    })
    expect((payload.nbf ?? 0) * 1000).toBeLessThanOrEqual(Date.now())
    expect((payload.nbf ?? 0) * 1000).toBeGreaterThan(before - 1_000)
    expect((await read(id, alice)).json).toEqual(answer.json)
  })

  it('uses the `id` of the subject as the subject of the credential', async () => {
    const id = 'did:example:bought-it'
    const { json } = await create({ credential_subject: { ...SUBJECT, id } })
    expect(json.vc.credentialSubject).toEqual({ id, ...SUBJECT })
    expect(decodeJwt(json.vc.proof.jws).sub).toBe(id)
  })

  it.each([
    ['no type', { type: undefined }, ['type must be defined']],
    ['an empty type', { type: '' }, ['type must not be empty', 'type must match /^[a-zA-Z0-9_]+$/']],
    ['a type with a hyphen', { type: 'Proof-of-purchase' }, ['type must match /^[a-zA-Z0-9_]+$/']],
    ['a type that ends in a line break', { type: 'Purchase\n' }, ['type must match /^[a-zA-Z0-9_]+$/']],
    ['a type that is not a string', { type: 1 }, ['type must be a string']],
    ['no subject', { credential_subject: undefined }, ['credential_subject must be defined']],
    ['a subject that breaks the schema', { credential_subject: {} }, ['credential_subject.product must be present']],
    [
      'a claim that is not in the schema',
      { credential_subject: { ...SUBJECT, __proto__x: 1 } },
      ['credential_subject.__proto__x is not allowed'],
    ],
    [
      'a recipient, which this call does not support',
      { recipient: 'did:example:1' },
      ['property recipient should not exist'],
    ],
  ])('answers 400 for %s', async (_what, members, message) => {
    const answer = await create(members)
    expect([answer.status, answer.json.message]).toEqual([400, message])
  })

  it('answers 404 `Schema not found.` for an unknown type', async () => {
    const answer = await create({ type: 'Nobody' })
    expect([answer.status, answer.json.message]).toEqual([404, 'Schema not found.'])
  })

  it('issues with the active version; without an active version it is a 404, never a 410', async () => {
    const first = await postSchema(service, alice)
    const second = await postSchema(service, alice, { name: first.name, version: 2, schema: { type: 'object' } })
    const { json } = await create({ type: first.name, credential_subject: { anything: true } })
    expect(json.vc.credentialSchema.id).toBe(second.schemaUri)
  })

  it('needs a token, and ISSUER_ROLE if that is set: 403 `Insufficient role.`', async () => {
    const body = { type, credential_subject: SUBJECT }
    expect((await service.request('POST', '/api/v1/credentials', { body, client: true })).status).toBe(401)
    await using restricted = await startService({
      databaseUrl: service.databaseUrl,
      identityProvider: service.identityProvider,
      env: { ISSUER_ROLE: 'issuer' },
    })
    for (const path of ['/api/v1/credentials', '/credentials/sign', '/schemas']) {
      const answer = await restricted.request('POST', path, { authorization: alice, body: {} })
      expect([path, answer.status, answer.json.message]).toEqual([path, 403, 'Insufficient role.'])
    }
    const authorization = await service.bearer('ivy', { clientRoles: { credence: ['issuer'] } })
    expect((await restricted.request('POST', '/api/v1/credentials', { authorization, body })).status).toBe(201)
  })
})

describe('the issuer that signs', () => {
  const assign = async (schemaId: string, issuerId: string, authorization = alice) => {
    const answer = await service.request('POST', `/schemas/${schemaId}/issuers/${issuerId}`, { authorization })
    expect(answer.status, answer.text).toBe(200)
  }

  it('is the default issuer, or the caller’s own issuer in the request, if the type is not assigned', async () => {
    const own = await newIssuer(service, 'alice')
    expect((await create()).json.vc.issuer).toBe(issuerDid)
    const answer = await create({ issuerId: own.id })
    expect(answer.json.vc.issuer).toBe(own.did)
    expect(own.did).toMatch(/^did:key:z/)
    expect(answer.json.vc.proof.verificationMethod).toBe(`${own.did}#${own.did.slice('did:key:'.length)}`)
  })

  it('is never another caller’s issuer without an assignment of the type: 500 `Issuer not found.`', async () => {
    const bobs = await newIssuer(service, 'bob')
    for (const issuerId of [bobs.id, randomUUID(), 'unknown']) {
      const answer = await create({ issuerId })
      expect([answer.status, answer.json.message]).toEqual([500, 'Issuer not found.'])
    }
  })

  it('is the first assigned issuer, or the assigned issuer in the request, if the type is not assigned to the default issuer', async () => {
    const schema = await postSchema(service, alice)
    const [first, second, third] = await Promise.all([1, 2, 3].map(() => newIssuer(service, 'alice')))
    await assign(schema.id, first?.id ?? '')
    await assign(schema.id, second?.id ?? '')
    const named = (issuerId?: string, authorization = alice) =>
      create({ type: schema.name, ...(issuerId === undefined ? {} : { issuerId }) }, authorization)
    const bob = await service.bearer('bob')
    expect((await named()).json.vc.issuer).toBe(first?.did)
    expect((await named(undefined, bob)).json.vc.issuer).toBe(first?.did)
    expect((await named(second?.id, bob)).json.vc.issuer).toBe(second?.did)
    const refusal = [400, [`issuerId must be an issuer that the schema ${schema.name} is assigned to`]]
    const unassigned = await named(third?.id)
    expect([unassigned.status, unassigned.json.message]).toEqual(refusal)
    const standard = await service.platform.stores.agents.defaultIssuer()
    const byDefault = await named(standard?.id)
    expect([byDefault.status, byDefault.json.message]).toEqual(refusal)
    await assign(schema.id, standard?.id ?? '', await service.bearer('root', { roles: ['admin'] }))
    expect((await named()).json.vc.issuer).toBe(issuerDid)
  })

  it('signs with EdDSA if its key is an EdDSA key', async () => {
    const issuer = await newIssuer(service, 'alice', { alg: 'EdDSA' })
    const { json } = await create({ issuerId: issuer.id })
    expect(decodeProtectedHeader(json.vc.proof.jws).alg).toBe('EdDSA')
    const verified = await service.request('POST', '/credentials/verify', {
      authorization: alice,
      body: { credential: json.vc.proof.jws },
    })
    expect(verified.json.isValid).toBe(true)
  })
})

describe('GET /api/v1/credentials/{id}', () => {
  it('is for its creator or claimant only: 404 for others, also for admins', async () => {
    const created = (await create()).json
    const offering = await postOffering(service, { credential_type: type })
    const claimed = await service.request('POST', `/api/v1/offerings/${offering.id}/claim`, { authorization: alice })
    for (const credential of [created, claimed.json]) {
      expect((await read(credential.id, alice)).json).toEqual(credential)
      for (const stranger of [await service.bearer('bob'), await service.bearer('root', { roles: ['admin'] })]) {
        const answer = await read(credential.id, stranger)
        expect([answer.status, answer.json.message]).toEqual([404, 'Credential not found.'])
      }
    }
  })

  it('can be read by every caller who has the DID of the holder: in the token, or in a holder that the caller created', async () => {
    const admin = await service.bearer('holly', { roles: ['admin'] })
    const holder = await service.request('POST', '/agent/holder', { authorization: admin, body: { method: 'web' } })
    const { did } = holder.json
    const { id } = (await create({ credential_subject: { ...SUBJECT, id: did } })).json
    expect((await read(id, await service.bearer('holly'))).status).toBe(200)
    expect((await read(id, await service.bearer('bob', { did: ['did:example:1', did] }))).status).toBe(200)
    expect((await read(id, await service.bearer('bob', { did: 'did:example:1' }))).status).toBe(404)
  })

  it.each([randomUUID(), 'unknown', '..%2F..%2Fetc'])('answers 404 for %s', async (id) => {
    const answer = await read(id, alice)
    expect([answer.status, answer.json.message, answer.json.error]).toEqual([404, 'Credential not found.', 'Not Found'])
  })

  it('needs a token', async () => {
    const { id } = (await create()).json
    expect((await service.request('GET', `/api/v1/credentials/${id}`, { client: true })).status).toBe(401)
  })
})

describe('POST /api/v1/credentials/{id}/revoke', () => {
  const revoke = (id: string) => service.request('POST', `/api/v1/credentials/${id}/revoke`, { client: true })

  it('answers 200 without a body, the second time too, and records caller and time once', async () => {
    const { id } = (await create()).json
    for (let time = 0; time < 2; time += 1) {
      const answer = await revoke(id)
      expect([answer.status, answer.text]).toEqual([200, ''])
    }
    const rows = await query(
      service.databaseUrl,
      `SELECT c.revoked_at = i.revoked_at AS both, (SELECT count(*)::int FROM audit_events WHERE subject_id = c.id AND action = 'credential.revoked') AS audited
       FROM credentials c JOIN credential_instances i ON i.credential_id = c.id WHERE c.id = $1`,
      [id],
    )
    expect(rows).toEqual([{ both: true, audited: 1 }])
  })

  it.each([randomUUID(), 'unknown'])('answers 404 for %s', async (id) => {
    const answer = await revoke(id)
    expect([answer.status, answer.json.message]).toEqual([404, 'Credential not found.'])
  })

  it('needs the client secret: not even the owner’s token revokes', async () => {
    const { id } = (await create()).json
    const answer = await service.request('POST', `/api/v1/credentials/${id}/revoke`, { authorization: alice })
    expect([answer.status, answer.json.message]).toEqual([401, 'Unauthorized'])
    expect(await query(service.databaseUrl, 'SELECT revoked_at FROM credentials WHERE id = $1', [id])).toEqual([
      { revoked_at: null },
    ])
  })
})
