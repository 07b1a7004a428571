import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { signCompact } from '../../server/protocol/jose/jws.js'
import { credentialOf, type Issuer, JWT_VC, refusalOf, SD_JWT, SUBJECT } from '../issuer/openid4vci/actors.js'
import { newWallet as newHostedWallet } from '../support/wallet.js'
import { newWallet, type WalletActor } from '../support/wallet-actor.js'
import { answer, ask, fetchRequest, queryIds, type RequestPayload, sessionOf } from '../verifier/actors.js'
import { payloadOfToy, withProof } from './toy/compact.js'
import { proofOf } from './toy/verifying.js'
import { startToyIssuer } from './world.js'

const TOY = `${JWT_VC}-toy`

let issuer: Issuer
let wallet: WalletActor

beforeAll(async () => {
  issuer = await startToyIssuer()
  wallet = await newWallet()
})
afterAll(() => issuer.service.close())

/** Lets the wallet take a toy credential with a new offer. */
async function taken(): Promise<string> {
  const { credentialOfferSessionId: id } = await issuer.makeOffer({ credentialConfigurationIds: [TOY] })
  return credentialOf(await issuer.take(await issuer.token(id), TOY, wallet))
}

const verdict = async (credential: string) =>
  (
    await issuer.service.request('POST', '/credentials/verify', {
      authorization: await issuer.service.bearer('verifier'),
      body: { credential },
    })
  ).json

const revoke = (credential: string) => {
  const { jti } = payloadOfToy(credential) as unknown as { jti: string }
  return issuer.service.request('POST', `/api/v1/credentials/${jti}/revoke`, { client: true })
}

const toyQuery = (members: Record<string, unknown> = {}) => ({
  credentials: [
    {
      id: 'purchase',
      format: 'toy',
      meta: { toy_value: JWT_VC },
      claims: [{ path: [JWT_VC, 'product'], values: ['Espresso machine'] }],
      ...members,
    },
  ],
})

/** Makes a request for a toy credential, and fetches it as a wallet does. */
async function asked(body: Record<string, unknown> = { dcqlQuery: toyQuery() }) {
  const request = await ask(issuer.service, { responseMode: 'direct_post', ...body })
  return { request, payload: await fetchRequest(request) }
}

const present = (credential: string, { nonce, client_id }: Pick<RequestPayload, 'nonce' | 'client_id'>) =>
  proofOf(wallet.signer, credential, nonce, client_id)

async function resultOf(request: { verificationSessionId: string }) {
  const path = `/verification-sessions/${request.verificationSessionId}/result`
  return (await issuer.service.request('GET', path, { authorization: await issuer.service.bearer('verifier') })).json
}

describe('the issuer of a format that was added with one folder and one line in the registry', () => {
  it('has a configuration of it for each type in its metadata', async () => {
    const { json } = await issuer.service.request('GET', '/.well-known/openid-credential-issuer')
    const configurations = json.credential_configurations_supported
    expect(Object.keys(configurations)).toEqual([JWT_VC, SD_JWT, TOY])
    expect(configurations[TOY]).toMatchObject({ format: 'toy', scope: TOY, toy_kind: JWT_VC })
    expect(configurations[TOY].credential_metadata.claims[0].path).toEqual([JWT_VC, 'product'])
  })

  it('offers it beside the other formats', async () => {
    const { id } = await issuer.makeOffering()
    const offer = await issuer.service.request('GET', `/openid4vci/offers/${id}`)
    expect(offer.json.credential_configuration_ids).toEqual([JWT_VC, SD_JWT, TOY])
  })

  it('issues it to a wallet, bound to the key that the wallet proved', async () => {
    const credential = await taken()
    expect(payloadOfToy(credential)).toMatchObject({ kind: JWT_VC, claims: SUBJECT, cnf: { jwk: { kty: 'EC' } } })
    expect(await verdict(credential)).toEqual({
      isValid: true,
      format: 'toy',
      payload: expect.objectContaining({ kind: JWT_VC, claims: SUBJECT }),
    })
  })

  it('signs it directly, and says so in its OpenAPI document', async () => {
    const signed = await issuer.service.request('POST', '/credentials/sign', {
      authorization: await issuer.authorization(),
      body: { type: JWT_VC, credential_subject: SUBJECT, format: 'toy', holder: wallet.did },
    })
    expect(signed.status, signed.text).toBe(201)
    expect(signed.json).toMatchObject({ format: 'toy', credential: expect.stringMatching(/^toy\./) })
    const { json } = await issuer.service.request('GET', '/api-docs-json')
    const { schema } = json.paths['/credentials/sign'].post.requestBody.content['application/json']
    expect(schema.properties.format.enum).toEqual(['jwt_vc_json', 'dc+sd-jwt', 'mso_mdoc', 'toy'])
  })

  it('takes no subject that the format cannot carry', async () => {
    const refused = await issuer.service.request('POST', '/credential-offers', {
      authorization: await issuer.authorization(),
      body: { credentialConfigurationIds: [TOY], credentialSubject: { ...SUBJECT, teddy: true } },
    })
    expect(refused.status).toBe(400)
    expect(refused.json.message).toContain('credentialSubject.teddy must not be given: the name is reserved in a toy')
  })
})

