import { compactDecrypt, decodeJwt, decodeProtectedHeader, exportJWK, generateKeyPair, type JWK } from 'jose'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { RemoteRequestOptions } from '../../../support/remote-verifier.js'
import { newRemoteKey } from '../../../support/wallet-callbacks.js'
import { type DraftWorld, disclosed, makeDraftWorld, VP_FORMATS } from '../../draft-world.js'

let world: DraftWorld
/** The key for encrypted answers. */
let encryption: { readonly privateKey: Awaited<ReturnType<typeof generateKeyPair>>['privateKey']; readonly jwk: JWK }

beforeAll(async () => {
  world = await makeDraftWorld()
  const { privateKey, publicKey } = await generateKeyPair('ECDH-ES', { extractable: true })
  encryption = { privateKey, jwk: { ...(await exportJWK(publicKey)), kid: 'jarm-key', use: 'enc' } }
})
afterAll(() => world.close())

const diploma = () => ({ credentials: [{ id: 'diploma', format: 'dc+sd-jwt', meta: { vct_values: [world.vct] } }] })

const definition = () => ({
  id: 'a definition',
  input_descriptors: [
    {
      id: 'a diploma',
      format: { 'vc+sd-jwt': {} },
      constraints: {
        limit_disclosure: 'required',
        fields: [
          { path: ['$.vct'], filter: { type: 'string', const: world.vct } },
          { path: ['$.degree', '$.credentialSubject.degree'] },
        ],
      },
    },
  ],
})

const draft24 = (options: RemoteRequestOptions = {}): RemoteRequestOptions => ({
  clientId: world.verifier.key.did,
  ...options,
  payload: { client_id: world.verifier.key.did, client_metadata: { vp_formats: {} }, ...options.payload },
})

/** The parameters of the last answer to the verifier. */
const lastForm = () => Object.fromEntries(new URLSearchParams(world.verifier.seen.at(-1)?.text))

describe('a verifier of draft 24 by DCQL', () => {
  it('is answered with single presentations by id, for its client identifier without a prefix', async () => {
    const answer = await world.wallet.process(await world.verifier.request(diploma(), draft24()))
    expect(answer.status).toBe(200)
    const { diploma: presentation } = JSON.parse(lastForm().vp_token ?? '{}')
    expect(decodeJwt(presentation.split('~').at(-1)).aud).toBe(world.verifier.key.did)
    expect(lastForm()).not.toHaveProperty('presentation_submission')
  })

  it('that omits meta, as draft 24 §6.1 allows', async () => {
    const credentials = [
      { id: 'a', format: 'jwt_vc_json' },
      { id: 'b', format: 'dc+sd-jwt', claims: [{ path: ['degree'] }] },
    ]
    const answer = await world.wallet.process(await world.verifier.request({ credentials }, draft24()))
    expect(answer.status).toBe(200)
    expect(Object.keys(world.lastResponse().presentations).sort()).toEqual(['a', 'b'])
  })

  it.each([
    ['A256GCM', 'A256GCM'],
    [undefined, 'A128CBC-HS256'],
  ])(
    'gets an answer that is encrypted by JARM (authorization_encrypted_response_enc %s): by %s',
    async (asked, used) => {
      const metadata = {
        vp_formats: {},
        jwks: { keys: [encryption.jwk] },
        authorization_encrypted_response_alg: 'ECDH-ES',
        authorization_encrypted_response_enc: asked,
      }
      const options = draft24({ mode: 'direct_post.jwt', payload: { client_metadata: metadata } })
      // The verifier of the tests has another key, so this test decrypts the answer.
      await world.wallet.process(await world.verifier.request(diploma(), options))
      const { response = '' } = lastForm()
      expect(decodeProtectedHeader(response)).toMatchObject({ alg: 'ECDH-ES', enc: used, kid: 'jarm-key' })
      const { plaintext } = await compactDecrypt(response, encryption.privateKey)
      expect(JSON.parse(new TextDecoder().decode(plaintext)).vp_token).toEqual({ diploma: expect.any(String) })
    },
  )

  it('by POST: the wallet names client_id_schemes_supported (draft 24 §10.1)', async () => {
    await world.wallet.process(await world.verifier.request(diploma(), draft24({ method: 'post' })))
    const posted = world.verifier.seen.findLast(({ path, method }) => path === '/request' && method === 'POST')
    const metadata = JSON.parse(new URLSearchParams(posted?.text).get('wallet_metadata') ?? '{}')
    expect(metadata.client_id_schemes_supported).toEqual(expect.arrayContaining(['did', 'redirect_uri']))
    expect(metadata).not.toHaveProperty('client_id_prefixes_supported')
  })
})

