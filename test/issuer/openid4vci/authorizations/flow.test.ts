import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { type Issuer, JWT_VC, movingClock, refusalOf, SD_JWT, startIssuer } from '../actors.js'
import { newBrowser, openPage, responseOf } from '../browser.js'
import { authorizationCodeFlow } from './flow.js'

const clock = movingClock()
let issuer: Issuer
const { newRequest, addressOf, pushed, codeFor, redeem } = authorizationCodeFlow(() => issuer)
beforeAll(async () => {
  issuer = await startIssuer({ clock: clock.now })
})
afterEach(() => {
  clock.ahead = 0
})
afterAll(() => issuer.service.close())

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