describe('the verifier of such a format', () => {
  it('asks for it by DCQL, and verifies a wallet’s presentation', async () => {
    const { request, payload } = await asked()
    expect(payload.client_metadata).toMatchObject({
      vp_formats_supported: { toy: { toy_alg_values: expect.any(Array) } },
    })
    const reply = await answer(payload, { purchase: [await present(await taken(), payload)] })
    expect(reply.status, reply.text).toBe(200)
    expect(await sessionOf(issuer.service, request)).toMatchObject({ state: 'ResponseVerified' })
    expect((await resultOf(request)).credentials).toEqual([
      {
        credentialQueryId: 'purchase',
        format: 'toy',
        issuer: expect.stringMatching(/^did:/),
        type: [JWT_VC],
        claims: SUBJECT,
      },
    ])
  })

  it('asks for it by a VP query, whose constraints it must satisfy', async () => {
    const fields = (minimum: number) => [
      { path: ['$.type'], filter: { type: 'array', contains: { const: JWT_VC } } },
      { path: ['$.credentialSubject.price'], filter: { type: 'number', minimum } },
    ]
    const { payload } = await asked({ query: [{ fields: fields(200) }] })
    expect(payload.dcql_query.credential_sets).toEqual([
      { options: [['item-0-sd-jwt'], ['item-0-jwt-vc'], ['item-0-toy']] },
    ])
    // The client's types do not contain this name, because it is not a format of the service.
    const [id = ''] = queryIds(payload, 'toy' as never)
    const credential = await taken()
    expect((await answer(payload, { [id]: [await present(credential, payload)] })).status).toBe(200)
    const { payload: dearer } = await asked({ query: [{ fields: fields(300) }] })
    expect(refusalOf(await answer(dearer, { [id]: [await present(credential, dearer)] }))).toEqual([
      400,
      'invalid_request',
      'Presentation for item-0-toy: $.credentialSubject.price does not satisfy minimum of its filter.',
    ])
  })

  it('checks queries for it by the rules of the format', async () => {
    const authorization = await issuer.service.bearer('verifier')
    const refusal = async (members: Record<string, unknown>) => {
      const body = { dcqlQuery: toyQuery(members) }
      const refused = await issuer.service.request('POST', '/authorization-requests', { authorization, body })
      expect(refused.status).toBe(400)
      return refused.json.message
    }
    expect(await refusal({ meta: { vct_values: ['x'] } })).toContain(
      'dcqlQuery.credentials.0.meta.toy_value must be defined',
    )
    expect(await refusal({ claims: [{ path: ['product'] }] })).toEqual([
      'dcqlQuery.credentials.0.claims.0.path.0 must be a kind and a claim',
    ])
    expect(await refusal({ format: 'puppet' })).toEqual([
      'dcqlQuery.credentials.0.format must be dc+sd-jwt, jwt_vc_json, mso_mdoc or toy',
    ])
  })

  const refusals = [
    [
      'one with the proof of another key',
      async (credential: string, { nonce, client_id: aud }: RequestPayload) => {
        const { signer } = await newWallet()
        return withProof(credential, await signCompact(signer, { typ: 'toy-proof+jwt' }, { nonce, aud }))
      },
      'Toy proof signature is invalid.',
    ],
    [
      'one that was made for another request',
      async (credential: string, { client_id }: RequestPayload) => present(credential, { nonce: 'other', client_id }),
      'Toy proof nonce is not that of the request.',
    ],
    ['one without a proof', async (credential: string) => credential, 'Presentation has no toy proof.'],
    [
      'one that was revoked',
      async (credential: string, payload: RequestPayload) => {
        expect((await revoke(credential)).status).toBe(200)
        return present(credential, payload)
      },
      'Credential has been revoked.',
    ],
  ] as const
  it.each(refusals)('attack: %s is refused', async (_, presentation, sentence) => {
    const { request, payload } = await asked()
    const reply = await answer(payload, { purchase: [await presentation(await taken(), payload)] })
    const message = `Presentation for purchase: ${sentence}`
    expect(refusalOf(reply)).toEqual([400, 'invalid_request', message])
    expect(await sessionOf(issuer.service, request)).toMatchObject({ state: 'Error', errorMessage: message })
  })

  it('attack: a presentation of one format does not pass for another', async () => {
    const { payload } = await asked({
      dcqlQuery: { credentials: [{ id: 'purchase', format: 'jwt_vc_json', meta: { type_values: [[JWT_VC]] } }] },
    })
    const reply = await answer(payload, { purchase: [await present(await taken(), payload)] })
    expect(reply.status).toBe(400)
  })

  it('refuses a presentation instead of a credential, and reports a revoked credential', async () => {
    const credential = await taken()
    expect(await verdict(await present(credential, { nonce: 'n', client_id: 'c' }))).toEqual({
      isValid: false,
      error: 'Credential carries a toy proof: presentations are not verified here.',
    })
    expect((await revoke(credential)).status).toBe(200)
    expect(await verdict(credential)).toEqual({ isValid: false, error: 'Credential has been revoked.' })
  })
})

