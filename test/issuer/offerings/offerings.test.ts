import { randomUUID } from 'node:crypto'
import jsQR from 'jsqr'
import { PNG } from 'pngjs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { query } from '../../support/postgres.js'
import { startService, type TestService } from '../../support/service.js'
import { newIssuer } from '../issuer-record.js'
import { postOffering, postSchema, SUBJECT } from '../purchase.js'

const RECIPIENT = 'did:example:recipient'
const LATER = '2099-01-01T12:00:00.000Z'

let service: TestService
let alice: string
let type: string

beforeAll(async () => {
  service = await startService()
  alice = await service.bearer('alice')
  const schema = await postSchema(service, alice, { display: [{ name: 'Kaufbeleg', locale: 'de' }] })
  type = schema.name
})
afterAll(() => service.close())

const post = (members: Readonly<Record<string, unknown>>) =>
  service.request('POST', '/api/v1/offerings', {
    client: true,
    body: { credential_type: type, credential_subject: SUBJECT, ...members },
  })

const pathOf = (id: string) => `/api/v1/offerings/${id}`

describe('POST /api/v1/offerings', () => {
  it('answers 201 with the detail form; members that were not requested are null or absent', async () => {
    const answer = await post({})
    expect(answer.status).toBe(201)
    const { id } = answer.json
    const offer = `${service.url}/openid4vci/offers/${id}`
    expect(answer.json).toEqual({
      id,
      credential_issuer: service.url,
      credential_configuration_ids: [type, `${type}-sd-jwt`],
      display: { locale: 'de', name: 'Kaufbeleg' },
      grants: { authorization_code: { issuer_state: expect.stringMatching(new RegExp(`^${id}\\.[\\w-]{43}$`)) } },
      credential_subject: SUBJECT,
      redemption_limit: null,
      expires_at: null,
      qr_code_url: `${service.url}/api/v1/offerings/${id}/qr-code`,
      offering_id: id,
      offering_full_url: `openid-credential-offer://?credential_offer_uri=${encodeURIComponent(offer)}`,
    })
    expect((await service.request('GET', pathOf(id))).json).toEqual(answer.json)
  })

  it('keeps recipient, redemption_limit and expires_at (in UTC), and the order of the claims', async () => {
    const subject = { product: 'Mill', shop: { city: 'Turin' }, price: 12.5 }
    const answer = await post({
      recipient: RECIPIENT,
      redemption_limit: 1,
      expires_at: '2099-01-01T14:00:00+02:00',
      credential_subject: subject,
    })
    expect(answer.json).toMatchObject({ recipient: RECIPIENT, redemption_limit: 1, expires_at: LATER })
    const read = await service.request('GET', pathOf(answer.json.id), { client: true })
    expect(JSON.stringify(read.json.credential_subject)).toBe(JSON.stringify(subject))
  })

  it.each(['9999-12-31T23:59:59-23:59', '9999-12-31T23:59:59.999-00:01'])(
    'answers 400 for an expires_at beyond the years with four digits: %s',
    async (expires_at) => {
      const answer = await post({ expires_at })
      expect([answer.status, answer.json.message]).toEqual([400, ['expires_at must lie before the year 10000 (UTC)']])
      expect((await post({ expires_at: '9999-12-31T23:59:59Z' })).json.expires_at).toBe('9999-12-31T23:59:59.000Z')
    },
  )

  it('accepts null for no limit and no expiry', async () => {
    const answer = await post({ redemption_limit: null, expires_at: null })
    expect([answer.status, answer.json.redemption_limit, answer.json.expires_at]).toEqual([201, null, null])
  })

  it('validates the subject against the schema of its type and names every claim that fails', async () => {
    const answer = await post({ credential_subject: { price: '249', shop: { city: 1 }, colour: 'red' } })
    expect([answer.status, answer.json.error]).toEqual([400, 'Bad Request'])
    expect([...answer.json.message].sort()).toEqual([
      'credential_subject.colour is not allowed',
      'credential_subject.price must be number',
      'credential_subject.product must be present',
      'credential_subject.shop.city must be string',
    ])
  })

  it.each([
    ['no credential_type', { credential_type: undefined }, 'credential_type must be defined'],
    ['no credential_subject', { credential_subject: undefined }, 'credential_subject must be defined'],
    ['an array for a subject', { credential_subject: [] }, 'credential_subject must be an object'],
    [
      'a subject id that is not a URI',
      { credential_subject: { ...SUBJECT, id: 'me' } },
      'credential_subject.id must be a URI',
    ],
    ['a recipient that is not a DID', { recipient: 'alice@example.org' }, 'recipient must be a DID'],
    [
      'a subject id other than the recipient',
      { recipient: RECIPIENT, credential_subject: { ...SUBJECT, id: 'did:example:other' } },
      'credential_subject.id must be the recipient',
    ],
    ['a limit of 0', { redemption_limit: 0 }, 'redemption_limit must be at least 1'],
    ['a limit that is not an integer', { redemption_limit: 1.5 }, 'redemption_limit must be an integer'],
    ['a limit in quotation marks', { redemption_limit: '5' }, 'redemption_limit must be a number'],
    ['an expiry that has passed', { expires_at: '2020-01-01T00:00:00Z' }, 'expires_at must lie in the future'],
    ['an expiry without a time', { expires_at: '2099-01-01' }, 'expires_at must be an ISO 8601 date-time'],
    ['an expiry without a zone', { expires_at: '2099-01-01T00:00:00' }, 'expires_at must be an ISO 8601 date-time'],
    ['a property that is not of the schema', { limit: 5 }, 'property limit should not exist'],
  ])('answers 400 for %s', async (_what, members, message) => {
    const answer = await post(members)
    expect([answer.status, answer.json.message]).toEqual([400, [message]])
  })

  it('answers 400 at once for a claim that an SD-JWT cannot contain (RFC 9901 §4.1)', async () => {
    const open = await postSchema(service, alice, { schema: { type: 'object' } })
    const offer = (credential_subject: unknown) => post({ credential_type: open.name, credential_subject })
    expect((await offer({ iss: 'did:example:me', status: 1 })).json.message).toEqual([
      'credential_subject.iss must not be given: the name is reserved in an SD-JWT VC',
      'credential_subject.status must not be given: the name is reserved in an SD-JWT VC',
    ])
    expect((await offer({ shop: { _sd: [] } })).json.message).toEqual([
      'credential_subject cannot be signed: Subject claim name "_sd" cannot be used in an SD-JWT.',
    ])
    expect((await offer({ product: 'a\0b' })).json.message).toEqual([
      'credential_subject.product must not contain a NUL character',
    ])
    expect((await offer({ shop: { city: '\ud800' } })).status).toBe(400)
  })

  it('answers 404 for an unknown type', async () => {
    const answer = await post({ credential_type: 'Nobody' })
    expect([answer.status, answer.json.message]).toEqual([404, 'Schema not found.'])
  })

  it('needs the client secret: 401 `Unauthorized` for a missing or wrong secret, also with a Bearer token', async () => {
    const body = { credential_type: type, credential_subject: SUBJECT }
    const before = await query(service.databaseUrl, 'SELECT count(*) FROM offerings')
    for (const options of [
      { body },
      { body, headers: { 'x-client-secret': 'wrong' } },
      { body, authorization: await service.bearer('root', { roles: ['admin'] }) },
    ]) {
      const answer = await service.request('POST', '/api/v1/offerings', options)
      expect([answer.status, answer.json.message]).toEqual([401, 'Unauthorized'])
    }
    expect(await query(service.databaseUrl, 'SELECT count(*) FROM offerings')).toEqual(before)
  })

  it('lets the first assigned issuer sign if the type is not assigned to the default issuer', async () => {
    const schema = await postSchema(service, alice)
    const issuer = await newIssuer(service, 'alice')
    await service.request('POST', `/schemas/${schema.id}/issuers/${issuer.id}`, { authorization: alice })
    const offering = await postOffering(service, { credential_type: schema.name })
    const rows = await query(service.databaseUrl, 'SELECT issuer_id FROM offerings WHERE id = $1', [offering.id])
    expect(rows).toEqual([{ issuer_id: issuer.id }])
    const unknown = await post({ credential_type: schema.name, issuerId: randomUUID() })
    expect([unknown.status, unknown.json.message]).toEqual([500, 'Issuer not found.'])
    const unassigned = await post({ credential_type: schema.name, issuerId: (await newIssuer(service, 'alice')).id })
    expect([unassigned.status, unassigned.json.message]).toEqual([
      400,
      [`issuerId must be an issuer that the schema ${schema.name} is assigned to`],
    ])
  })
})

