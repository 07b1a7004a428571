import { compactDecrypt, decodeProtectedHeader, exportJWK, generateKeyPair } from 'jose'
import { describe, expect, it } from 'vitest'
import {
  type Asked,
  answer,
  ask,
  dcql,
  decodeJwt,
  ITEM,
  postForm,
  present,
  type RequestPayload,
  sessionOf,
} from '../actors.js'
import { useWorld } from '../world.js'

const world = useWorld()

const fetchWith = (asked: Asked, metadata: unknown, form: Record<string, string> = {}) =>
  postForm(asked.request_uri, {
    ...form,
    wallet_metadata: typeof metadata === 'string' ? metadata : JSON.stringify(metadata),
  })
const asked = (body: Record<string, unknown> = {}) =>
  ask(world.service, { dcqlQuery: dcql(world.service, 'dc+sd-jwt'), ...body })

/** Returns the description of a refusal. Checks that the refusal does not change the session. */
async function refusalOf(metadata: unknown, body: Record<string, unknown> = {}) {
  const request = await asked(body)
  const reply = await fetchWith(request, metadata)
  expect([reply.status, reply.json.error]).toEqual([400, 'invalid_request'])
  expect(await sessionOf(world.service, request)).toMatchObject({ state: 'RequestCreated' })
  return reply.json.error_description
}

describe('wallet_metadata (OpenID4VP 1.0 §5.10)', () => {
  it.each([
    ['no JSON', 'wallet'],
    ['an array', '[]'],
    ['null', 'null'],
    ['a string', '"wallet"'],
  ])('is refused as %s', async (_what, text) => {
    expect(await refusalOf(text)).toBe('Parameter wallet_metadata is not a JSON object.')
  })

  it('has a limit of size', async () => {
    const filled = (length: number) => JSON.stringify({ filler: 'x'.repeat(length) })
    expect(await refusalOf(filled(16 * 1024))).toBe('Parameter wallet_metadata is longer than 16 KiB.')
    expect((await fetchWith(await asked(), filled(16_000))).status).toBe(200)
    const request = await asked()
    expect((await fetchWith(request, filled(1_000_000))).status).toBe(413)
    expect(await sessionOf(world.service, request)).toMatchObject({ state: 'RequestCreated' })
  })

  it.each([
    ['client_id_prefixes_supported', 'x509_hash'],
    ['request_object_signing_alg_values_supported', [1]],
    ['vp_formats_supported', []],
    ['jwks', { keys: 'none' }],
    ['jwks', { keys: ['none'] }],
  ])('is refused if %s is malformed', async (name, value) => {
    expect(await refusalOf({ [name]: value })).toBe(`Parameter wallet_metadata is not valid: ${name} is malformed.`)
  })

  it.each([
    [
      { client_id_prefixes_supported: ['x509_hash', 'redirect_uri'] },
      'The wallet does not support the client identifier prefix decentralized_identifier.',
    ],
    [
      { request_object_signing_alg_values_supported: ['EdDSA', 'ES384'] },
      'The wallet does not support request objects that are signed with ES256.',
    ],
    [
      { authorization_encryption_enc_values_supported: ['A128CBC-HS256'] },
      'The wallet supports none of the content encryptions A128GCM and A256GCM.',
    ],
    [
      { authorization_encryption_alg_values_supported: ['RSA-OAEP'] },
      'The wallet does not support ECDH-ES, which its answer must be encrypted with.',
    ],
  ])('shows that the wallet cannot answer the request: %j', async (metadata, sentence) => {
    expect(await refusalOf(metadata, { responseMode: 'direct_post.jwt' })).toBe(sentence)
  })

  it('does not exclude a wallet that can answer the request', async () => {
    const metadata = {
      client_id_prefixes_supported: ['x509_hash', 'decentralized_identifier'],
      request_object_signing_alg_values_supported: ['EdDSA', 'ES256'],
      authorization_encryption_alg_values_supported: ['ECDH-ES', 'RSA-OAEP'],
      authorization_encryption_enc_values_supported: ['A256GCM'],
      unknown: { to: 'us' },
    }
    const request = await asked({ responseMode: 'direct_post.jwt' })
    const reply = await fetchWith(request, metadata, { wallet_nonce: 'n-1' })
    expect([reply.status, decodeJwt(reply.text).wallet_nonce]).toEqual([200, 'n-1'])
    expect(await sessionOf(world.service, request)).toMatchObject({ state: 'RequestUriRetrieved' })
    // A request for an unencrypted answer needs no encryption.
    const plain = await asked({ responseMode: 'direct_post' })
    const none = { authorization_encryption_enc_values_supported: [] }
    expect((await fetchWith(plain, none)).status).toBe(200)
  })

  it('for an unknown request is a 404, for an ended request a 410', async () => {
    const request = await asked()
    const metadata = { client_id_prefixes_supported: ['decentralized_identifier'] }
    const nowhere = { ...request, request_uri: request.request_uri.replace(/[^/]+$/, crypto.randomUUID()) }
    expect((await fetchWith(nowhere, metadata)).status).toBe(404)
    const { payload } = await world.asked('dc+sd-jwt')
    await answer(payload, { purchase: ['x~'] })
    const uri = payload.response_uri.replace('/responses/', '/requests/')
    expect((await fetchWith({ ...request, request_uri: uri }, metadata)).status).toBe(410)
  })
})