describe('a hosted wallet', () => {
  it('takes, shows and presents a credential of such a format, and reports its revocation', async () => {
    const hosted = await newHostedWallet(issuer.service)
    const { credentialOfferUri } = await issuer.makeOffer({ credentialConfigurationIds: [TOY] })
    const received = await hosted.process(credentialOfferUri)
    expect(received.status, received.text).toBe(200)
    const [{ id }] = received.json.credentials
    expect(received.json.credentials).toMatchObject([{ format: 'toy', type: [JWT_VC], status: 'valid' }])
    const held = (await hosted.get(`/credentials/${id}`)).json
    expect(held.claims).toEqual({ [JWT_VC]: SUBJECT })

    const request = await ask(issuer.service, { dcqlQuery: toyQuery() })
    const started = await issuer.service.request('POST', '/flows', {
      authorization: hosted.authorization,
      body: { qrContent: request.authorizationRequestUri, did: hosted.did },
    })
    expect(started.json.data.matchingCredentials).toMatchObject([{ id, format: 'toy', credentialSubject: SUBJECT }])
    const presented = await hosted.process(request.authorizationRequestUri)
    expect(presented.status, presented.text).toBe(200)
    expect(await sessionOf(issuer.service, request)).toMatchObject({ state: 'ResponseVerified' })

    expect((await revoke(held.credential)).status).toBe(200)
    expect((await hosted.get(`/credentials/${id}`)).json.status).toBe('revoked')
  })

  it('does not answer a request for another format with it', async () => {
    const hosted = await newHostedWallet(issuer.service, 'bob')
    const { credentialOfferUri } = await issuer.makeOffer({ credentialConfigurationIds: [TOY] })
    expect((await hosted.process(credentialOfferUri)).status).toBe(200)
    const dcqlQuery = { credentials: [{ id: 'a', format: 'jwt_vc_json', meta: { type_values: [[JWT_VC]] } }] }
    const request = await ask(issuer.service, { dcqlQuery })
    const refused = await hosted.process(request.authorizationRequestUri)
    expect([refused.status, refused.json.message]).toEqual([
      500,
      'Could not find the required credentials for the presentation submission',
    ])
  })
})
