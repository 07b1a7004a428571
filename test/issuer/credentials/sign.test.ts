import { decodeJwt, decodeProtectedHeader } from 'jose'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { didJwk } from '../../../server/protocol/did/did-jwk.js'
import { generateKeyPair, type Jwk } from '../../../server/protocol/jose/jws.js'
import { startService, type TestService } from '../../support/service.js'
import { postSchema, SUBJECT } from '../purchase.js'

let service: TestService
let alice: string
let type: string

beforeAll(async () => {
  service = await startService()
  alice = await service.bearer('alice')
  type = (await postSchema(service, alice, { expiresInDays: 7 })).name
})
afterAll(() => service.close())

const sign = (members: Readonly<Record<string, unknown>>) =>
  service.request('POST', '/credentials/sign', {
    authorization: alice,
    body: { type, credential_subject: SUBJECT, ...members },
  })

const verify = async (credential: string) =>
  (await service.request('POST', '/credentials/verify', { authorization: alice, body: { credential } })).json

const jwtOf = (credential: string) => credential.split('~', 1)[0] ?? ''

const newHolder = async (method: 'key' | 'web') => {
  const authorization = await service.bearer('holly', { roles: ['admin'] })
  const { json } = await service.request('POST', '/agent/holder', { authorization, body: { method } })
  const document = await service.platform.resolver.resolve(json.did)
  return { did: json.did as string, publicJwk: document.verificationMethod?.[0]?.publicKeyJwk as Jwk }
}

const members = ({ kty, crv, x, y }: Jwk) => ({ kty, crv, x, y })

