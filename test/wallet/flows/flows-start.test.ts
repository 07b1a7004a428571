import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { SUBJECT } from '../../issuer/purchase.js'
import { DIPLOMA_JWT, DIPLOMA_SD_JWT, startRemoteIssuer } from '../../support/remote-issuer.js'
import { startRemoteVerifier } from '../../support/remote-verifier.js'
import type { Answer } from '../../support/service.js'
import { newWallet } from '../../support/wallet.js'
import { newRemoteKey } from '../../support/wallet-callbacks.js'
import { startRemoteServer } from '../../support/wallet-http.js'
import { ask, sessionOf } from '../../verifier/actors.js'
import { type FlowWorld, makeFlowWorld } from '../flow-world.js'
import { BROKEN, NEITHER, UNKNOWN } from '../no-invitations.js'

let world: FlowWorld

beforeAll(async () => {
  world = await makeFlowWorld()
})
beforeEach(() => {
  world.later = 0
})
afterAll(() => world.close())

describe('every form of an offer that can be scanned', () => {
  const started = (answer: Answer) => {
    expect(answer.status).toBe(201)
    expect(answer.json).toEqual({
      flowType: 'claim',
      data: {
        processId: expect.stringMatching(/^[0-9a-f-]{36}$/),
        status: 'initialized',
        offering: { credential_type: world.type, credential_subject: SUBJECT },
      },
    })
  }

  it('an offer by reference', async () => started(await world.start((await world.offering()).offering_full_url)))

  it('an offer by reference under the scheme of HAIP 1.0 §4.2', async () => {
    const { offering_full_url: url } = await world.offering()
    started(await world.start(url.replace(/^[a-z-]+:/, 'haip-vci:')))
  })

  it('an offer by value', async () => {
    const { offering_full_url: url } = await world.offering()
    const uri = new URL(url).searchParams.get('credential_offer_uri') ?? ''
    const value = await (await fetch(uri)).text()
    started(await world.start(`openid-credential-offer://?credential_offer=${encodeURIComponent(value)}`))
  })

  it('the address of the offering’s QR code', async () =>
    started(await world.start((await world.offering()).qr_code_url)))

  it('the https address of the offer itself', async () => {
    const uri = new URL((await world.offering()).offering_full_url).searchParams.get('credential_offer_uri') ?? ''
    started(await world.start(uri))
  })

  it('an https link that contains the offer', async () => {
    const { search } = new URL((await world.offering()).offering_full_url)
    started(await world.start(`https://world.wallet.example/offer${search}`))
  })

  it('an offer of a remote issuer, whose subject is unknown until it is issued', async () => {
    await using issuer = await startRemoteIssuer()
    const answer = await world.start(await issuer.offer([DIPLOMA_JWT]))
    expect(answer.json.data).toMatchObject({
      status: 'initialized',
      offering: { credential_type: 'Diploma', credential_subject: {} },
    })
    const reference = new URL(await issuer.offerByReference([DIPLOMA_SD_JWT])).searchParams.get('credential_offer_uri')
    expect((await world.start(reference ?? '')).json.data.offering.credential_type).toBe(`${issuer.url}/vct/diploma`)
  })
})

describe('every form of a request that can be scanned', () => {
  const started = (answer: Answer) => {
    expect(answer.status).toBe(201)
    expect(answer.json.flowType).toBe('presentation')
    expect(answer.json.data).toMatchObject({
      processId: expect.stringMatching(/^[0-9a-f-]{36}$/),
      status: 'initialized',
      verifier: { id: expect.stringMatching(/^decentralized_identifier:did:/) },
      query: { credentials: [{ id: 'purchase', format: 'jwt_vc_json' }] },
      matchingCredentials: [],
    })
  }

  it('openid4vp:// with a request_uri', async () =>
    started(await world.start((await ask(world.service, { dcqlQuery: world.dcqlQuery() })).authorizationRequestUri)))

  it('the address of the request object', async () =>
    started(await world.start((await ask(world.service, { dcqlQuery: world.dcqlQuery() })).request_uri)))

  it('the address of the request’s QR code', async () =>
    started(await world.start((await ask(world.service, { dcqlQuery: world.dcqlQuery() })).qr_code_url)))

  it('a request of a remote verifier, by its name', async () => {
    await using verifier = await startRemoteVerifier()
    const answer = await world.start(await verifier.request(world.dcqlQuery()))
    expect(answer.json.data.verifier).toEqual({
      id: `decentralized_identifier:${verifier.key.did}`,
      name: 'Remote verifier',
    })
    // The wallet presents nothing before the confirmation.
    expect(verifier.responses).toEqual([])
  })

  it('changes the session only to RequestUriRetrieved', async () => {
    const asked = await ask(world.service, { dcqlQuery: world.dcqlQuery() })
    await world.start(asked.authorizationRequestUri)
    expect(await sessionOf(world.service, asked)).toMatchObject({ state: 'RequestUriRetrieved' })
  })
})

