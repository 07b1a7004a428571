import { createHash, randomBytes } from 'node:crypto'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { signCompact, thumbprint } from '../../../server/protocol/jose/jws.js'
import { atOnce } from '../../support/at-once.js'
import { query } from '../../support/postgres.js'
import type { Answer } from '../../support/service.js'
import { TWO_READINGS } from '../../support/two-readings.js'
import { newWallet } from '../../support/wallet-actor.js'
import { type Issuer, JWT_VC, movingClock, refusalOf, SD_JWT, startIssuer } from './actors.js'
import { newBrowser, newPkce, openPage, REDIRECT_URI, responseOf } from './browser.js'

const clock = movingClock()
let issuer: Issuer
beforeAll(async () => {
  issuer = await startIssuer({ clock: clock.now })
})
afterEach(() => {
  clock.ahead = 0
})
afterAll(() => issuer.service.close())

type Parameters = Record<string, string>

async function newOffer(members: Record<string, unknown> = {}) {
  const made = await issuer.makeOffer({ grant: 'authorization_code', ...members })
  return {
    id: made.credentialOfferSessionId as string,
    issuerState: made.credentialOffer.grants.authorization_code.issuer_state as string,
  }
}

/** Makes a request that would be granted without the given changes. An empty text removes a member. */
async function newRequest(changes: Parameters = {}) {
  const { verifier, challenge } = newPkce()
  const offer = changes.issuer_state === undefined ? await newOffer() : undefined
  const parameters: Parameters = {
    client_id: 'wallet',
    response_type: 'code',
    redirect_uri: REDIRECT_URI,
    scope: SD_JWT,
    state: 'of-the-wallet',
    code_challenge: challenge,
    code_challenge_method: 'S256',
    ...(offer === undefined ? {} : { issuer_state: offer.issuerState }),
    ...changes,
  }
  return { parameters, verifier, offerId: offer?.id ?? '' }
}

const form = { 'content-type': 'application/x-www-form-urlencoded' }
const push = (parameters: Parameters, headers: Parameters = {}) =>
  issuer.service.request('POST', '/openid4vci/par', {
    headers: { ...form, ...headers },
    body: new URLSearchParams(parameters).toString(),
  })
const addressOf = (parameters: Parameters) => `/openid4vci/authorize?${new URLSearchParams(parameters)}`
const pushed = async (parameters: Parameters, headers: Parameters = {}): Promise<string> => {
  const answer = await push(parameters, headers)
  expect(answer.status, answer.text).toBe(201)
  return addressOf({ client_id: parameters.client_id ?? '', request_uri: answer.json.request_uri })
}

/** Sends a request and lets the user agree. Returns the code. */
async function codeFor(location: string): Promise<string> {
  const browser = newBrowser(issuer.service)
  const { id, page } = await openPage(browser, location)
  expect(page.status, page.text).toBe(200)
  const { code } = responseOf(await browser.decide(page, id, 'accept'))
  expect(code).toMatch(/^[\w-]{43}$/)
  return code ?? ''
}

const redeem = (
  code: string,
  verifier: string,
  changes: Parameters = {},
  headers: Parameters = {},
): Promise<Answer> => {
  const parameters = {
    grant_type: 'authorization_code',
    code,
    code_verifier: verifier,
    redirect_uri: REDIRECT_URI,
    client_id: 'wallet',
    ...changes,
  }
  const sent = Object.fromEntries(Object.entries(parameters).filter(([, value]) => value !== ''))
  return issuer.requestToken(sent, { headers })
}

async function tokensFor(changes: Parameters = {}) {
  const { parameters, verifier, offerId } = await newRequest(changes)
  const answer = await redeem(await codeFor(await pushed(parameters)), verifier)
  expect(answer.status, answer.text).toBe(200)
  return { ...(answer.json as { access_token: string; refresh_token: string }), offerId }
}