describe('a verifier by Presentation Exchange', () => {
  it.each([
    ['draft 21, did', {}],
    ['draft 21, encrypted', { mode: 'direct_post.jwt' as const }],
    ['draft 21, by POST', { method: 'post' as const }],
    ['draft 21, typ JWT, which RFC 9101 allows', { header: { typ: 'JWT' } }],
  ])('of %s', async (_what, options: RemoteRequestOptions) => {
    const jarm = {
      client_metadata: {
        vp_formats: VP_FORMATS,
        authorization_encrypted_response_alg: 'ECDH-ES',
        authorization_encrypted_response_enc: 'A256GCM',
        ...(options.mode === undefined ? {} : { jwks: { keys: [encryption.jwk] } }),
      },
    }
    const answer = await world.wallet.process(await world.exchange(definition(), { ...options, payload: jarm }))
    if (options.mode !== undefined) {
      const { plaintext } = await compactDecrypt(lastForm().response ?? '', encryption.privateKey)
      const { vp_token: vpToken, presentation_submission: submission } = JSON.parse(new TextDecoder().decode(plaintext))
      expect(disclosed(vpToken)).toEqual(['degree'])
      expect(submission.definition_id).toBe('a definition')
      return
    }
    expect(answer.status).toBe(200)
    expect(world.lastResponse().submission).toEqual({
      id: expect.any(String),
      definition_id: 'a definition',
      descriptor_map: [{ id: 'a diploma', format: 'vc+sd-jwt', path: '$' }],
    })
    const [presentation] = world.lastResponse().presentations['a diploma'] ?? []
    expect(disclosed(presentation)).toEqual(['degree'])
    expect(decodeJwt(String(presentation).split('~').at(-1) ?? '').aud).toBe(world.verifier.key.did)
  })

  it('of draft 24, whose client identifier is a DID', async () => {
    const payload = { client_id_scheme: undefined }
    const answer = await world.wallet.process(await world.exchange(definition(), { address: {}, payload }))
    expect(answer.status).toBe(200)
    expect(world.lastResponse().submission?.definition_id).toBe('a definition')
  })

  it('of draft 21 with a certificate: its client identifier is only the name', async () => {
    const answer = await world.answered(definition(), {
      prefix: 'x509_san_dns',
      clientId: '127.0.0.1',
      address: { client_id_scheme: 'x509_san_dns' },
      payload: { client_id: '127.0.0.1', client_id_scheme: 'x509_san_dns' },
    })
    expect(answer.status).toBe(200)
    const [presentation] = world.lastResponse().presentations['a diploma'] ?? []
    expect(decodeJwt(String(presentation).split('~').at(-1) ?? '').aud).toBe('127.0.0.1')
  })

  it('of draft 21 that does not sign, and omits its response_uri (§5.7)', async () => {
    const responseUri = `${world.verifier.url}/response?id=none`
    const params = new URLSearchParams({
      client_id: responseUri,
      client_id_scheme: 'redirect_uri',
      response_type: 'vp_token',
      response_mode: 'direct_post',
      nonce: 'n',
      presentation_definition: JSON.stringify(definition()),
      client_metadata: JSON.stringify({ vp_formats: VP_FORMATS }),
    })
    const answer = await world.wallet.process(`openid4vp://?${params}`)
    // No server listens at that address. The error shows that the wallet sent its answer there.
    expect(answer.json.message).toContain('The verifier refused the presentation')
    expect(JSON.parse(lastForm().presentation_submission ?? '{}').definition_id).toBe('a definition')
  })

  it('in a flow: the user sees a DCQL query and chooses', async () => {
    const authorization = world.wallet.authorization
    const body = { qrContent: await world.exchange(definition()), did: world.wallet.did }
    const started = await world.service.request('POST', '/flows', { authorization, body })
    expect(started.status).toBe(201)
    const { processId, query, matchingCredentials, verifier } = started.json.data
    expect(verifier).toEqual({ id: world.verifier.key.did, name: 'Remote verifier' })
    expect(query.credentials).toMatchObject([{ format: 'dc+sd-jwt', meta: { vct_values: [world.vct] } }])
    const [selectedCredential] = matchingCredentials
    const confirmed = await world.service.request('POST', `/flows/${processId}/confirm`, {
      authorization,
      body: { type: 'presentation', selectedCredential },
    })
    expect(confirmed.status).toBe(200)
    expect(world.lastResponse().submission?.descriptor_map).toHaveLength(1)
  })
})