describe('POST /credentials/sign', () => {
  it('answers 201 with a compact JWT VC that is recorded, and can be read, verified and revoked', async () => {
    const answer = await sign({ format: 'jwt_vc_json' })
    expect(answer.status).toBe(201)
    const { id, credential } = answer.json
    expect(answer.json).toEqual({ id, format: 'jwt_vc_json', credential })
    const record = await service.request('GET', `/api/v1/credentials/${id}`, { authorization: alice })
    expect(record.json.vc.proof.jws).toBe(credential)
    expect(await verify(credential)).toMatchObject({ isValid: true, format: 'jwt_vc' })
    await service.request('POST', `/api/v1/credentials/${id}/revoke`, { client: true })
    expect(await verify(credential)).toEqual({ isValid: false, error: 'Credential has been revoked.' })
  })

  describe('bounds of a subject, within which both formats are issued and verify', () => {
    const nested = (levels: number): unknown => (levels === 0 ? 'x' : { a: nested(levels - 1) })
    const many = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, at) => [`claim-${at}`, at]))
    const long = (bytes: number) => ({ note: 'x'.repeat(bytes - '{"note":""}'.length) })
    const LIMITS: [string, unknown, unknown, string][] = [
      ['levels', nested(32), nested(33), 'credential_subject must not nest deeper than 32 levels'],
      ['members', many(1_000), many(1_001), 'credential_subject must not hold more than 1000 members and elements'],
      ['bytes', long(163_840), long(163_841), 'credential_subject must not exceed 163840 bytes'],
    ]

    it.each(LIMITS)('%s', async (_, most, more, message) => {
      const { name } = await postSchema(service, alice, { schema: { type: 'object' } })
      for (const format of ['jwt_vc_json', 'dc+sd-jwt']) {
        const answer = await sign({ type: name, credential_subject: most, format })
        expect(answer.status).toBe(201)
        expect(await verify(answer.json.credential)).toMatchObject({ isValid: true })
        const refused = await sign({ type: name, credential_subject: more, format })
        expect([refused.status, refused.json.message]).toEqual([400, [message]])
      }
    })
  })

  it('keeps the order of the recorded claims', async () => {
    const { name } = await postSchema(service, alice, { schema: { type: 'object' } })
    const credential_subject = { zebra: 1, 'a much longer name': { second: 2, first: 1 }, b: [2, 1] }
    const { id } = (await sign({ type: name, credential_subject, format: 'jwt_vc_json' })).json
    const record = await service.request('GET', `/api/v1/credentials/${id}`, { authorization: alice })
    expect(JSON.stringify(record.json.vc.credentialSubject)).toBe(JSON.stringify(credential_subject))
  })

  it('answers 201 with a compact SD-JWT VC, every claim of the subject selectively disclosable', async () => {
    const answer = await sign({ format: 'dc+sd-jwt' })
    expect(answer.status).toBe(201)
    const { id, credential } = answer.json
    expect(credential).toMatch(/^[\w-]+\.[\w-]+\.[\w-]+(~[\w-]+){2}~$/)
    const header = decodeProtectedHeader(jwtOf(credential))
    const payload = decodeJwt(jwtOf(credential))
    expect(header).toEqual({ typ: 'dc+sd-jwt', alg: 'ES256', kid: `${payload.iss}#0` })
    expect(payload).toEqual({
      iss: expect.stringMatching(/^did:jwk:/),
      iat: expect.any(Number),
      exp: (payload.iat ?? 0) + 7 * 24 * 60 * 60,
      vct: `${service.url}/vct/${type}`,
      status: {
        status_list: {
          idx: expect.any(Number),
          uri: expect.stringMatching(new RegExp(`^${service.url}/token-status-lists/[0-9a-f-]{36}$`)),
        },
      },
      _sd: [expect.any(String), expect.any(String)],
      _sd_alg: 'sha-256',
    })
    expect(await verify(credential)).toMatchObject({ isValid: true, format: 'dc+sd-jwt', prettyClaims: SUBJECT })
    await service.request('POST', `/api/v1/credentials/${id}/revoke`, { client: true })
    expect(await verify(credential)).toEqual({ isValid: false, error: 'Credential has been revoked.' })
  })

  it('shows a recorded SD-JWT VC as the same W3C credential without a proof, because its disclosures belong to the holder', async () => {
    const { id, credential } = (await sign({ format: 'dc+sd-jwt' })).json
    const { json } = await service.request('GET', `/api/v1/credentials/${id}`, { authorization: alice })
    const {
      iss,
      iat = 0,
      exp = 0,
      status,
    } = decodeJwt<{ status: { status_list: { uri: string; idx: number } } }>(jwtOf(credential))
    const list = status.status_list.uri.replace('/token-status-lists/', '/status-lists/')
    expect(json.vc).toEqual({
      '@context': ['https://www.w3.org/2018/credentials/v1', 'https://www.w3.org/ns/credentials/status/v1'],
      id: `urn:uuid:${id}`,
      type: ['VerifiableCredential', type],
      issuer: iss,
      issuanceDate: new Date(iat * 1000).toISOString().replace('.000Z', 'Z'),
      expirationDate: new Date(exp * 1000).toISOString().replace('.000Z', 'Z'),
      credentialSubject: SUBJECT,
      credentialSchema: { id: expect.any(String), type: 'JsonSchemaValidator2018' },
      credentialStatus: [
        {
          id: `${list}#${status.status_list.idx}`,
          type: 'BitstringStatusListEntry',
          statusPurpose: 'revocation',
          statusListIndex: status.status_list.idx,
          statusListCredential: list,
        },
      ],
    })
  })

  it('makes exactly the listed paths of the type selectively disclosable', async () => {
    const { name } = await postSchema(service, alice, { selectivelyDisclosable: ['shop.city'] })
    const { json } = await sign({
      type: name,
      format: 'dc+sd-jwt',
      credential_subject: { ...SUBJECT, shop: { city: 'Turin' } },
    })
    expect(decodeJwt(jwtOf(json.credential))).toMatchObject({ ...SUBJECT, shop: { _sd: [expect.any(String)] } })
    expect((await verify(json.credential)).prettyClaims.shop).toEqual({ city: 'Turin' })
  })

  it.each(['jwt_vc_json', 'dc+sd-jwt'])(
    'binds %s to the key of a did:key, did:jwk or hosted did:web',
    async (format) => {
      const { publicJwk } = await generateKeyPair('ES256')
      for (const holder of [await newHolder('key'), { did: didJwk(publicJwk), publicJwk }, await newHolder('web')]) {
        const answer = await sign({ format, holder: holder.did })
        expect(answer.status).toBe(201)
        const payload = decodeJwt<{ cnf: { jwk: Jwk }; vc?: { credentialSubject: unknown } }>(
          jwtOf(answer.json.credential),
        )
        expect([payload.sub, payload.cnf.jwk]).toEqual([holder.did, members(holder.publicJwk)])
        if (format === 'jwt_vc_json') expect(payload.vc?.credentialSubject).toEqual({ id: holder.did, ...SUBJECT })
        expect((await verify(answer.json.credential)).isValid).toBe(true)
      }
    },
  )

  it('can be read by the holder too', async () => {
    const { did } = await newHolder('web')
    const { id } = (await sign({ format: 'dc+sd-jwt', holder: did })).json
    const path = `/api/v1/credentials/${id}`
    expect((await service.request('GET', path, { authorization: await service.bearer('holly') })).status).toBe(200)
    expect((await service.request('GET', path, { authorization: await service.bearer('bob') })).status).toBe(404)
  })

  it.each([
    ['no format', {}, 'format must be defined'],
    ['an unknown format', { format: 'ldp_vc' }, 'format must be one of jwt_vc_json, dc+sd-jwt, mso_mdoc'],
    ['a holder that is not a DID', { format: 'dc+sd-jwt', holder: 'alice' }, 'holder must be a DID'],
    [
      'a holder of an unknown method',
      { format: 'dc+sd-jwt', holder: 'did:example:1' },
      'holder cannot be resolved: DID method example is not supported.',
    ],
    [
      'a holder other than the subject',
      { format: 'dc+sd-jwt', holder: 'did:key:z6Mk', credential_subject: { ...SUBJECT, id: 'did:example:1' } },
      'credential_subject.id must be the holder',
    ],
    ['an unknown property', { format: 'dc+sd-jwt', did: 'did:example:1' }, 'property did should not exist'],
  ])('answers 400 for %s', async (_what, request, message) => {
    const answer = await sign(request)
    expect([answer.status, answer.json.message]).toEqual([400, [message]])
  })

  it('answers 404 for an unknown type, 401 without a token', async () => {
    const unknown = await sign({ type: 'Nobody', format: 'dc+sd-jwt' })
    expect([unknown.status, unknown.json.message]).toEqual([404, 'Schema not found.'])
    const body = { type, format: 'dc+sd-jwt', credential_subject: SUBJECT }
    expect((await service.request('POST', '/credentials/sign', { body, client: true })).status).toBe(401)
  })
})