describe('the authorization code flow (OpenID4VCI 1.0 §5, RFC 6749 §4.1)', () => {
  it('by scope, pushed: offer, request, page, decision, code, token, credential', async () => {
    const { parameters, verifier, offerId } = await newRequest()
    const offer = await issuer.service.request('GET', `/openid4vci/offers/${offerId}`)
    expect(Object.keys(offer.json.grants)).toEqual(['authorization_code'])
    const browser = newBrowser(issuer.service)
    const { id, page } = await openPage(browser, await pushed(parameters))
    expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8')
    expect(page.headers.get('cache-control')).toBe('no-store')
    for (const shown of ['<h1>Proof of purchase</h1>', 'Espresso machine', '249', 'Product', 'wallet.example'])
      expect(page.text).toContain(shown)
    const response = responseOf(await browser.decide(page, id, 'accept'))
    expect(response).toEqual({ code: expect.any(String), state: 'of-the-wallet', iss: issuer.service.url })
    const session = await issuer.session(offerId)
    expect(session.state).toBe('Authorized')
    const event = await issuer.service.platform.stores.offerSessions.latest(offerId)
    expect(event?.data).toEqual(session)
    const token = await redeem(response.code ?? '', verifier)
    expect(token.json).toEqual({
      access_token: expect.any(String),
      token_type: 'Bearer',
      expires_in: 300,
      refresh_token: expect.any(String),
      scope: SD_JWT,
    })
    expect((await issuer.session(offerId)).state).toBe('TokenIssued')
    expect((await issuer.take(token.json.access_token, SD_JWT)).status).toBe(200)
    expect((await issuer.session(offerId)).state).toBe('CredentialIssued')
  })

  it('by authorization_details, in the address, gives identifiers', async () => {
    const detail = { type: 'openid_credential', credential_configuration_id: JWT_VC }
    const { parameters, verifier } = await newRequest({ scope: '', authorization_details: JSON.stringify([detail]) })
    const token = await redeem(await codeFor(addressOf(parameters)), verifier)
    expect(token.json.authorization_details).toEqual([{ ...detail, credential_identifiers: [JWT_VC] }])
    expect(token.json).not.toHaveProperty('scope')
    const refused = await issuer.take(token.json.access_token, SD_JWT)
    expect(refusalOf(refused).slice(0, 2)).toEqual([403, 'insufficient_scope'])
  })

  it('declined: the wallet receives an error, and the session does not change', async () => {
    const { parameters, offerId } = await newRequest()
    const browser = newBrowser(issuer.service)
    const { id, page } = await openPage(browser, await pushed(parameters))
    const response = responseOf(await browser.decide(page, id, 'decline'))
    expect(response).toMatchObject({ error: 'access_denied', state: 'of-the-wallet', iss: issuer.service.url })
    expect((await issuer.session(offerId)).state).toBe('Created')
    const again = await browser.decide(page, id, 'accept')
    expect(again.status).toBe(409)
  })

  it('agrees with the metadata (RFC 8414, RFC 9126 §5, RFC 9207 §3)', async () => {
    const { json } = await issuer.service.request('GET', '/.well-known/oauth-authorization-server')
    const at = (path: string) => `${issuer.service.url}/openid4vci/${path}`
    expect(json).toMatchObject({
      authorization_endpoint: at('authorize'),
      pushed_authorization_request_endpoint: at('par'),
      response_types_supported: ['code'],
      response_modes_supported: ['query'],
      code_challenge_methods_supported: ['S256'],
      authorization_response_iss_parameter_supported: true,
      grant_types_supported: expect.arrayContaining(['authorization_code', 'refresh_token']),
    })
    expect(json).not.toHaveProperty('require_pushed_authorization_requests')
  })
})

describe('requests that are refused with an error to the wallet (RFC 6749 §4.1.2.1)', () => {
  it.each<[string, Parameters, string]>([
    ['a missing response_type', { response_type: '' }, 'invalid_request'],
    ['response_type token', { response_type: 'token' }, 'unsupported_response_type'],
    ['response_type code id_token', { response_type: 'code id_token' }, 'unsupported_response_type'],
    ['no code_challenge', { code_challenge: '' }, 'invalid_request'],
    ['a plain code_challenge', { code_challenge_method: 'plain' }, 'invalid_request'],
    ['no code_challenge_method', { code_challenge_method: '' }, 'invalid_request'],
    ['a short code_challenge', { code_challenge: 'short' }, 'invalid_request'],
    ['response_mode fragment', { response_mode: 'fragment' }, 'invalid_request'],
    ['a scope without an offered configuration', { scope: 'openid unknown' }, 'invalid_scope'],
    ['neither scope nor details', { scope: '' }, 'invalid_scope'],
    [
      'details that are not offered',
      { authorization_details: '[{"type":"openid_credential","credential_configuration_id":"x"}]' },
      'invalid_authorization_details',
    ],
    ['details that are not JSON', { authorization_details: 'x' }, 'invalid_authorization_details'],
    ['a long scope', { scope: `${SD_JWT} ${'x'.repeat(4_096)}` }, 'invalid_request'],
    ['a long issuer_state', { issuer_state: 'x'.repeat(4_097) }, 'invalid_request'],
    ['a dpop_jkt that is not a thumbprint', { dpop_jkt: 'short' }, 'invalid_request'],
    ['another resource', { resource: 'https://elsewhere.example' }, 'invalid_target'],
    ['an issuer_state of another server', { issuer_state: 'made-up' }, 'invalid_request'],
  ])('%s', async (_name, changes, error) => {
    const { parameters } = await newRequest(changes)
    const refused = await push(parameters)
    expect(refusalOf(refused).slice(0, 2)).toEqual([400, error])
    const answer = await newBrowser(issuer.service).get(addressOf(parameters))
    const response = responseOf(answer)
    expect(response).toMatchObject({ error, state: 'of-the-wallet', iss: issuer.service.url })
    expect(answer.headers.get('location')).toMatch(/^https:\/\/wallet\.example\/callback\?/)
  })

  it('a parameter that is given twice (RFC 6749 §3.1); a repeated state is ignored', async () => {
    const { parameters } = await newRequest()
    for (const again of ['scope=x', 'resource=x&resource=y', 'code_challenge=x'])
      expect(responseOf(await newBrowser(issuer.service).get(`${addressOf(parameters)}&${again}`))).toMatchObject({
        error: 'invalid_request',
        error_description: expect.stringMatching(/^Parameter \w+ is given more than once\.$/),
        state: 'of-the-wallet',
        iss: issuer.service.url,
      })
    const states = responseOf(await newBrowser(issuer.service).get(`${addressOf(parameters)}&state=two`))
    expect(states).toMatchObject({ error: 'invalid_request', iss: issuer.service.url })
    expect(states).not.toHaveProperty('state')
    const body = `${new URLSearchParams(parameters)}&state=two`
    const refused = await issuer.service.request('POST', '/openid4vci/par', { headers: form, body })
    expect(refusalOf(refused).slice(0, 2)).toEqual([400, 'invalid_request'])
    expect(refused.headers.get('dpop-nonce')).not.toBeNull()
  })

  it('an issuer_state whose offer has ended', async () => {
    const { issuerState } = await newOffer({ expiresInSeconds: 60 })
    const { parameters } = await newRequest({ issuer_state: issuerState })
    clock.ahead = 120
    expect(refusalOf(await push(parameters)).slice(0, 2)).toEqual([400, 'invalid_request'])
    const answer = await newBrowser(issuer.service).get(addressOf(parameters))
    expect(responseOf(answer)).toMatchObject({ error: 'invalid_request', state: 'of-the-wallet' })
  })

  it('a request object, which this service does not read (RFC 9101 §10.5)', async () => {
    const { parameters } = await newRequest({ request: 'e30.e30.x' })
    expect(responseOf(await newBrowser(issuer.service).get(addressOf(parameters)))).toMatchObject({
      error: 'request_not_supported',
      iss: issuer.service.url,
    })
  })

  it('a missing state stays missing, and a long state is returned completely', async () => {
    const { parameters } = await newRequest({ state: '', response_type: 'token' })
    expect(responseOf(await newBrowser(issuer.service).get(addressOf(parameters)))).not.toHaveProperty('state')
    const state = 'x'.repeat(1_000)
    const long = await newRequest({ state, response_type: 'token' })
    expect(responseOf(await newBrowser(issuer.service).get(addressOf(long.parameters))).state).toBe(state)
  })
})

