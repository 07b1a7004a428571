import { decodeProtectedHeader } from 'jose'
import { describe, expect, it } from 'vitest'
import { generateResponseKey, responsePublicKey } from '../../../../server/protocol/openid4vp/response-encryption.js'
import { startService } from '../../../support/service.js'
import {
  answer,
  ask,
  dcql,
  decodeJwt,
  encrypt,
  fetchRequest,
  ITEM,
  postForm,
  present,
  type RequestPayload,
  sessionOf,
} from '../../actors.js'
import { useWorld } from '../../world.js'

const world = useWorld({ env: { VERIFIER_LEGACY_PROFILES: 'draft24' } })

const drafted = (body: Record<string, unknown> = {}) => world.asked('dc+sd-jwt', { profile: 'draft24', ...body })

async function refused(body: Record<string, unknown>, by = world.service) {
  const reply = await by.request('POST', '/authorization-requests', {
    authorization: await by.bearer('verifier'),
    body: { profile: 'draft24', ...(body.query ? {} : { dcqlQuery: dcql(by, 'dc+sd-jwt') }), ...body },
  })
  return [reply.status, [reply.json.message].flat().join()]
}

const shown = (payload: RequestPayload) => present(world.held['dc+sd-jwt'], world.wallet, payload)

describe('a request of profile draft24 (OpenID4VP draft 24 §5)', () => {
  it('has only the names of the draft', async () => {
    const { asked, payload } = await drafted({ responseMode: 'direct_post.jwt' })
    expect(Object.keys(payload).sort()).toEqual([
      'aud',
      'client_id',
      'client_metadata',
      'dcql_query',
      'exp',
      'iat',
      'nonce',
      'response_mode',
      'response_type',
      'response_uri',
      'state',
    ])
    const compact = await (await fetch(asked.request_uri)).text()
    const { typ, kid = '' } = decodeProtectedHeader(compact)
    expect([typ, kid.split('#')[0]]).toEqual(['oauth-authz-req+jwt', payload.client_id])
    expect(payload.client_id).toMatch(/^did:/)
    const algorithms = expect.arrayContaining(['ES256', 'EdDSA'])
    expect(payload.client_metadata).toEqual({
      vp_formats: {
        'dc+sd-jwt': { 'sd-jwt_alg_values': algorithms, 'kb-jwt_alg_values': algorithms },
        jwt_vc_json: { alg: algorithms },
        jwt_vp_json: { alg: algorithms },
      },
      jwks: { keys: [expect.objectContaining({ crv: 'P-256', use: 'enc', alg: 'ECDH-ES', kid: expect.any(String) })] },
      authorization_encrypted_response_alg: 'ECDH-ES',
      authorization_encrypted_response_enc: 'A256GCM',
    })
    const address = new URL(asked.authorizationRequestUri).searchParams
    expect(Object.fromEntries(address)).toEqual({
      client_id: payload.client_id,
      request_uri: asked.request_uri,
      request_uri_method: 'post',
    })
  })

  it('asks with the DCQL members of the draft, and for no selectively disclosable claims if 1.0 asks for none (§6, §6.4.1.1)', async () => {
    const [credential] = dcql(world.service, 'dc+sd-jwt').credentials
    const { claims, ...withoutClaims } = credential ?? {}
    const members = { multiple: false, require_cryptographic_holder_binding: false }
    const dcqlQuery = { credentials: [{ ...withoutClaims, ...members }] }
    const { payload } = await drafted({ dcqlQuery })
    expect(claims).toBeDefined()
    expect(payload.dcql_query).toEqual({ credentials: [{ ...withoutClaims, claims: [{ path: ['vct'] }] }] })
  })

  it('has the key of JARM only if the answer is encrypted', async () => {
    const { payload } = await drafted()
    expect(Object.keys(payload.client_metadata)).toEqual(['vp_formats'])
  })

  it('repeats wallet_nonce, and accepts metadata of wallets in the form of the draft (§5.11, §10.1)', async () => {
    const asked = await ask(world.service, { profile: 'draft24', query: [ITEM], responseMode: 'direct_post.jwt' })
    const fetchWith = (metadata: unknown) =>
      postForm(asked.request_uri, { wallet_nonce: 'w', wallet_metadata: JSON.stringify(metadata) })
    const refusal = await fetchWith({ client_id_schemes_supported: ['x509_san_dns'] })
    expect([refusal.status, refusal.json.error_description]).toEqual([
      400,
      'The wallet does not support the client identifier prefix decentralized_identifier.',
    ])
    expect(await sessionOf(world.service, asked)).toMatchObject({ state: 'RequestCreated' })
    const reply = await fetchWith({
      client_id_schemes_supported: ['did'],
      authorization_encryption_enc_values_supported: ['A128CBC-HS256', 'A128GCM'],
      vp_formats_supported: { jwt_vc_json: { alg_values_supported: ['ES256'] } },
    })
    expect(decodeJwt(reply.text)).toMatchObject({
      wallet_nonce: 'w',
      dcql_query: { credentials: [{ id: 'item-0-jwt-vc', format: 'jwt_vc_json' }] },
      client_metadata: { authorization_encrypted_response_enc: 'A128GCM' },
    })
    const whole = await fetchWith({ vp_formats_supported: { jwt_vc_json: { alg_values_supported: ['ES999'] } } })
    expect(decodeJwt<RequestPayload>(whole.text).dcql_query.credentials).toHaveLength(2)
  })

  it.each([
    [{ clientIdPrefix: 'x509_hash' }, /^clientIdPrefix must be (?!.*x509_hash).* with profile draft24$/],
    [
      { responseMode: 'dc_api', expectedOrigins: ['https://shop.example'] },
      /^responseMode must be direct_post or direct_post.jwt with profile draft24$/,
    ],
    [{ verifierInfo: [{ format: 'jwt', data: 'x' }] }, /^verifierInfo must be left out with profile draft24$/],
  ])('is refused with members that the draft cannot express: %j', async (body, message) => {
    expect(await refused(body)).toEqual([400, expect.stringMatching(message)])
  })

  it.each([
    [{ multiple: true }, 'multiple must not be true'],
    [{ trusted_authorities: [{ type: 'aki', values: ['abc'] }] }, 'trusted_authorities must be left out'],
  ])('is refused with members of DCQL that are newer than the draft: %j', async (members, message) => {
    expect(await refused({ dcqlQuery: dcql(world.service, 'dc+sd-jwt', members) })).toEqual([
      400,
      `dcqlQuery.credentials.0.${message} with profile draft24`,
    ])
  })

  it('is not made if the draft is not open', async () => {
    expect(await refused({ profile: 'draft21' })).toEqual([
      400,
      'profile draft21 is not open here: VERIFIER_LEGACY_PROFILES does not list it',
    ])
  })
})

