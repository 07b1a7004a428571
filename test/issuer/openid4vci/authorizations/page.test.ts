import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { type Issuer, movingClock, startIssuer } from '../actors.js'
import { newBrowser, openPage, responseOf } from '../browser.js'
import { authorizationCodeFlow } from './flow.js'

const clock = movingClock()
let issuer: Issuer
const { newRequest, addressOf, pushed } = authorizationCodeFlow(() => issuer)
beforeAll(async () => {
  issuer = await startIssuer({ clock: clock.now })
})
afterEach(() => {
  clock.ahead = 0
})
afterAll(() => issuer.service.close())

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
