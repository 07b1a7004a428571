import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { postOffering, postSchema, SUBJECT } from '../issuer/purchase.js'
import { startRemoteIssuer } from '../support/remote-issuer.js'
import { startService, type TestService } from '../support/service.js'
import { type HostedWallet, LOOPBACK, newWallet } from '../support/wallet.js'
import { type Asked, ask, type Format, type ResponseMode, sessionOf } from '../verifier/actors.js'

/** The installation that hosts the wallets. */
let a: TestService
/** The service that issues and verifies. It has a separate database, so it is a different installation. */
let b: TestService
let type: string

beforeAll(async () => {
  a = await startService({ env: LOOPBACK })
  b = await startService({ env: LOOPBACK })
  type = (await postSchema(b, await b.bearer('issuer'))).name
})
afterAll(async () => {
  await a.close()
  await b.close()
})

const offering = (members: Record<string, unknown> = {}) => postOffering(b, { credential_type: type, ...members })

async function holding(method: 'key' | 'web' = 'key', members: Record<string, unknown> = {}): Promise<HostedWallet> {
  const wallet = await newWallet(a, 'alice', method)
  const taken = await wallet.process((await offering(members)).offering_full_url)
  expect([taken.status, taken.json.credentials.length]).toEqual([200, 2])
  return wallet
}

const dcql = (format: Format) => ({
  credentials: [
    format === 'dc+sd-jwt'
      ? { id: 'purchase', format, meta: { vct_values: [`${b.url}/vct/${type}`] }, claims: [{ path: ['product'] }] }
      : {
          id: 'purchase',
          format,
          meta: { type_values: [[type]] },
          claims: [{ path: ['credentialSubject', 'product'] }],
        },
  ],
})

const resultOf = async (asked: Asked) =>
  b.request('GET', `/verification-sessions/${asked.verificationSessionId}/result`, {
    authorization: await b.bearer('verifier'),
  })

const FORMATS: Format[] = ['dc+sd-jwt', 'jwt_vc_json']
const MODES: ResponseMode[] = ['direct_post', 'direct_post.jwt']
const METHODS = ['key', 'web'] as const
const CASES = FORMATS.flatMap((format) =>
  MODES.flatMap((responseMode) => METHODS.map((method) => ({ format, responseMode, method }))),
)

describe('the wallet of one installation takes credentials from another and presents them there', () => {
  it.each(CASES)('$format of a did:$method by $responseMode', async ({ format, responseMode, method }) => {
    const wallet = await holding(method)
    const asked = await ask(b, { dcqlQuery: dcql(format), responseMode })
    const answer = await wallet.process(asked.authorizationRequestUri)
    expect([answer.status, answer.json]).toEqual([200, { type: 'authorization_request' }])
    expect(await sessionOf(b, asked)).toMatchObject({ state: 'ResponseVerified' })
    expect((await resultOf(asked)).json.credentials).toMatchObject([
      { credentialQueryId: 'purchase', format, claims: { product: SUBJECT.product } },
    ])
  })

  it('a stored VP query, in either format, and the wallet receives the next address', async () => {
    const wallet = await holding()
    const stored = await b.request('POST', '/api/v1/verifier/vp-queries', {
      client: true,
      body: { query: [{ fields: [{ path: ['$.type'], filter: { type: 'array', contains: { const: type } } }] }] },
    })
    const asked = await b.request('POST', `/api/v1/verifier/vp-queries/${stored.json.id}/authorization-request`, {
      client: true,
      body: { redirect_uri: 'https://shop.example/done' },
    })
    const session = await sessionOf(b, asked.json)
    const answer = await wallet.process(session.authorizationRequestUri)
    expect(answer.status).toBe(200)
    const redirect = new URL(answer.json.redirectUri)
    expect([redirect.origin, redirect.pathname]).toEqual(['https://shop.example', '/done'])
    expect(redirect.searchParams.get('response_code')).toMatch(/./)
    expect(await sessionOf(b, asked.json)).toMatchObject({ state: 'ResponseVerified' })
  })

  it('a request by its https address', async () => {
    const wallet = await holding()
    const asked = await ask(b, { dcqlQuery: dcql('dc+sd-jwt') })
    expect((await wallet.process(asked.request_uri)).status).toBe(200)
    expect(await sessionOf(b, asked)).toMatchObject({ state: 'ResponseVerified' })
  })

  it('a credential that is bound only to its recipient', async () => {
    const wallet = await newWallet(a, 'alice', 'web')
    const { offering_full_url: url } = await offering({ recipient: wallet.did })
    const stranger = await newWallet(a, 'mallory')
    const refused = await stranger.process(url)
    expect(refused.status).toBe(500)
    expect(refused.json.message).toContain('credential_request_denied')
    expect((await wallet.process(url)).status).toBe(200)
  })

  it('a credential offer with a transaction code, whose issuer sees the acceptance', async () => {
    const wallet = await newWallet(a)
    const authorization = await b.bearer('issuer')
    const offered = await b.request('POST', '/credential-offers', {
      authorization,
      body: { credentialConfigurationIds: [`${type}-sd-jwt`], credentialSubject: SUBJECT, txCode: true },
    })
    expect(offered.status).toBe(201)
    const { credentialOfferUri, credentialOfferSessionId, txCode } = offered.json
    const wrong = await wallet.process(credentialOfferUri, { txCode: txCode === '000000' ? '1' : '000000' })
    expect(wrong.status).toBe(500)
    expect(wrong.json.message).toContain('invalid_grant')
    const taken = await wallet.process(credentialOfferUri, { txCode })
    expect([taken.status, taken.json.credentials?.length]).toEqual([200, 1])
    const session = await b.request('GET', `/credential-offer-sessions/${credentialOfferSessionId}`, { authorization })
    expect(session.json.state).toBe('Accepted')
  })

  it('a batch, with another copy for each verifier', async () => {
    const wallet = await newWallet(a)
    const taken = await wallet.process((await offering()).offering_full_url, { copies: 2 })
    expect(taken.status).toBe(200)
    for (const format of FORMATS) {
      for (let verifier = 0; verifier < 2; verifier += 1) {
        const asked = await ask(b, { dcqlQuery: dcql(format) })
        expect((await wallet.process(asked.authorizationRequestUri)).status).toBe(200)
        expect(await sessionOf(b, asked)).toMatchObject({ state: 'ResponseVerified' })
      }
    }
  })
})