describe('an answer to a request of profile draft24 (§7)', () => {
  it.each([
    ['as the draft has it', (text: string) => text],
    ['as 1.0 has it', (text: string) => [text]],
  ])('is accepted %s', async (_, entry) => {
    for (const responseMode of ['direct_post', 'direct_post.jwt']) {
      const { asked, payload } = await drafted({ responseMode })
      expect((await answer(payload, { purchase: entry(await shown(payload)) })).json).toEqual({})
      expect(await sessionOf(world.service, asked)).toMatchObject({ state: 'ResponseVerified' })
    }
  })

  it('may be encrypted with A128GCM or A256GCM, for the parties that it names, but not with CBC', async () => {
    const { asked, payload } = await drafted({ responseMode: 'direct_post.jwt' })
    const parameters = { vp_token: { purchase: await shown(payload) }, state: payload.state }
    const cbc = await postForm(payload.response_uri, {
      response: await encrypt(payload, parameters, { enc: 'A128CBC-HS256' }),
    })
    expect(cbc.status).toBe(400)
    const another = { ...payload.client_metadata, jwks: { keys: [responsePublicKey(generateResponseKey())] as never } }
    const foreign = await encrypt({ ...payload, client_metadata: another }, parameters)
    await world.expectStillOpen(
      asked,
      await postForm(payload.response_uri, { response: foreign }),
      'Response is encrypted for another key.',
    )
    const parties = { apu: Buffer.from('wallet'), apv: Buffer.from(payload.nonce) }
    const response = await encrypt(payload, parameters, { enc: 'A256GCM', parties })
    expect((await postForm(payload.response_uri, { response })).status).toBe(200)
  })

  it('has the sent DID as its audience; the client identifier of 1.0 is another audience (§5.10.3)', async () => {
    const { asked, payload } = await drafted()
    const client_id = `decentralized_identifier:${payload.client_id}`
    const wrong = await shown({ ...payload, client_id })
    await world.expectRefused(
      asked,
      payload,
      { purchase: wrong },
      'Presentation for purchase: Key Binding JWT aud is not this verifier.',
    )
  })

  it.each([
    [
      'of two presentations',
      (text: string) => ({ purchase: [text, text] }),
      'Credential purchase has more than one presentation.',
    ],
    [
      'that nobody asked for',
      (text: string) => ({ other: text }),
      'vp_token has an entry that the query does not ask for.',
    ],
    [
      'that is a credential without proof',
      () => ({ purchase: world.held['dc+sd-jwt'].credential }),
      'Presentation for purchase: Presentation has no Key Binding JWT.',
    ],
    ['of another format', () => ({ purchase: world.held.jwt_vc_json.credential }), /^Presentation for purchase: /],
  ])('is checked against the query of 1.0: %s', async (_, vpToken, sentence) => {
    const { asked, payload } = await drafted()
    const reply = await answer(payload, vpToken(await shown(payload)))
    expect([reply.status, reply.json.error_description]).toEqual([400, expect.stringMatching(sentence)])
    expect(await sessionOf(world.service, asked)).toMatchObject({ state: 'Error' })
  })

  it.each([['text'], ['[]'], ['{"purchase":1}'], ['{"purchase":[1]}']])('is refused as %s', async (vp_token) => {
    const { asked, payload } = await drafted()
    const reply = await postForm(payload.response_uri, { vp_token, state: payload.state })
    await world.expectStillOpen(asked, reply, reply.json.error_description)
    expect(reply.json.error_description).toMatch(/^Parameter vp_token /)
  })

  it('does not satisfy the requested values', async () => {
    const claims = [{ path: ['product'], values: ['Toaster'] }]
    const { asked, payload } = await drafted({ dcqlQuery: dcql(world.service, 'dc+sd-jwt', { claims }) })
    await world.expectRefused(
      asked,
      payload,
      { purchase: await shown(payload) },
      'Credential purchase holds none of the values asked for in the claim product.',
    )
  })
})