describe('requests that must not be answered by a redirect (RFC 6749 §4.1.2.1, RFC 9700 §4.1)', () => {
  it.each<[string, Parameters]>([
    ['no client_id', { client_id: '' }],
    ['no redirect_uri', { redirect_uri: '' }],
    ['a javascript: redirect_uri', { redirect_uri: 'javascript:alert(1)' }],
    ['a data: redirect_uri', { redirect_uri: 'data:text/html,x' }],
    ['a scheme without a dot', { redirect_uri: 'wallet://callback' }],
    ['a fragment in the redirect_uri', { redirect_uri: 'https://wallet.example/cb#x' }],
    ['a host that would end a directive of the page’s policy', { redirect_uri: 'https://wallet.example;sandbox/cb' }],
    ['a backslash in the redirect_uri', { redirect_uri: 'https://wallet.example\\@evil.example/' }],
    ['a line break in the redirect_uri', { redirect_uri: 'https://wallet.example/\ncb' }],
    // RFC 9110 §4.2: with these addresses a browser would open the service's own pages, or a different host.
    ...TWO_READINGS.map((uri): [string, Parameters] => [`an address of two readings: ${uri}`, { redirect_uri: uri }]),
  ])('%s', async (_name, changes) => {
    const { parameters } = await newRequest(changes)
    expect(refusalOf(await push(parameters)).slice(0, 2)).toEqual([400, 'invalid_request'])
    const answer = await newBrowser(issuer.service).get(addressOf(parameters))
    expect([answer.status, answer.headers.get('location')]).toEqual([400, null])
    expect(answer.headers.get('content-type')).toContain('text/html')
    expect(answer.headers.get('set-cookie')).toBeNull()
  })

  it.each(['redirect_uri=https://evil.example', 'client_id=other', 'request_uri=urn:x&request_uri=urn:y'])(
    'a repeated parameter that would decide the destination: %s',
    async (again) => {
      const { parameters } = await newRequest()
      const answer = await newBrowser(issuer.service).get(`${addressOf(parameters)}&${again}`)
      expect([answer.status, answer.headers.get('location')]).toEqual([400, null])
      expect(answer.text).toContain('is given more than once.')
    },
  )

  it.each([
    'https://wallet.example/cb?x=1',
    'com.example.wallet:/cb',
    'http://127.0.0.1:51004/cb',
    'http://[::1]:80/cb',
  ])('but %s is an allowed address of a wallet (RFC 8252 §7)', async (redirect) => {
    const { parameters } = await newRequest({ redirect_uri: redirect })
    expect((await push(parameters)).status).toBe(201)
  })
})

describe('pushed requests (RFC 9126)', () => {
  it('answer with a request_uri for 90 seconds, without caching', async () => {
    const answer = await push((await newRequest()).parameters)
    expect([answer.status, answer.headers.get('cache-control')]).toEqual([201, 'no-store'])
    expect(answer.json).toEqual({
      request_uri: expect.stringMatching(/^urn:ietf:params:oauth:request_uri:[\w-]{43}$/),
      expires_in: 90,
    })
    expect(answer.headers.get('dpop-nonce')).not.toBeNull()
  })

  it('have a size limit', async () => {
    const { parameters } = await newRequest()
    expect((await push({ ...parameters, ignored: 'x'.repeat(70_000) })).status).toBe(413)
  })

  it('contain neither a request_uri nor a request object (§2.1)', async () => {
    const { parameters } = await newRequest()
    const withUri = await push({ ...parameters, request_uri: 'urn:x' })
    expect(refusalOf(withUri).slice(0, 2)).toEqual([400, 'invalid_request'])
    const withRequest = await push({ ...parameters, request: 'e30.e30.x' })
    expect(refusalOf(withRequest).slice(0, 2)).toEqual([400, 'request_not_supported'])
  })

  it('may be opened twice before the decision, and not after it', async () => {
    const { parameters } = await newRequest()
    const location = await pushed(parameters)
    const browser = newBrowser(issuer.service)
    await openPage(browser, location)
    const { id, page } = await openPage(browser, location)
    responseOf(await browser.decide(page, id, 'accept'))
    expect((await browser.get(location)).status).toBe(400)
  })

  it('other parameters of the address are ignored, also state (§4)', async () => {
    const { parameters } = await newRequest({ state: '' })
    const location = `${await pushed(parameters)}&state=outside&state=twice&redirect_uri=https://evil.example&scope=x&scope=y`
    const browser = newBrowser(issuer.service)
    const { id, page } = await openPage(browser, location)
    const answer = await browser.decide(page, id, 'accept')
    expect(responseOf(answer)).not.toHaveProperty('state')
    expect(answer.headers.get('location')).toMatch(/^https:\/\/wallet\.example\/callback/)
  })

  it('are answered with a page and no redirect after 90 seconds, for another client, and if they are unknown', async () => {
    const { parameters } = await newRequest()
    const location = await pushed(parameters)
    for (const wrong of [location.replace('client_id=wallet', 'client_id=other'), `${location}x`]) {
      const answer = await newBrowser(issuer.service).get(wrong)
      expect([answer.status, answer.headers.get('location')]).toEqual([400, null])
    }
    clock.ahead = 91
    expect((await newBrowser(issuer.service).get(location)).status).toBe(400)
  })

  it('a user has ten minutes from the first visit', async () => {
    const location = await pushed((await newRequest()).parameters)
    const browser = newBrowser(issuer.service)
    const { id } = await openPage(browser, location)
    clock.ahead = 570
    const page = await browser.get(`/openid4vci/authorize/${id}`)
    expect(page.status).toBe(200)
    clock.ahead = 601
    expect((await browser.decide(page, id, 'accept')).status).toBe(404)
  })
})

