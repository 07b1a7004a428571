import { describe, expect, it } from 'vitest'
import { createVpJwt } from '../../../../server/protocol/jwt-vc/presentation.js'
import {
  ask,
  dcql,
  decodeJwt,
  encrypt,
  ITEM,
  issue,
  postForm,
  present,
  type RequestPayload,
  sessionOf,
  vct,
} from '../../actors.js'
import type { Definition } from '../../exchange-wallet.js'
import { FORMATS, useWorld } from '../../world.js'

const world = useWorld({ env: { VERIFIER_LEGACY_PROFILES: 'draft21 draft24' } })

type Payload = RequestPayload & { readonly presentation_definition: Definition }

async function drafted(body: Record<string, unknown> = {}) {
  const { asked, payload } = await world.asked('dc+sd-jwt', { profile: 'draft21', ...body })
  return { asked, payload: payload as Payload }
}

async function refused(body: Record<string, unknown>) {
  const { service } = world
  const reply = await service.request('POST', '/authorization-requests', {
    authorization: await service.bearer('verifier'),
    body: { profile: 'draft21', dcqlQuery: dcql(service, 'dc+sd-jwt'), ...body },
  })
  return [reply.status, [reply.json.message].flat().join()]
}

const shown = (payload: RequestPayload) => present(world.held['dc+sd-jwt'], world.wallet, payload)

const submission = (payload: Payload, ...map: unknown[]) => ({
  id: 's',
  definition_id: payload.presentation_definition.id,
  descriptor_map: map.length > 0 ? map : [{ id: 'purchase', format: 'vc+sd-jwt', path: '$' }],
})

const post = (payload: Payload, vp_token: string, sent: unknown) =>
  postForm(payload.response_uri, { vp_token, presentation_submission: JSON.stringify(sent), state: payload.state })

const inVp = (id: string, at: number, path = '$') => ({
  id,
  format: 'jwt_vp_json',
  path,
  path_nested: { id, format: 'jwt_vc_json', path: `$.vp.verifiableCredential[${at}]` },
})

async function resultOf(asked: Parameters<typeof world.resultOf>[0]) {
  return (await world.resultOf(asked)).credentials
}