describe('a request of profile final at an installation with open drafts', () => {
  it('has no member of a draft, in the request and in the address', async () => {
    const { asked, payload } = await world.asked('dc+sd-jwt', { responseMode: 'direct_post.jwt' })
    expect(Object.keys(payload.client_metadata)).toEqual([
      'vp_formats_supported',
      'jwks',
      'encrypted_response_enc_values_supported',
    ])
    expect(payload.client_id).toMatch(/^decentralized_identifier:/)
    expect(new URL(asked.authorizationRequestUri).searchParams.get('client_id')).toBe(payload.client_id)
  })

  it('accepts no answer in the form of a draft', async () => {
    const { asked, payload } = await world.asked('dc+sd-jwt')
    await world.expectStillOpen(
      asked,
      await answer(payload, { purchase: await shown(payload) }),
      'Parameter vp_token holds a single presentation where an array of them is due.',
    )
    const presentation_submission = '{"id":"s","definition_id":"d","descriptor_map":[]}'
    const form = { vp_token: await shown(payload), presentation_submission, state: payload.state }
    await world.expectStillOpen(
      asked,
      await postForm(payload.response_uri, form),
      'Parameter vp_token is not a JSON object of arrays.',
    )
  })
})

it('closing a draft does not change open requests', async () => {
  const { service, wallet, held } = world
  const body = { profile: 'draft24', dcqlQuery: dcql(service, 'dc+sd-jwt'), trustedIssuers: ['*'] }
  const asked = await ask(service, { ...body, responseMode: 'direct_post' })
  const { databaseUrl, identityProvider } = service
  const env = { OUTBOUND_ALLOWED_HOSTS: '127.0.0.1' }
  const closed = await startService({ databaseUrl, identityProvider, env })
  try {
    const here = (address: string) => address.replace(service.url, closed.url)
    const payload = await fetchRequest({ request_uri: here(asked.request_uri) })
    expect(payload.client_metadata).toHaveProperty('vp_formats')
    const vp_token = JSON.stringify({ purchase: await present(held['dc+sd-jwt'], wallet, payload) })
    const reply = await postForm(here(payload.response_uri), { vp_token, state: payload.state })
    expect([reply.status, reply.json]).toEqual([200, {}])
    expect(await sessionOf(closed, asked)).toMatchObject({ state: 'ResponseVerified' })
    expect((await refused({}, closed))[1]).toContain('profile draft24 is not open here')
  } finally {
    await closed.close()
  }
})