describe('members of 1.0 and of drafts in one request: the members of 1.0 count', () => {
  const last = () => JSON.parse(lastForm().vp_token ?? '{}').diploma

  it.each([
    ['presentation_definition beside dcql_query', () => ({ payload: { presentation_definition: definition() } })],
    ['client_id_scheme beside a prefix', () => ({ payload: { client_id_scheme: 'did' } })],
    [
      'vp_formats beside vp_formats_supported',
      () => ({ payload: { client_metadata: { vp_formats: VP_FORMATS, vp_formats_supported: { 'dc+sd-jwt': {} } } } }),
    ],
    [
      'only vp_formats, with a prefix that is newer',
      () => ({ payload: { client_metadata: { vp_formats: VP_FORMATS } } }),
    ],
  ])('%s', async (_what, options) => {
    const answer = await world.wallet.process(await world.verifier.request(diploma(), options()))
    expect(answer.status).toBe(200)
    expect(last()).toEqual([expect.any(String)])
  })

  it('JARM members together with members of 1.0', async () => {
    const client_metadata = {
      vp_formats_supported: {},
      jwks: { keys: [{ ...encryption.jwk, alg: 'ECDH-ES' }] },
      encrypted_response_enc_values_supported: ['A128GCM'],
      authorization_encrypted_response_alg: 'RSA-OAEP',
      authorization_encrypted_response_enc: 'A256GCM',
    }
    const options = { mode: 'direct_post.jwt', payload: { client_metadata } } as const
    await world.wallet.process(await world.verifier.request(diploma(), options))
    expect(decodeProtectedHeader(lastForm().response ?? '')).toMatchObject({ alg: 'ECDH-ES', enc: 'A128GCM' })
  })
})

describe('a request of a draft that is refused', () => {
  it.each([
    [
      'another client_id_scheme in the address than in the request object',
      { address: { client_id_scheme: 'x509_san_dns' } },
      'The authorization request has another client_id_scheme than its address.',
    ],
    [
      'an unknown scheme',
      { address: {}, payload: { client_id_scheme: 'entity_id' } },
      'Verifiers of the kind entity_id are not known to this wallet.',
    ],
    [
      'no scheme and no prefix: a pre-registered client',
      { clientId: 'shop', address: {}, payload: { client_id: 'shop', client_id_scheme: undefined } },
      'Verifiers of the kind pre-registered are not known to this wallet.',
    ],
    [
      'a typ that is neither',
      { header: { typ: 'at+jwt' } },
      'The authorization request is signed, but its typ does not name a request object.',
    ],
  ] satisfies [string, RemoteRequestOptions, string][])('%s', async (_what, options, message) => {
    const before = world.verifier.refusals.length
    expect(await world.answered(definition(), options)).toEqual({ status: 500, message })
    expect(world.verifier.refusals.length).toBe(before)
  })

  it('signed with another key than the DID’s', async () => {
    const answer = await world.answered(definition(), { signer: await newRemoteKey() })
    expect(answer.message).toContain('signature is refused')
  })

  it('by a DID in an unsigned request', async () => {
    const params = new URLSearchParams({
      client_id: world.verifier.key.did,
      client_id_scheme: 'did',
      response_type: 'vp_token',
      response_mode: 'direct_post',
      response_uri: `${world.verifier.url}/response`,
      nonce: 'n',
      presentation_definition: JSON.stringify(definition()),
    })
    const answer = await world.wallet.process(`openid4vp://?${params}`)
    expect(answer.json.message).toContain('must sign its requests')
  })

  it.each(['direct_post', 'direct_post.jwt'] as const)(
    'that demands a signed response (JARM), which hosted wallets do not support: by %s',
    async (mode) => {
      const client_metadata = { vp_formats: VP_FORMATS, authorization_signed_response_alg: 'ES256' }
      const before = world.verifier.refusals.length
      const answer = await world.answered(definition(), { mode, payload: { client_metadata } })
      // Without JARM no answer is signed.
      if (mode === 'direct_post') return expect(answer.status).toBe(200)
      expect(answer).toEqual({ status: 500, message: 'The authorization request requires a signed response.' })
      expect(world.verifier.refusals.slice(before)).toMatchObject([{ error: 'invalid_request', encrypted: false }])
    },
  )

  it('with a definition by reference, which is not fetched: invalid_request', async () => {
    const seen = world.verifier.seen.length
    const payload = { presentation_definition_uri: `${world.verifier.url}/definition` }
    const answer = await world.answered(undefined, { payload })
    expect(answer.status).toBe(500)
    expect(world.verifier.refusals.at(-1)).toMatchObject({ error: 'invalid_request' })
    expect(world.verifier.seen.slice(seen).map(({ path }) => path)).not.toContain('/definition')
  })
})