describe('a request of profile draft21 (OpenID4VP draft 21 §5)', () => {
  it('has only the names of the draft', async () => {
    const { asked, payload } = await drafted({ responseMode: 'direct_post.jwt' })
    expect(Object.keys(payload).sort()).toEqual([
      'aud',
      'client_id',
      'client_id_scheme',
      'client_metadata',
      'exp',
      'iat',
      'nonce',
      'presentation_definition',
      'response_mode',
      'response_type',
      'response_uri',
      'state',
    ])
    expect(payload).toMatchObject({ client_id: expect.stringMatching(/^did:/), client_id_scheme: 'did' })
    const algorithms = expect.arrayContaining(['ES256', 'EdDSA'])
    const format = { 'vc+sd-jwt': { 'sd-jwt_alg_values': algorithms, 'kb-jwt_alg_values': algorithms } }
    expect(payload.client_metadata).toEqual({
      vp_formats: {
        ...format,
        jwt_vc_json: { alg: algorithms },
        jwt_vp_json: { alg: algorithms },
        // DIF calls the formats by these names.
        jwt_vc: { alg: algorithms },
        jwt_vp: { alg: algorithms },
      },
      jwks: { keys: [expect.objectContaining({ crv: 'P-256', use: 'enc', alg: 'ECDH-ES', kid: expect.any(String) })] },
      authorization_encrypted_response_alg: 'ECDH-ES',
      authorization_encrypted_response_enc: 'A256GCM',
    })
    expect(payload.presentation_definition).toEqual({
      id: expect.stringMatching(/^.{16,}$/),
      input_descriptors: [
        {
          id: 'purchase',
          format,
          constraints: {
            limit_disclosure: 'required',
            fields: [
              { path: ['$.vct'], filter: { type: 'string', const: vct(world.service) } },
              { path: ['$.product'] },
            ],
          },
        },
      ],
    })
    // Draft 21 §5: the address contains `client_id_scheme` too.
    expect(Object.fromEntries(new URL(asked.authorizationRequestUri).searchParams)).toEqual({
      client_id: payload.client_id,
      client_id_scheme: 'did',
      request_uri: asked.request_uri,
      request_uri_method: 'post',
    })
  })

  it('lists every format that its input descriptors name, because wallets ignore other formats (§5.1)', async () => {
    const { payload } = await drafted({ dcqlQuery: undefined, query: [ITEM] })
    const { vp_formats: listed } = payload.client_metadata as { vp_formats: object }
    const named = payload.presentation_definition.input_descriptors.flatMap(({ format }) => Object.keys(format))
    expect(named.sort()).toEqual(['jwt_vc', 'jwt_vc_json', 'jwt_vp', 'jwt_vp_json', 'vc+sd-jwt'])
    expect(Object.keys(listed)).toEqual(expect.arrayContaining(named))
  })

  it('is the same at each fetch', async () => {
    const { asked, payload } = await drafted()
    const again = decodeJwt(await (await fetch(asked.request_uri)).text())
    expect(again.presentation_definition).toEqual(payload.presentation_definition)
  })

  it('that is not signed identifies the verifier by its response_uri (§5.7)', async () => {
    const asked = await ask(world.service, {
      profile: 'draft21',
      clientIdPrefix: 'redirect_uri',
      dcqlQuery: dcql(world.service, 'jwt_vc_json'),
    })
    const address = new URL(asked.authorizationRequestUri).searchParams
    expect(address.get('client_id')).toBe(address.get('response_uri'))
    expect(address.get('client_id_scheme')).toBe('redirect_uri')
    expect(JSON.parse(address.get('presentation_definition') ?? '')).toHaveProperty('input_descriptors')
    expect(address.has('dcql_query')).toBe(false)
  })

  it('omits the formats that the wallet lacks according to its metadata, under the names of the draft (§8.1)', async () => {
    const asked = await ask(world.service, { profile: 'draft21', query: [ITEM] })
    const definitionFor = async (vp_formats_supported: unknown) => {
      const wallet_metadata = JSON.stringify({ vp_formats_supported, client_id_schemes_supported: ['did'] })
      const reply = await postForm(asked.request_uri, { wallet_metadata })
      return decodeJwt<Payload>(reply.text).presentation_definition.input_descriptors.map(({ id }) => id)
    }
    expect(await definitionFor({ 'vc+sd-jwt': {} })).toEqual(['item-0-sd-jwt'])
    expect(await definitionFor({ 'dc+sd-jwt': {}, jwt_vc_json: {} })).toEqual(['item-0-jwt-vc'])
  })

  it.each([
    [{ clientIdPrefix: 'x509_hash' }, /^clientIdPrefix must be (?!.*x509_hash).* with profile draft21$/],
    [{ verifierInfo: [{ format: 'jwt', data: 'x' }] }, /^verifierInfo must be left out with profile draft21$/],
    [
      { transactionData: [{ type: 'payment', credential_ids: ['purchase'] }] },
      /^transactionData must be left out with profile draft21$/,
    ],
  ])('is refused with members that the draft cannot express: %j', async (body, message) => {
    expect(await refused(body)).toEqual([400, expect.stringMatching(message)])
  })

  it('is refused with a query that Presentation Exchange cannot express', async () => {
    expect(await refused({ dcqlQuery: dcql(world.service, 'dc+sd-jwt', { multiple: true }) })).toEqual([
      400,
      'dcqlQuery.credentials.0.multiple must not be true with profile draft21',
    ])
    const path = Array.from({ length: 16 }, (_, index) => `$.credentialSubject.a${index}`)
    const query = Array.from({ length: 4 }, () => ({ fields: [{ path }] }))
    expect(await refused({ dcqlQuery: undefined, query })).toEqual([
      400,
      'query must not have more than 64 credentials and claim_sets with profile draft21',
    ])
  })
})