describe('attacks on the page and its decision', () => {
  it('another browser gets no page, and cannot decide', async () => {
    const browser = newBrowser(issuer.service)
    const { id, page } = await openPage(browser, await pushed((await newRequest()).parameters))
    const stranger = newBrowser(issuer.service)
    expect((await stranger.get(`/openid4vci/authorize/${id}`)).status).toBe(404)
    expect((await stranger.decide(page, id, 'accept')).status).toBe(404)
    await openPage(stranger, await pushed((await newRequest()).parameters))
    expect((await stranger.decide(page, id, 'accept')).status).toBe(404)
    expect(responseOf(await browser.decide(page, id, 'accept'))).toHaveProperty('code')
  })

  it('a form without the token of the page has no effect, and a GET has no effect', async () => {
    const browser = newBrowser(issuer.service)
    const { id, page } = await openPage(browser, await pushed((await newRequest()).parameters))
    expect((await browser.decide(page, id, 'accept', { token: 'made-up' })).status).toBe(403)
    const got = await browser.get(`/openid4vci/authorize/${id}?decision=accept`)
    expect([got.status, got.headers.get('location')]).toEqual([200, null])
    expect((await browser.decide(page, id, 'perhaps')).status).toBe(400)
    expect(responseOf(await browser.decide(page, id, 'accept'))).toHaveProperty('code')
  })

  it('a form with a repeated field, or a too long form, is refused on a page', async () => {
    const path = `/openid4vci/authorize/${crypto.randomUUID()}`
    const post = (body: string) => {
      const headers = { 'content-type': 'application/x-www-form-urlencoded' }
      return issuer.service.request('POST', path, { headers, body })
    }
    const twice = await post('decision=accept&decision=decline&token=x')
    expect([twice.status, twice.headers.get('content-type')]).toEqual([400, 'text/html; charset=utf-8'])
    expect(twice.text).toContain('Parameter decision is given more than once.')
    expect((await post(`token=${'x'.repeat(65_536)}`)).status).toBe(413)
  })

  it('fifty decisions at once give one code', async () => {
    const browser = newBrowser(issuer.service)
    const { id, page } = await openPage(browser, await pushed((await newRequest()).parameters))
    const answers = await Promise.all(Array.from({ length: 50 }, () => browser.decide(page, id, 'accept')))
    expect(answers.filter(({ status }) => status === 303)).toHaveLength(1)
    expect(answers.filter(({ status }) => status === 409)).toHaveLength(49)
  })

  it('the page runs no script, cannot be framed, is closed to other origins, and its form leads only to the wallet', async () => {
    const browser = newBrowser(issuer.service)
    const { page } = await openPage(browser, await pushed((await newRequest()).parameters))
    expect(page.headers.get('content-security-policy')).toBe(
      "default-src 'none'; style-src 'self'; img-src 'self' data:; frame-ancestors 'none'; base-uri 'none'; form-action 'self' https://wallet.example",
    )
    expect(page.text).not.toContain('<script')
    // With no-referrer a browser would send the form with `Origin: null` (Fetch §3.2.5).
    expect(page.headers.get('referrer-policy')).toBe('same-origin')
    const { parameters } = await newRequest()
    const cross = await issuer.service.request('GET', addressOf(parameters), {
      headers: { origin: 'https://evil.example' },
    })
    expect(cross.headers.get('access-control-allow-origin')).toBeNull()
  })

  it('the form of the page may lead to an IPv6 address', async () => {
    const { parameters } = await newRequest({ redirect_uri: 'http://[::1]:8080/cb' })
    const { page } = await openPage(newBrowser(issuer.service), await pushed(parameters))
    expect(page.headers.get('content-security-policy')).toMatch(/form-action 'self' http:$/)
  })

  it('the issuer_state of an offer is the same at each GET, and a pre-authorized code is new', async () => {
    const grantsOf = async (made: { credentialOfferUri: string }) => {
      const uri = new URL(made.credentialOfferUri).searchParams.get('credential_offer_uri') ?? ''
      return (await issuer.service.request('GET', new URL(uri).pathname)).json.grants
    }
    const made = await issuer.makeOffer({ grant: 'authorization_code' })
    const [first, second] = [await grantsOf(made), await grantsOf(made)]
    expect(first.authorization_code.issuer_state).toMatch(/./)
    expect(second).toEqual(first)
    expect(first).toEqual(made.credentialOffer.grants)
    const other = await issuer.makeOffer({})
    const codes = [await grantsOf(other), await grantsOf(other)].map((grants) => Object.values(grants)[0])
    expect(codes[0]).not.toEqual(codes[1])
  })

  it('markup in claims and names is text', async () => {
    const offer = await issuer.makeOffer({
      grant: 'authorization_code',
      credentialSubject: { product: '<img src=x onerror=alert(1)>"\'&' },
    })
    const { parameters } = await newRequest({
      issuer_state: offer.credentialOffer.grants.authorization_code.issuer_state,
    })
    const { page } = await openPage(newBrowser(issuer.service), await pushed(parameters))
    expect(page.text).toContain('&lt;img src=x onerror=alert(1)&gt;&quot;&#39;&amp;')
    expect(page.text).not.toContain('<img')
  })

  it('the cookie is hidden from scripts and belongs to this site only', async () => {
    const { parameters } = await newRequest()
    const answer = await newBrowser(issuer.service).get(addressOf(parameters))
    expect(answer.headers.get('set-cookie')).toMatch(
      /^authorization=[\w-]{43}; Path=\/; Max-Age=600; HttpOnly; SameSite=Lax$/,
    )
  })
})