describe('a wallet that gives a key for encryption', () => {
  async function walletKey(members: Record<string, unknown> = {}, curve = 'P-256') {
    const { privateKey, publicKey } = await generateKeyPair('ECDH-ES', { crv: curve, extractable: true })
    return { privateKey, jwk: { ...(await exportJWK(publicKey)), ...members } }
  }

  it.each([
    [{ kid: 'w-1', use: 'enc', alg: 'ECDH-ES' }, undefined, 'A256GCM'],
    [{}, ['A128GCM'], 'A128GCM'],
  ])('gets the signed request object encrypted for this key (%j, %j)', async (members, listed, enc) => {
    const { privateKey, jwk } = await walletKey(members)
    const request = await asked()
    const reply = await fetchWith(request, {
      jwks: { keys: [{ kty: 'RSA', use: 'sig', n: 'AQ', e: 'AQAB' }, jwk] },
      ...(listed === undefined ? {} : { request_object_encryption_enc_values_supported: listed }),
    })
    expect([reply.status, reply.headers.get('content-type')]).toEqual([200, 'application/oauth-authz-req+jwt'])
    expect(decodeProtectedHeader(reply.text)).toMatchObject({
      alg: 'ECDH-ES',
      enc,
      cty: 'JWT',
      ...('kid' in members ? { kid: 'w-1' } : {}),
    })
    const { plaintext } = await compactDecrypt(reply.text, privateKey)
    const inner = new TextDecoder().decode(plaintext)
    expect(decodeProtectedHeader(inner).typ).toBe('oauth-authz-req+jwt')
    expect(decodeJwt(inner)).toMatchObject({ state: request.state, nonce: request.nonce })
  })

  it.each([{ use: 'sig' }, { alg: 'ES256' }, { key_ops: ['verify'] }])(
    'gets the request only signed if its keys are for signatures (%j)',
    async (members) => {
      const { jwk } = await walletKey(members)
      const { text } = await fetchWith(await asked(), { jwks: { keys: [jwk] } })
      expect(decodeJwt(text).nonce).toBeTypeOf('string')
      const both = { jwks: { keys: [jwk, (await walletKey({ kid: 'w-1', key_ops: ['deriveBits'] })).jwk] } }
      expect(decodeProtectedHeader((await fetchWith(await asked(), both)).text).kid).toBe('w-1')
    },
  )

  it('attack: with a key of a wrong curve, or not on the curve, gets nothing', async () => {
    const sentence = 'Parameter wallet_metadata has no key that is supported: ECDH-ES on P-256.'
    const { jwk: other } = await walletKey({}, 'P-384')
    const { jwk } = await walletKey()
    const { x = '' } = jwk as { x?: string }
    for (const bad of [other, { ...jwk, y: x }, { ...jwk, x: 'AQ' }, { ...jwk, alg: 'RSA-OAEP' }, { kty: 'EC' }, {}]) {
      expect(await refusalOf({ jwks: { keys: [bad] } })).toBe(sentence)
    }
    const metadata = { jwks: { keys: [jwk] }, request_object_encryption_enc_values_supported: ['A128CBC-HS256'] }
    expect(await refusalOf(metadata)).toBe('The wallet supports none of the content encryptions A128GCM and A256GCM.')
    const rsa = { jwks: { keys: [jwk] }, request_object_encryption_alg_values_supported: ['RSA-OAEP'] }
    expect(await refusalOf(rsa)).toBe('The wallet does not support request objects that are encrypted with ECDH-ES.')
  })
})