describe('refusals of the other installation', () => {
  it('an offering that is used up is a 500 with the reason', async () => {
    const { offering_full_url: url } = await offering({ redemption_limit: 1 })
    expect((await (await newWallet(a)).process(url)).status).toBe(200)
    const late = await (await newWallet(a)).process(url)
    expect(late.status).toBe(500)
    expect(late.json.message).toContain('used up')
  })

  it('a revoked credential is shown as revoked, and the refusal of the verifier is a 500 with its reason', async () => {
    const wallet = await newWallet(a)
    const { id, offering_full_url: url } = await offering()
    await wallet.process(url)
    const offerings = await b.request('GET', '/api/v1/offerings', { client: true })
    const { redemptions } = offerings.json.find((entry: { id: string }) => entry.id === id)
    const revoked = await b.request('POST', `/api/v1/credentials/${redemptions[0].credential_id}/revoke`, {
      client: true,
    })
    expect(revoked.status).toBe(200)
    const listed = (await wallet.get('/credentials')).json.map(({ status }: { status: string }) => status)
    expect(listed).toEqual(['revoked', 'revoked'])
    const asked = await ask(b, { dcqlQuery: dcql('dc+sd-jwt') })
    const answer = await wallet.process(asked.authorizationRequestUri)
    expect(answer.status).toBe(500)
    expect(answer.json.message).toContain('revoked')
    expect(await sessionOf(b, asked)).toMatchObject({ state: 'Error' })
    expect((await wallet.get('/presentations')).json[0]).toMatchObject({ state: 'failed' })
  })

  it('a request that is already answered', async () => {
    const wallet = await holding()
    const asked = await ask(b, { dcqlQuery: dcql('dc+sd-jwt') })
    expect((await wallet.process(asked.authorizationRequestUri)).status).toBe(200)
    const again = await wallet.process(asked.authorizationRequestUri)
    expect(again.status).toBe(500)
    expect(again.json.message).toContain('status 410')
  })
})

describe('an independent issuer', () => {
  it.each(FORMATS)('issues a credential in %s that is taken and presented', async (format) => {
    await using issuer = await startRemoteIssuer()
    const wallet = await newWallet(a)
    expect((await wallet.process(await issuer.offer())).status).toBe(200)
    const meta = format === 'dc+sd-jwt' ? { vct_values: [`${issuer.url}/vct/diploma`] } : { type_values: [['Diploma']] }
    const path = format === 'dc+sd-jwt' ? ['degree'] : ['credentialSubject', 'degree']
    const asked = await ask(b, {
      dcqlQuery: { credentials: [{ id: 'diploma', format, meta, claims: [{ path }] }] },
      trustedIssuers: [issuer.key.did],
    })
    const answer = await wallet.process(asked.authorizationRequestUri)
    expect([answer.status, answer.json]).toEqual([200, { type: 'authorization_request' }])
    expect(await sessionOf(b, asked)).toMatchObject({ state: 'ResponseVerified' })
    expect((await resultOf(asked)).json.credentials).toMatchObject([
      { credentialQueryId: 'diploma', issuer: issuer.key.did, claims: { degree: 'Laurea' } },
    ])
  })
})

describe('one installation with all roles', () => {
  it('takes its own offer and presents the credential to itself', async () => {
    const own = (await postSchema(a, await a.bearer('issuer'))).name
    const wallet = await newWallet(a, 'alice', 'web')
    const offered = await postOffering(a, { credential_type: own })
    expect((await wallet.process(offered.offering_full_url)).status).toBe(200)
    const asked = await ask(a, {
      dcqlQuery: { credentials: [{ id: 'own', format: 'jwt_vc_json', meta: { type_values: [[own]] } }] },
    })
    expect((await wallet.process(asked.authorizationRequestUri)).status).toBe(200)
    expect(await sessionOf(a, asked)).toMatchObject({ state: 'ResponseVerified' })
  })

  it('does not count its own requests for the rate limit of the caller', async () => {
    await using limited = await startService({ env: { RATE_LIMIT_MAX: '12' } })
    const own = (await postSchema(limited, await limited.bearer('issuer'))).name
    const wallet = await newWallet(limited)
    const offered = await postOffering(limited, { credential_type: own })
    for (let count = 0; count < 5; count += 1) {
      expect((await wallet.process(offered.offering_full_url)).status).toBe(200)
    }
  })
})