describe('attacks on codes (RFC 6749 §4.1.3, RFC 7636 §4.6)', () => {
  it.each<[string, Parameters]>([
    ['another redirect_uri', { redirect_uri: 'https://wallet.example/other' }],
    ['no redirect_uri', { redirect_uri: '' }],
    ['another client_id', { client_id: 'thief' }],
    ['no code_verifier', { code_verifier: '' }],
    ['a wrong code_verifier', { code_verifier: newPkce().verifier }],
    ['the code_challenge as the verifier', { code_verifier: newPkce().challenge }],
  ])('%s: invalid_grant, and the code stays valid', async (_name, changes) => {
    const { parameters, verifier } = await newRequest()
    const code = await codeFor(await pushed(parameters))
    expect(refusalOf(await redeem(code, verifier, changes)).slice(0, 2)).toEqual([400, 'invalid_grant'])
    expect((await redeem(code, verifier)).status).toBe(200)
  })

  it('without a client_id an unauthenticated client is unknown (RFC 6749 §4.1.3)', async () => {
    const { parameters, verifier } = await newRequest()
    const code = await codeFor(await pushed(parameters))
    expect(refusalOf(await redeem(code, verifier, { client_id: '' })).slice(0, 2)).toEqual([400, 'invalid_request'])
    expect((await redeem(code, verifier)).status).toBe(200)
  })

  it('unknown, or 60 seconds old', async () => {
    const { parameters, verifier } = await newRequest()
    expect(refusalOf(await redeem('unknown', verifier)).slice(0, 2)).toEqual([400, 'invalid_grant'])
    const code = await codeFor(await pushed(parameters))
    clock.ahead = 61
    expect(refusalOf(await redeem(code, verifier)).slice(0, 2)).toEqual([400, 'invalid_grant'])
  })

  it('used a second time: every token of the code becomes invalid', async () => {
    const { parameters, verifier } = await newRequest()
    const code = await codeFor(await pushed(parameters))
    const { access_token: access, refresh_token: refresh } = (await redeem(code, verifier)).json
    expect((await issuer.take(access, SD_JWT)).status).toBe(200)
    expect(refusalOf(await redeem(code, verifier))).toEqual([400, 'invalid_grant', 'The code has been used already.'])
    expect(refusalOf(await issuer.take(access, SD_JWT)).slice(0, 2)).toEqual([401, 'invalid_token'])
    const refreshed = await issuer.requestToken({ grant_type: 'refresh_token', refresh_token: refresh })
    expect(refusalOf(refreshed).slice(0, 2)).toEqual([400, 'invalid_grant'])
  })

  it('fifty at once give one token, which then becomes invalid too, also if all requests found the code unused', async () => {
    const { parameters, verifier } = await newRequest()
    const code = await codeFor(await pushed(parameters))
    const answers = await atOnce(issuer.service.platform.stores.authorizations, 'byCode', 50, () =>
      Promise.all(Array.from({ length: 50 }, () => redeem(code, verifier))),
    )
    const given = answers.filter(({ status }) => status === 200)
    expect(given).toHaveLength(1)
    expect(answers.filter(({ json }) => json.error === 'invalid_grant')).toHaveLength(49)
    expect(refusalOf(await issuer.take(given[0]?.json.access_token, SD_JWT)).slice(0, 2)).toEqual([
      401,
      'invalid_token',
    ])
  })

  it('whose offer closed after the decision: the answer has the reason', async () => {
    const offering = await issuer.makeOffering({ redemption_limit: 1 })
    const { parameters, verifier } = await newRequest({
      issuer_state: offering.grants.authorization_code.issuer_state,
    })
    const code = await codeFor(await pushed(parameters))
    expect((await issuer.take(await issuer.token(offering.id), SD_JWT)).status).toBe(200)
    const usedUp = [400, 'invalid_grant', 'The credential offer has been used up.']
    expect(refusalOf(await redeem(code, verifier))).toEqual(usedUp)
  })

  it('a token request may ask for less than was granted, never for more (OpenID4VCI 1.0 §6.1.1)', async () => {
    const { parameters, verifier } = await newRequest({ scope: `${SD_JWT} ${JWT_VC}` })
    const less = await redeem(await codeFor(await pushed(parameters)), verifier, { scope: JWT_VC })
    expect(less.json.scope).toBe(JWT_VC)
    const one = await newRequest()
    const details = JSON.stringify([{ type: 'openid_credential', credential_configuration_id: JWT_VC }])
    const code = await codeFor(await pushed(one.parameters))
    const more = await redeem(code, one.verifier, { authorization_details: details })
    expect(refusalOf(more).slice(0, 2)).toEqual([400, 'invalid_authorization_details'])
    expect((await redeem(code, one.verifier)).status).toBe(200)
  })

  it('request, code and token are never stored in the clear', async () => {
    const tokens = await tokensFor()
    const rows = await query(
      issuer.service.databaseUrl,
      'SELECT a.id, a.code_hash, a.request_uri_hash, a.browser_hash, r.token_hash FROM authorizations a JOIN refresh_tokens r ON r.authorization_id = a.id',
    )
    const stored = JSON.stringify(rows)
    for (const secret of [tokens.access_token, tokens.refresh_token]) expect(stored).not.toContain(secret)
  })
})