describe('an answer to a request of profile draft21 (§6)', () => {
  it('has one unchanged presentation and a submission, unencrypted and encrypted', async () => {
    const { asked, payload } = await drafted()
    expect((await post(payload, await shown(payload), submission(payload))).json).toEqual({})
    expect(await resultOf(asked)).toMatchObject([
      { credentialQueryId: 'purchase', claims: { product: expect.anything() } },
    ])
    for (const presentation_submission of ['object', 'text']) {
      const encrypted = await drafted({ responseMode: 'direct_post.jwt' })
      const sent = submission(encrypted.payload)
      const response = await encrypt(encrypted.payload, {
        vp_token: await shown(encrypted.payload),
        presentation_submission: presentation_submission === 'object' ? sent : JSON.stringify(sent),
        state: encrypted.payload.state,
      })
      expect((await postForm(encrypted.payload.response_uri, { response })).status).toBe(200)
    }
  })

  it('may contain credentials for several descriptors in one presentation', async () => {
    const { service, wallet, held } = world
    const other = await issue(service, wallet, 'jwt_vc_json', { product: 'Toaster' })
    const [first] = dcql(service, 'jwt_vc_json').credentials
    const path = ['credentialSubject', 'product']
    const dcqlQuery = {
      credentials: [
        { ...first, id: 'a', claims: [{ path, values: ['Toaster'] }] },
        { ...first, id: 'b', claims: [{ path, values: ['Espresso machine'] }] },
      ],
    }
    for (const [at, state] of [
      [[1, 0], 'ResponseVerified'],
      [[0, 1], 'Error'],
    ] as const) {
      const { asked, payload } = await drafted({ dcqlQuery })
      const vp = await createVpJwt({
        signer: wallet.signer,
        holder: wallet.did,
        credentials: [held.jwt_vc_json.credential, other.credential],
        nonce: payload.nonce,
        audience: payload.client_id,
        issuedAt: new Date(),
      })
      await post(payload, vp, submission(payload, inVp('a', at[0]), inVp('b', at[1])))
      expect(await sessionOf(service, asked)).toMatchObject({ state })
    }
    const { asked, payload } = await drafted({ dcqlQuery: { credentials: dcqlQuery.credentials.slice(1) } })
    const vp = await present(held.jwt_vc_json, wallet, payload)
    await post(payload, vp, submission(payload, inVp('b', 7)))
    expect(await sessionOf(service, asked)).toMatchObject({
      state: 'Error',
      errorMessage: 'Presentation for b: presentation_submission names a place without a credential.',
    })
  })

  it.each(FORMATS)(
    'may have one %s for two descriptors, and the query checks it for each descriptor',
    async (format) => {
      const { service, held, wallet } = world
      const [first] = dcql(service, format).credentials
      const path = format === 'dc+sd-jwt' ? ['product'] : ['credentialSubject', 'product']
      for (const [product, state] of [
        ['Espresso machine', 'ResponseVerified'],
        ['Toaster', 'Error'],
      ] as const) {
        const dcqlQuery = {
          credentials: [
            { ...first, id: 'a' },
            { ...first, id: 'b', claims: [{ path, values: [product] }] },
          ],
        }
        const { asked, payload } = await drafted({ dcqlQuery })
        const map = ['a', 'b'].map((id) =>
          format === 'dc+sd-jwt' ? { id, format: 'vc+sd-jwt', path: '$' } : inVp(id, 0),
        )
        await post(payload, await present(held[format], wallet, payload), submission(payload, ...map))
        expect(await sessionOf(service, asked)).toMatchObject({ state })
      }
    },
  )

  const S = 'Parameter presentation_submission'

  it.each<[string, (payload: Payload) => unknown, string]>([
    [
      'for another definition',
      (payload) => ({ ...submission(payload), definition_id: 'x' }),
      `${S} is for another presentation_definition.`,
    ],
    [
      'out of bounds',
      (payload) => submission(payload, { id: 'purchase', format: 'vc+sd-jwt', path: '$[1]' }),
      `${S} has a path for purchase that leads to no presentation.`,
    ],
    [
      'of another format',
      (payload) => submission(payload, { id: 'purchase', format: 'jwt_vp_json', path: '$' }),
      `${S} names another format for purchase than was asked for.`,
    ],
    [
      'for an unknown descriptor',
      (payload) => submission(payload, { id: 'other', format: 'vc+sd-jwt', path: '$' }),
      `${S} names an unknown descriptor.`,
    ],
    [
      'that is huge',
      (payload) => ({ ...submission(payload), filler: 'x'.repeat(40_000) }),
      `${S} is longer than 32768 characters.`,
    ],
    ['that is none', () => null, `${S} is malformed.`],
  ])('with a submission %s leaves the request open', async (_, sent, sentence) => {
    const { asked, payload } = await drafted()
    await world.expectStillOpen(asked, await post(payload, await shown(payload), sent(payload)), sentence)
    // The same wallet may still answer correctly.
    expect((await post(payload, await shown(payload), submission(payload))).status).toBe(200)
  })

  it('in the form of 1.0 is refused, because it lacks the submission of the draft', async () => {
    const { asked, payload } = await drafted()
    const form = { vp_token: JSON.stringify({ purchase: [await shown(payload)] }), state: payload.state }
    await world.expectStillOpen(asked, await postForm(payload.response_uri, form), `${S} is missing.`)
  })

  it.each([
    ['for another audience', { audience: 'did:web:other.example' }, 'Key Binding JWT aud is not this verifier.'],
    ['with another nonce', { nonce: 'x' }, 'Key Binding JWT nonce is not that of the request.'],
  ])('is verified like any other answer: %s', async (_, options, reason) => {
    const { asked, payload } = await drafted()
    const presentation = await present(world.held['dc+sd-jwt'], world.wallet, payload, options)
    const reply = await post(payload, presentation, submission(payload))
    expect(reply.json.error_description).toBe(`Presentation for purchase: ${reason}`)
    expect(await sessionOf(world.service, asked)).toMatchObject({ state: 'Error' })
  })

  it('is checked against the query, not the submission', async () => {
    const { service, held, wallet } = world
    const { asked, payload } = await drafted()
    // The submission says that the presentation is an SD-JWT VC, but it is a JWT VC.
    const vp = await present(held.jwt_vc_json, wallet, payload)
    expect((await post(payload, vp, submission(payload))).status).toBe(400)
    expect(await sessionOf(service, asked)).toMatchObject({ state: 'Error' })
    const claims = [{ path: ['product'], values: ['Toaster'] }]
    const other = await drafted({ dcqlQuery: dcql(service, 'dc+sd-jwt', { claims }) })
    const reply = await post(other.payload, await shown(other.payload), submission(other.payload))
    expect(reply.json.error_description).toBe(
      'Credential purchase holds none of the values asked for in the claim product.',
    )
  })

  it('with both of two alternative claim sets has more than was requested', async () => {
    const claims = [
      { id: 'x', path: ['product'] },
      { id: 'y', path: ['price'] },
    ]
    const members = { claims, claim_sets: [['x'], ['y']] }
    const { payload } = await drafted({ dcqlQuery: dcql(world.service, 'dc+sd-jwt', members) })
    const map = ['purchase.0', 'purchase.1'].map((id, index) => ({ id, format: 'vc+sd-jwt', path: `$[${index}]` }))
    const both = JSON.stringify([await shown(payload), await shown(payload)])
    const reply = await post(payload, both, submission(payload, ...map))
    expect(reply.json.error_description).toBe('Credential purchase has more than one presentation.')
  })

  it('ends the session with the error of the wallet, like any other answer', async () => {
    const { asked, payload } = await drafted({ responseMode: 'direct_post.jwt' })
    const form = { error: 'invalid_presentation_definition_uri', state: payload.state }
    expect((await postForm(payload.response_uri, form)).status).toBe(200)
    expect(await sessionOf(world.service, asked)).toMatchObject({
      state: 'Error',
      errorMessage: 'Wallet answered invalid_presentation_definition_uri.',
    })
  })
})