describe('vp_formats_supported of a wallet', () => {
  async function queryWith(formats: unknown, body: Record<string, unknown> = { query: [ITEM], dcqlQuery: undefined }) {
    const request = await asked({ responseMode: 'direct_post', ...body })
    const reply = await fetchWith(request, { vp_formats_supported: formats })
    expect(reply.status).toBe(200)
    const payload = decodeJwt<RequestPayload>(reply.text)
    return { request, payload, ids: payload.dcql_query.credentials.map(({ id }) => id) }
  }
  const BOTH = ['item-0-sd-jwt', 'item-0-jwt-vc']

  it('remove from its copy every format that it does not support, if the query has an alternative', async () => {
    const { ids, payload } = await queryWith({ jwt_vc_json: {} })
    expect(ids).toEqual(['item-0-jwt-vc'])
    expect(payload.dcql_query.credential_sets).toEqual([{ options: [['item-0-jwt-vc']] }])
    const es256 = { 'dc+sd-jwt': { 'kb-jwt_alg_values': ['ES256'] } }
    expect((await queryWith({ ...es256, jwt_vc_json: { alg_values: ['HS256'] } })).ids).toEqual(['item-0-sd-jwt'])
  })

  it('do not change the query if the wallet supports all formats or none, or if there is no alternative', async () => {
    expect((await queryWith({ jwt_vc_json: {}, 'dc+sd-jwt': {} })).ids).toEqual(BOTH)
    expect((await queryWith({ mso_mdoc: {} })).ids).toEqual(BOTH)
    const alone = { dcqlQuery: dcql(world.service, 'dc+sd-jwt') }
    expect((await queryWith({ jwt_vc_json: {} }, alone)).ids).toEqual(['purchase'])
    const [sdJwt] = dcql(world.service, 'dc+sd-jwt').credentials
    const [jwtVc] = dcql(world.service, 'jwt_vc_json').credentials
    const optional = {
      dcqlQuery: {
        credentials: [sdJwt, { ...jwtVc, id: 'spare' }],
        credential_sets: [{ options: [['purchase']], required: false }],
      },
    }
    const both = {
      dcqlQuery: {
        credentials: [sdJwt, { ...jwtVc, id: 'spare' }],
        credential_sets: [{ options: [['purchase']] }, { options: [['spare']] }],
      },
    }
    // In the copy for this wallet, one of two required sets would be missing.
    expect((await queryWith({ jwt_vc_json: {} }, both)).ids).toEqual(['purchase', 'spare'])
    // Only an optional set would be missing. But then the other credential query would become required, because no set
    // would name it.
    expect((await queryWith({ jwt_vc_json: {} }, optional)).ids).toEqual(['purchase', 'spare'])
  })

  it('do not restrict the wallet: an answer is checked against the original query', async () => {
    const { request, payload } = await queryWith({ jwt_vc_json: {} })
    const presentation = await present(world.held['dc+sd-jwt'], world.wallet, payload)
    expect((await answer(payload, { 'item-0-sd-jwt': [presentation] })).status).toBe(200)
    expect(await sessionOf(world.service, request)).toMatchObject({ state: 'ResponseVerified' })
  })
})