describe('codes that are bound to a key (RFC 9449 §10)', () => {
  const proofFor = async (wallet: Awaited<ReturnType<typeof newWallet>>, path: string) =>
    signCompact(
      wallet.signer,
      { typ: 'dpop+jwt', kid: undefined, jwk: wallet.publicJwk },
      {
        jti: crypto.randomUUID(),
        htm: 'POST',
        htu: `${issuer.service.url}${path}`,
        iat: Math.floor(clock.now().getTime() / 1000),
      },
    )

  it('by a proof at PAR or by dpop_jkt cannot be redeemed with another key or without a key', async () => {
    const [wallet, thief] = [await newWallet(), await newWallet()]
    for (const bind of ['proof', 'dpop_jkt'] as const) {
      const { parameters, verifier } = await newRequest(
        bind === 'dpop_jkt' ? { dpop_jkt: thumbprint(wallet.publicJwk) } : {},
      )
      const headers = bind === 'proof' ? { dpop: await proofFor(wallet, '/openid4vci/par') } : {}
      const code = await codeFor(await pushed(parameters, headers))
      expect(refusalOf(await redeem(code, verifier)).slice(0, 2)).toEqual([400, 'invalid_grant'])
      const foreign = await redeem(code, verifier, {}, { dpop: await proofFor(thief, '/openid4vci/token') })
      expect(refusalOf(foreign).slice(0, 2)).toEqual([400, 'invalid_grant'])
      const good = await redeem(code, verifier, {}, { dpop: await proofFor(wallet, '/openid4vci/token') })
      expect(good.json).toMatchObject({ token_type: 'DPoP', expires_in: 3600 })
      // FAPI 2.0 §5.3.2.1: a refresh token that is bound to a key is not replaced. It cannot be used with a different
      // key.
      const refresh = { grant_type: 'refresh_token', refresh_token: good.json.refresh_token }
      expect(refusalOf(await issuer.requestToken(refresh)).slice(0, 2)).toEqual([400, 'invalid_grant'])
      const ofThief = { dpop: await proofFor(thief, '/openid4vci/token') }
      const stolen = await issuer.requestToken(refresh, { headers: ofThief })
      expect(refusalOf(stolen).slice(0, 2)).toEqual([400, 'invalid_grant'])
      for (let time = 0; time < 2; time += 1) {
        const dpop = await proofFor(wallet, '/openid4vci/token')
        const refreshed = await issuer.requestToken(refresh, { headers: { dpop } })
        expect(refreshed.json).toMatchObject({ token_type: 'DPoP' })
        expect(refreshed.json).not.toHaveProperty('refresh_token')
      }
    }
  })

  it('a refresh token without a key is replaced by a bound token if the request has a proof (RFC 9449 §5)', async () => {
    const [wallet, tokens] = [await newWallet(), await tokensFor()]
    const refresh = async (token: string, headers: Parameters = {}) =>
      issuer.requestToken({ grant_type: 'refresh_token', refresh_token: token }, { headers })
    const bound = await refresh(tokens.refresh_token, { dpop: await proofFor(wallet, '/openid4vci/token') })
    expect(bound.json.token_type).toBe('DPoP')
    expect(refusalOf(await refresh(bound.json.refresh_token)).slice(0, 2)).toEqual([400, 'invalid_grant'])
    const again = await refresh(bound.json.refresh_token, { dpop: await proofFor(wallet, '/openid4vci/token') })
    expect(again.json).toMatchObject({ token_type: 'DPoP' })
  })

  it('a proof of another key than dpop_jkt is refused, and a proof counts once', async () => {
    const wallet = await newWallet()
    const other = await newRequest({ dpop_jkt: 'A'.repeat(43) })
    const refused = await push(other.parameters, { dpop: await proofFor(wallet, '/openid4vci/par') })
    expect(refusalOf(refused).slice(0, 2)).toEqual([400, 'invalid_dpop_proof'])
    const { parameters } = await newRequest()
    const dpop = await proofFor(wallet, '/openid4vci/par')
    expect((await push(parameters, { dpop })).status).toBe(201)
    expect(refusalOf(await push(parameters, { dpop })).slice(0, 2)).toEqual([400, 'invalid_dpop_proof'])
  })
})