describe('GET /api/v1/offerings/{id}/qr-code', () => {
  it('answers a JSON string with a PNG data URI that decodes to offering_full_url', async () => {
    const offering = await postOffering(service, { credential_type: type })
    const answer = await service.request('GET', new URL(offering.qr_code_url).pathname)
    expect(answer.status).toBe(200)
    const [, base64 = ''] = /^data:image\/png;base64,([A-Za-z0-9+/]+=*)$/.exec(answer.json) ?? []
    const { data, width, height } = PNG.sync.read(Buffer.from(base64, 'base64'))
    expect(jsQR.default(new Uint8ClampedArray(data), width, height)?.data).toBe(offering.offering_full_url)
  })

  it('answers 404 for an unknown offering', async () => {
    const answer = await service.request('GET', `${pathOf(randomUUID())}/qr-code`)
    expect([answer.status, answer.json.message]).toEqual([404, 'Offering not found.'])
  })
})

describe('GET /api/v1/offerings/{id}', () => {
  it.each(['unknown', '00000000-0000-4000-8000-000000000000'])('answers 404 for %s', async (id) => {
    const answer = await service.request('GET', pathOf(id))
    expect([answer.status, answer.json.message, answer.json.error]).toEqual([404, 'Offering not found.', 'Not Found'])
  })

  it('shows the subject of an offering bound to a recipient only to that recipient and to callers with full access', async () => {
    const { id } = await postOffering(service, { credential_type: type, recipient: RECIPIENT })
    const subjectFor = async (options: Parameters<TestService['request']>[2]) =>
      (await service.request('GET', pathOf(id), options)).json.credential_subject
    expect(await subjectFor({})).toBeUndefined()
    expect(await subjectFor({ authorization: alice })).toBeUndefined()
    expect(await subjectFor({ authorization: await service.bearer('bob', { did: 'did:example:bob' }) })).toBeUndefined()
    expect(await subjectFor({ authorization: await service.bearer('bob', { did: RECIPIENT }) })).toEqual(SUBJECT)
    expect(await subjectFor({ authorization: await service.bearer('root', { roles: ['admin'] }) })).toEqual(SUBJECT)
    expect(await subjectFor({ client: true })).toEqual(SUBJECT)
  })

  it.each(['', '/qr-code'])('answers 401 for a wrong token or a wrong secret (%s)', async (suffix) => {
    const { id } = await postOffering(service, { credential_type: type })
    const path = `${pathOf(id)}${suffix}`
    const token = await service.request('GET', path, { authorization: 'Bearer no.to.ken' })
    expect([token.status, token.json.message]).toEqual([401, 'Invalid access token.'])
    const secret = await service.request('GET', path, { headers: { 'x-client-secret': 'wrong' } })
    expect([secret.status, secret.json.message]).toEqual([401, 'Unauthorized'])
    const both = await service.request('GET', path, { authorization: alice, headers: { 'x-client-secret': 'wrong' } })
    expect(both.status).toBe(401)
  })
})
