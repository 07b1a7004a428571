import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { TWO_READINGS } from '../../../support/two-readings.js'
import { type Issuer, movingClock, refusalOf, SD_JWT, startIssuer } from '../actors.js'
import { newBrowser, openPage, responseOf } from '../browser.js'
import { authorizationCodeFlow, type Parameters } from './flow.js'

const clock = movingClock()
let issuer: Issuer
const { form, newOffer, newRequest, push, addressOf, pushed } = authorizationCodeFlow(() => issuer)
beforeAll(async () => {
  issuer = await startIssuer({ clock: clock.now })
})
afterEach(() => {
  clock.ahead = 0
})
afterAll(() => issuer.service.close())

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