describe('tokens of an authorization (OpenID4VCI 1.0 §14.3, RFC 6749 §6)', () => {
  const refresh = (token: string, more: Parameters = {}) =>
    issuer.requestToken({ grant_type: 'refresh_token', refresh_token: token, ...more })

  it('can take a configuration again: instances of one record, with one redemption', async () => {
    const tokens = await tokensFor()
    for (let time = 0; time < 3; time += 1) expect((await issuer.take(tokens.access_token, SD_JWT)).status).toBe(200)
    const refreshed = await refresh(tokens.refresh_token)
    expect((await issuer.take(refreshed.json.access_token, SD_JWT)).status).toBe(200)
    const [row] = await query<{ records: number; instances: number; count: number }>(
      issuer.service.databaseUrl,
      `SELECT count(DISTINCT r.credential_id)::int AS records, count(i.*)::int AS instances, max(o.redemption_count)::int AS count
       FROM offerings o JOIN redemptions r ON r.offering_id = o.id
       JOIN credential_instances i ON i.credential_id = r.credential_id WHERE o.id = $1`,
      [tokens.offerId],
    )
    expect(row).toEqual({ records: 1, instances: 4, count: 1 })
  })

  it('two tokens at once, before a credential was taken, are still one redemption', async () => {
    const tokens = await tokensFor()
    const second = (await refresh(tokens.refresh_token)).json.access_token
    const answers = await Promise.all([tokens.access_token, second].map((token) => issuer.take(token, SD_JWT)))
    expect(answers.map(({ status }) => status)).toEqual([200, 200])
    const rows = await query(issuer.service.databaseUrl, 'SELECT id FROM redemptions WHERE offering_id = $1', [
      tokens.offerId,
    ])
    expect(rows).toHaveLength(1)
  })

  it('give at most 100 instances a day, for any number of simultaneous requests', async () => {
    const tokens = await tokensFor()
    const wallets = await Promise.all(Array.from({ length: 20 }, () => newWallet()))
    const taken = await Promise.all(
      Array.from({ length: 6 }, () => issuer.take(tokens.access_token, SD_JWT, ...wallets)),
    )
    expect(taken.map(({ status }) => status).sort()).toEqual([200, 200, 200, 200, 200, 400])
    const refused = await issuer.take(tokens.access_token, SD_JWT)
    expect(refusalOf(refused).slice(0, 2)).toEqual([400, 'credential_request_denied'])
  })

  it('accept key proofs of their own client, or without a client (Appendix F.1); under a pre-authorized code iss is ignored', async () => {
    const wallet = await newWallet()
    const takeAs = async (token: string, iss: string | undefined) => {
      const jwt = [await wallet.proof(issuer.service.url, await issuer.nonce(), { payload: { iss } })]
      return issuer.requestCredential(token, { credential_configuration_id: SD_JWT, proofs: { jwt } })
    }
    const { access_token: token } = await tokensFor()
    expect(refusalOf(await takeAs(token, 'another')).slice(0, 2)).toEqual([400, 'invalid_proof'])
    for (const iss of ['wallet', undefined]) expect((await takeAs(token, iss)).status).toBe(200)
    const preAuthorized = await issuer.token((await issuer.makeOffer()).credentialOfferSessionId)
    expect((await takeAs(preAuthorized, 'anybody')).status).toBe(200)
  })

  it('a refresh token without a key is valid once; a second use ends all tokens of its authorization', async () => {
    const tokens = await tokensFor()
    const first = await refresh(tokens.refresh_token)
    expect(first.json).toMatchObject({ token_type: 'Bearer', scope: SD_JWT, refresh_token: expect.any(String) })
    expect(refusalOf(await refresh(tokens.refresh_token)).slice(0, 2)).toEqual([400, 'invalid_grant'])
    expect(refusalOf(await refresh(first.json.refresh_token)).slice(0, 2)).toEqual([400, 'invalid_grant'])
    expect(refusalOf(await issuer.take(first.json.access_token, SD_JWT)).slice(0, 2)).toEqual([401, 'invalid_token'])
  })

  it('twenty simultaneous uses of one refresh token give at most one token, and end all tokens of its authorization', async () => {
    const tokens = await tokensFor()
    const answers = await atOnce(issuer.service.platform.stores.openid4vci, 'refreshToken', 20, () =>
      Promise.all(Array.from({ length: 20 }, () => refresh(tokens.refresh_token))),
    )
    const given = answers.filter(({ status }) => status === 200)
    expect(given.length).toBeLessThanOrEqual(1)
    for (const { json } of given)
      expect(refusalOf(await refresh(json.refresh_token)).slice(0, 2)).toEqual([400, 'invalid_grant'])
    expect(refusalOf(await issuer.take(tokens.access_token, SD_JWT)).slice(0, 2)).toEqual([401, 'invalid_token'])
  })

  it('a token that is issued while its authorization ends is invalid afterwards', async () => {
    const tokens = await tokensFor()
    const first = await refresh(tokens.refresh_token)
    expect((await refresh(tokens.refresh_token)).status).toBe(400)
    // Inserts the rows that a late request leaves: its statement began before the statement that ends the
    // authorization.
    const [late, lateRefresh] = [randomBytes(32), randomBytes(32)].map((bytes) => bytes.toString('base64url'))
    const hashed = (value = '') => createHash('sha256').update(value).digest('base64url')
    const [authorization] = await query<{ id: string }>(
      issuer.service.databaseUrl,
      'SELECT id FROM authorizations WHERE offering_id = $1',
      [tokens.offerId],
    )
    await query(
      issuer.service.databaseUrl,
      `WITH late AS (
         INSERT INTO issuance_tokens (token_hash, offering_id, expires_at, authorization_id)
         VALUES ($1, $3, now() + interval '1 hour', $4))
       INSERT INTO refresh_tokens (token_hash, authorization_id, expires_at) VALUES ($2, $4, now() + interval '1 day')`,
      [hashed(late), hashed(lateRefresh), tokens.offerId, authorization?.id],
    )
    expect(refusalOf(await issuer.take(late ?? '', SD_JWT)).slice(0, 2)).toEqual([401, 'invalid_token'])
    for (const token of [lateRefresh ?? '', first.json.refresh_token])
      expect(refusalOf(await refresh(token)).slice(0, 2)).toEqual([400, 'invalid_grant'])
  })

  it('are invalid after their authorization has ended', async () => {
    const tokens = await tokensFor()
    await query(
      issuer.service.databaseUrl,
      'DELETE FROM refresh_tokens r USING authorizations a WHERE a.id = r.authorization_id AND a.offering_id = $1',
      [tokens.offerId],
    )
    await query(issuer.service.databaseUrl, 'DELETE FROM authorizations WHERE offering_id = $1', [tokens.offerId])
    expect(refusalOf(await issuer.take(tokens.access_token, SD_JWT)).slice(0, 2)).toEqual([401, 'invalid_token'])
    expect(refusalOf(await refresh(tokens.refresh_token)).slice(0, 2)).toEqual([400, 'invalid_grant'])
  })

  it('end when the first refresh token expires, also if it has successors', async () => {
    const tokens = await tokensFor()
    expect((await issuer.take(tokens.access_token, SD_JWT)).status).toBe(200)
    clock.ahead = 90 * 86_400 - 100
    const next = await refresh(tokens.refresh_token)
    expect(next.json.expires_in).toBeLessThanOrEqual(100)
    clock.ahead = 90 * 86_400 + 1
    expect(refusalOf(await refresh(next.json.refresh_token)).slice(0, 2)).toEqual([400, 'invalid_grant'])
    expect(refusalOf(await issuer.take(next.json.access_token, SD_JWT)).slice(0, 2)).toEqual([401, 'invalid_token'])
  })

  it('a refresh token belongs to one client and ends after 90 days; an access token cannot replace it', async () => {
    const tokens = await tokensFor()
    expect(refusalOf(await refresh(tokens.refresh_token, { client_id: 'thief' })).slice(0, 2)).toEqual([
      400,
      'invalid_grant',
    ])
    expect(refusalOf(await refresh(tokens.access_token)).slice(0, 2)).toEqual([400, 'invalid_grant'])
    clock.ahead = 90 * 86_400 + 1
    expect(refusalOf(await refresh(tokens.refresh_token)).slice(0, 2)).toEqual([400, 'invalid_grant'])
  })
})