describe('flows that cannot be started', () => {
  it.each([...NEITHER, ['hello'], ['WIFI:S:cafe;T:WPA;P:secret;;'], ['{}'], ['null']])(
    '%s is neither an offer nor a request: 400',
    async (content) => {
      const answer = await world.start(content)
      expect([answer.status, answer.json.message, answer.json.error]).toEqual([400, UNKNOWN, 'Bad Request'])
    },
  )

  it.each(BROKEN)('%s breaks a rule: 400 that names the rule', async (content, rule) => {
    const answer = await world.start(content)
    expect([answer.status, answer.json.message]).toEqual([400, [rule]])
  })

  it.each([
    [{}, ['qrContent must be defined', 'did must be defined']],
    [{ qrContent: '', did: '' }, ['qrContent must not be empty', 'did must not be empty']],
    [{ qrContent: 'x', did: 'y', z: 1 }, ['property z should not exist']],
  ])('a body %j: 400', async (body, message) => {
    const answer = await world.service.request('POST', '/flows', { authorization: world.wallet.authorization, body })
    expect([answer.status, answer.json.message]).toEqual([400, message])
  })

  it('without a token: 401', async () => {
    const answer = await world.service.request('POST', '/flows', { body: { qrContent: 'x', did: 'y' } })
    expect([answer.status, answer.json.message]).toEqual([401, 'Unauthorized'])
  })

  it('an address with neither an offer nor a request: 500 with the reason', async () => {
    await using page = await startRemoteServer(() => ({
      '/page': () => ({ body: '<html></html>' }),
      '/object': () => ({ body: {} }),
    }))
    for (const path of ['/page', '/object']) {
      const answer = await world.start(page.url + path)
      expect(answer.status).toBe(500)
      expect(answer.json.message).toContain('serves neither a credential offer nor an authorization request')
    }
  })

  it('the QR code of an offering or a request that does not exist: 404', async () => {
    const id = crypto.randomUUID()
    const offer = await world.start(`${world.service.url}/api/v1/offerings/${id}/qr-code`)
    expect([offer.status, offer.json.message]).toEqual([404, 'Offering not found.'])
    const request = await world.start(`${world.service.url}/api/v1/verifier/qr-codes/${id}`)
    expect([request.status, request.json.message]).toEqual([404, 'QR code not found.'])
  })

  it('any other address of this service’s own API is not fetched', async () => {
    const answer = await world.start(`${world.service.url}/agent/holders`)
    expect(answer.status).toBe(500)
    expect(answer.json.message).toContain('this service itself')
  })
})

describe('the owner of the DID', () => {
  it.each([
    ['of another caller’s holder', async () => (await newWallet(world.service, 'bob')).did],
    ['that nobody here knows', async () => (await newRemoteKey()).did],
    [
      'of an issuer of this installation',
      async () =>
        (await world.service.request('GET', '/agent/issuers', { authorization: world.wallet.authorization })).json[0]
          .did,
    ],
  ])('a DID %s: 403, and nothing is fetched', async (_what, did) => {
    await using issuer = await startRemoteIssuer()
    const answer = await world.start(await issuer.offerByReference(), await did())
    expect([answer.status, answer.json.message]).toEqual([403, 'Access to holder denied.'])
    expect(issuer.seen).toEqual([])
  })

  it('a DID of the access token claims an offering of this installation: the credential belongs to the caller', async () => {
    const { did, authorization } = await world.guest()
    const { json } = await world.start((await world.offering()).offering_full_url, did, authorization)
    const answer = await world.confirm(json.data.processId, 'claim', { any: 'object' }, authorization)
    expect(answer.status).toBe(200)
    expect(answer.json).toMatchObject({ status: 'confirmed', message: 'Credential claimed.' })
    expect(answer.json.data.vc.credentialSubject).toEqual({ id: did, ...SUBJECT })
    const read = await world.service.request('GET', `/api/v1/credentials/${answer.json.data.id}`, { authorization })
    expect(read.json.vc).toEqual(answer.json.data.vc)
  })

  it('of several DIDs of a token the chosen DID is the subject', async () => {
    const [first, second] = [(await newRemoteKey()).did, (await newRemoteKey()).did]
    const authorization = await world.service.bearer('guest', { did: [first, second] })
    const { json } = await world.start((await world.offering()).offering_full_url, second, authorization)
    const answer = await world.confirm(json.data.processId, 'claim', {}, authorization)
    expect(answer.json.data.vc.credentialSubject.id).toBe(second)
  })

  it('a DID without a key in this service cannot take offers of other issuers and cannot present: 400', async () => {
    const { did, authorization } = await world.guest()
    await using issuer = await startRemoteIssuer()
    const offer = await world.start(await issuer.offer(), did, authorization)
    expect([offer.status, offer.json.message]).toEqual([
      400,
      ['did must be a DID of a hosted holder to take the offer of another issuer'],
    ])
    const asked = await ask(world.service, { dcqlQuery: world.dcqlQuery() })
    const request = await world.start(asked.authorizationRequestUri, did, authorization)
    expect([request.status, request.json.message]).toEqual([
      400,
      ['did must be a DID of a hosted holder to present credentials'],
    ])
    expect(await sessionOf(world.service, asked)).toMatchObject({ state: 'RequestCreated' })
  })
})