describe('offers for the authorization code', () => {
  it('have no transaction code, and can be for one user only if users can sign in', async () => {
    const make = async (body: Record<string, unknown>) =>
      issuer.service.request('POST', '/credential-offers', {
        authorization: await issuer.authorization(),
        body: { credentialConfigurationIds: [SD_JWT], credentialSubject: { product: 'x' }, ...body },
      })
    expect((await make({ grant: 'authorization_code', txCode: {} })).status).toBe(400)
    expect((await make({ grant: 'pre-authorized_code', forSubject: 'someone' })).status).toBe(400)
    expect((await make({ forSubject: 'someone' })).status).toBe(400)
  })

  it('the offering of the interface has a valid issuer_state', async () => {
    const offering = await issuer.makeOffering()
    const { parameters, verifier } = await newRequest({ issuer_state: offering.grants.authorization_code.issuer_state })
    const token = await redeem(await codeFor(await pushed(parameters)), verifier)
    expect((await issuer.take(token.json.access_token, SD_JWT)).status).toBe(200)
  })

  it('used up between page and decision: the wallet receives an error', async () => {
    const offering = await issuer.makeOffering({ redemption_limit: 1 })
    const { parameters } = await newRequest({ issuer_state: offering.grants.authorization_code.issuer_state })
    const browser = newBrowser(issuer.service)
    const { id, page } = await openPage(browser, await pushed(parameters))
    expect((await issuer.take(await issuer.token(offering.id), SD_JWT)).status).toBe(200)
    expect(responseOf(await browser.decide(page, id, 'accept'))).toMatchObject({ error: 'access_denied' })
  })

  it('a wallet that began by itself gets no credential if users cannot sign in', async () => {
    const { parameters } = await newRequest({ issuer_state: '' })
    const browser = newBrowser(issuer.service)
    const sent = await browser.get(await pushed(parameters))
    const answer = await browser.get(sent.headers.get('location') ?? '')
    expect(responseOf(answer)).toMatchObject({ error: 'access_denied', state: 'of-the-wallet' })
  })
})

describe('if every caller is the local admin (AUTH_DISABLED)', () => {
  it('the decision is about the displayed offer, even after newer offers', async () => {
    const local = await startIssuer({ env: { AUTH_DISABLED: 'true' } })
    try {
      const offer = (product: string) =>
        local.makeOffer({ grant: 'authorization_code', forSubject: 'local-admin', credentialSubject: { product } })
      const shown = await offer('Shown')
      const { parameters } = await newRequest({ issuer_state: '' })
      const browser = newBrowser(local.service)
      const { id, page } = await openPage(browser, addressOf(parameters))
      expect(page.text).toContain('Shown')
      const later = await offer('Later')
      const foreign = /name="token" value="([^"]+)"/.exec(page.text)?.[1] ?? ''
      const swapped = foreign.replace(shown.credentialOfferSessionId, later.credentialOfferSessionId)
      expect((await browser.decide(page, id, 'accept', { token: swapped })).status).toBe(403)
      expect(responseOf(await browser.decide(page, id, 'accept'))).toHaveProperty('code')
      const states = await Promise.all(
        [shown, later].map(async (made) => (await local.session(made.credentialOfferSessionId)).state),
      )
      expect(states).toEqual(['Authorized', 'Created'])
    } finally {
      await local.service.close()
    }
  })
})
