import { createHash } from 'node:crypto'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { type OpenidProvider, startOpenidProvider } from '../../support/openid-provider.js'
import { query } from '../../support/postgres.js'
import { newWallet } from '../../support/wallet-actor.js'
import { type Issuer, movingClock, SD_JWT, SUBJECT, startIssuer } from './actors.js'
import { newBrowser, responseOf } from './browser.js'
import { atProvider, locationOf, newOffer, newRequest, redeem, signedIn, signIn, toProvider } from './sign-in-actors.js'

const KEY = Buffer.alloc(32, 7).toString('base64url')

const clock = movingClock()
let provider: OpenidProvider
let issuer: Issuer
beforeAll(async () => {
  provider = await startOpenidProvider()
  issuer = await startIssuer({ env: { ...provider.env(), KEY_ENCRYPTION_KEY: KEY }, clock: clock.now })
  await provider.register(issuer.service.url)
})
afterEach(() => {
  provider.user = { sub: 'alice' }
  provider.away = false
  clock.ahead = 0
})
afterAll(async () => {
  await issuer.service.close()
  await provider.close()
})

const rowOf = async (id: string) =>
  (await query(issuer.service.databaseUrl, 'SELECT * FROM authorizations WHERE id = $1', [id]))[0]

const forAlice = (members: Record<string, unknown> = {}) => newOffer(issuer, { forSubject: 'alice', ...members })

describe('sign-in at the identity provider (OpenID Connect Core 1.0 §3.1)', () => {
  it('leads from the request over the provider to the page, the code and the credential', async () => {
    const offer = await forAlice()
    const { address, verifier } = newRequest({ issuer_state: offer.issuer_state, state: 'of the wallet' })
    const { browser, id, page } = await signedIn(issuer, provider, address)
    expect(page.status, page.text).toBe(200)
    expect(await rowOf(id)).toMatchObject({ state: 'SignedIn', user_sub: 'alice', user_dids: [], login: null })
    const response = responseOf(await browser.decide(page, id, 'accept'))
    expect(response).toEqual({ code: expect.any(String), state: 'of the wallet', iss: issuer.service.url })
    const token = await redeem(issuer, response.code ?? '', verifier)
    expect((await issuer.take(token.json.access_token, SD_JWT)).status).toBe(200)
  })

  it('asks with PKCE, state and nonce for the configured scope, and stores these values protected', async () => {
    const { address } = newRequest({ issuer_state: (await forAlice()).issuer_state })
    const { id, at } = await toProvider(newBrowser(issuer.service), address)
    expect(Object.fromEntries(at.searchParams)).toEqual({
      client_id: 'client_secret_basic',
      response_type: 'code',
      redirect_uri: `${issuer.service.url}/openid4vci/authorize/callback`,
      scope: 'openid profile',
      state: expect.stringMatching(new RegExp(`^${id}\\.[\\w-]{43}$`)),
      nonce: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge_method: 'S256',
    })
    const { state, login } = (await rowOf(id)) ?? {}
    expect(state).toBe('Started')
    expect(login).not.toContain(at.searchParams.get('nonce'))
    expect(login).not.toContain('verifier')
  })

  it.each(['client_secret_post', 'none'] as const)('works as a client that authenticates by %s', async (method) => {
    const other = await startOpenidProvider()
    const service = await startIssuer({ env: other.env(method) })
    try {
      await other.register(service.service.url)
      const offer = await newOffer(service, { forSubject: 'alice' })
      const { page } = await signedIn(service, other, newRequest({ issuer_state: offer.issuer_state }).address)
      expect(page.status, page.text).toBe(200)
    } finally {
      await service.service.close()
      await other.close()
    }
  })

  it('finds the newest offer for the user if the wallet names none', async () => {
    await forAlice({ credentialSubject: { product: 'Older' } })
    await forAlice({ credentialSubject: { product: 'Newest' } })
    await newOffer(issuer, { forSubject: 'bob', credentialSubject: { product: 'Of another' } })
    const { page } = await signedIn(issuer, provider, newRequest().address)
    expect(page.text).toContain('Newest')
    provider.user = { sub: 'nobody' }
    const { page: none } = await signedIn(issuer, provider, newRequest().address)
    expect(responseOf(none).error).toBe('access_denied')
  })

  it('an offer for another user is denied', async () => {
    const { address } = newRequest({ issuer_state: (await forAlice()).issuer_state })
    provider.user = { sub: 'mallory' }
    const { page } = await signedIn(issuer, provider, address)
    expect(responseOf(page)).toMatchObject({
      error: 'access_denied',
      error_description: 'The offer is for another user.',
    })
  })

  it('a recipient must be one of the DIDs that the provider names', async () => {
    const wallet = await newWallet()
    const { id } = await issuer.makeOffering({ recipient: wallet.did })
    const issuerState = issuer.service.platform.seals.issuerState({ offeringId: id, linkNumber: 0 })
    const open = () => signedIn(issuer, provider, newRequest({ issuer_state: issuerState }).address)
    provider.user = { sub: 'alice', did: 'did:example:other' }
    expect(responseOf((await open()).page)).toMatchObject({ error: 'access_denied' })
    provider.user = { sub: 'alice', did: ['did:example:other', wallet.did, 'no DID'] }
    const { id: authorization, page } = await open()
    expect(page.status, page.text).toBe(200)
    expect((await rowOf(authorization))?.user_dids).toEqual(['did:example:other', wallet.did])
  })

  it('in two windows counts in the first window, and the other window gets the page too', async () => {
    const { address } = newRequest({ issuer_state: (await forAlice()).issuer_state })
    const browser = newBrowser(issuer.service)
    const { id, at } = await toProvider(browser, address)
    const again = new URL(locationOf(await browser.get(`/openid4vci/authorize/${id}`)))
    expect(again.href).toBe(at.href)
    const [one, other] = [await atProvider(provider, at), await atProvider(provider, again)]
    const answers = await Promise.all([browser.get(one), browser.get(other)])
    expect(answers.map(locationOf)).toEqual([1, 2].map(() => `${issuer.service.url}/openid4vci/authorize/${id}`))
    expect((await browser.get(`/openid4vci/authorize/${id}`)).status).toBe(200)
  })

  it('a HEAD neither begins nor ends a sign-in (RFC 9110 §9.2.1)', async () => {
    const { address } = newRequest({ issuer_state: (await forAlice()).issuer_state })
    const browser = newBrowser(issuer.service)
    const { id, at } = await toProvider(browser, address)
    const back = new URL(await atProvider(provider, at))
    const headers = { cookie: browser.cookie ?? '' }
    const head = await issuer.service.request('HEAD', `${back.pathname}${back.search}`, { headers })
    expect([head.status, (await rowOf(id))?.state]).toEqual([303, 'Started'])
    expect(locationOf(await browser.get(back.href))).toMatch(new RegExp(`/authorize/${id}$`))
  })
})

describe('answers that do not sign a user in', () => {
  it('the user refuses: access_denied, and the authorization has ended', async () => {
    provider.user = null
    const offer = await forAlice()
    const { address } = newRequest({ issuer_state: offer.issuer_state, state: 'of the wallet' })
    const { id, answer } = await signIn(issuer, provider, address)
    expect(responseOf(answer)).toEqual({
      error: 'access_denied',
      error_description: 'The user did not sign in.',
      state: 'of the wallet',
      iss: issuer.service.url,
    })
    expect((await rowOf(id))?.state).toBe('Denied')
    expect((await issuer.session(offer.id)).state).toBe('Created')
  })

  it('an ID token with another nonce', async () => {
    const { address } = newRequest({ issuer_state: (await forAlice()).issuer_state })
    const browser = newBrowser(issuer.service)
    const { id, at } = await toProvider(browser, address)
    at.searchParams.set('nonce', 'of-another-sign-in')
    const answer = await browser.get(await atProvider(provider, at))
    expect(responseOf(answer)).toMatchObject({ error: 'access_denied' })
    expect(await rowOf(id)).toMatchObject({ state: 'Denied', user_sub: null })
  })

  it('a code of another sign-in, with another PKCE verifier (RFC 9700 §4.5)', async () => {
    const { address } = newRequest({ issuer_state: (await forAlice()).issuer_state })
    const [attacker, victim] = [newBrowser(issuer.service), newBrowser(issuer.service)]
    const injected = new URL(await atProvider(provider, (await toProvider(attacker, address)).at))
    const { id, at } = await toProvider(victim, newRequest({ issuer_state: (await forAlice()).issuer_state }).address)
    const own = new URL(await atProvider(provider, at))
    own.searchParams.set('code', injected.searchParams.get('code') ?? '')
    expect(responseOf(await victim.get(own.href))).toMatchObject({ error: 'access_denied' })
    expect((await rowOf(id))?.user_sub).toBeNull()
  })

  it('an answer with another state, which changes nothing', async () => {
    const { address } = newRequest({ issuer_state: (await forAlice()).issuer_state })
    const browser = newBrowser(issuer.service)
    const { id, at } = await toProvider(browser, address)
    const back = new URL(await atProvider(provider, at))
    const right = back.searchParams.get('state') ?? ''
    for (const [state, status] of [
      [`${id}.${'A'.repeat(43)}`, 400],
      [id, 400],
      ['', 404],
      ['x'.repeat(4096), 404],
    ] as const) {
      back.searchParams.set('state', state)
      expect([state.length, (await browser.get(back.href)).status]).toEqual([state.length, status])
    }
    back.searchParams.set('state', right)
    expect(locationOf(await browser.get(back.href))).toContain(id)
  })

  it('an answer in the browser of another user, without a cookie or with another cookie', async () => {
    const { address } = newRequest({ issuer_state: (await forAlice()).issuer_state })
    const browser = newBrowser(issuer.service)
    const { id, at } = await toProvider(browser, address)
    const back = await atProvider(provider, at)
    const stranger = newBrowser(issuer.service)
    await toProvider(stranger, newRequest({ issuer_state: (await forAlice()).issuer_state }).address)
    for (const other of [newBrowser(issuer.service), stranger]) {
      expect((await other.get(back)).status).toBe(404)
      expect((await other.get(`/openid4vci/authorize/${id}`)).status).toBe(404)
    }
    expect((await rowOf(id))?.state).toBe('Started')
    const page = await browser.get(locationOf(await browser.get(back)))
    stranger.cookie = `authorization=${createHash('sha256').update('guess').digest('base64url')}`
    expect((await stranger.decide(page, id, 'accept')).status).toBe(404)
  })

  it('an answer that was used before', async () => {
    const { address } = newRequest({ issuer_state: (await forAlice()).issuer_state })
    const browser = newBrowser(issuer.service)
    const { id, at } = await toProvider(browser, address)
    const back = await atProvider(provider, at)
    const page = await browser.get(locationOf(await browser.get(back)))
    responseOf(await browser.decide(page, id, 'decline'))
    const asked = provider.requests.length
    expect((await browser.get(locationOf(await browser.get(back)))).status).toBe(409)
    expect(provider.requests.length).toBe(asked)
  })

  it('a request that another browser opened meanwhile', async () => {
    const { address } = newRequest({ issuer_state: (await forAlice()).issuer_state })
    const pushed = await issuer.service.request('POST', '/openid4vci/par', {
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: new URL(address, 'http://x').search.slice(1),
    })
    const location = `/openid4vci/authorize?${new URLSearchParams({ client_id: 'wallet', request_uri: pushed.json.request_uri })}`
    const first = newBrowser(issuer.service)
    const { at } = await toProvider(first, location)
    const second = newBrowser(issuer.service)
    const own = await toProvider(second, location)
    expect(own.at.searchParams.get('state')).not.toBe(at.searchParams.get('state'))
    expect((await first.get(await atProvider(provider, at))).status).toBe(404)
    expect((await second.get(locationOf(await second.get(await atProvider(provider, own.at))))).status).toBe(200)
  })

  it('an answer to a replaced sign-in, which does not end the new sign-in', async () => {
    const { address } = newRequest({ issuer_state: (await forAlice()).issuer_state })
    const browser = newBrowser(issuer.service)
    const { id, at } = await toProvider(browser, address)
    const { authorizations } = issuer.service.platform.stores
    expect(await authorizations.takeLogin(id, 'the one before', clock.now())).toBe(false)
    const page = await browser.get(locationOf(await browser.get(await atProvider(provider, at))))
    expect(page.status).toBe(200)
  })
})

describe('an unreachable provider', () => {
  it('gives the wallet temporarily_unavailable; afterwards the same request can be opened again', async () => {
    const other = await startOpenidProvider()
    other.away = true
    const service = await startIssuer({ env: other.env(), clock: clock.now })
    try {
      await other.register(service.service.url)
      const offer = await newOffer(service, { forSubject: 'alice' })
      const browser = newBrowser(service.service)
      const page = locationOf(await browser.get(newRequest({ issuer_state: offer.issuer_state }).address))
      const refusal = { error: 'temporarily_unavailable', iss: service.service.url }
      expect(responseOf(await browser.get(page))).toMatchObject(refusal)
      expect(responseOf(await browser.get(page))).toMatchObject(refusal)
      // The service asked the provider only once, because it caches the failure.
      expect(other.requests).toEqual(['/.well-known/openid-configuration'])
      expect((await service.token((await service.makeOffer()).credentialOfferSessionId)).length).toBeGreaterThan(20)
      expect((await service.service.request('GET', '/health/readiness')).status).toBe(200)
      other.away = false
      clock.ahead = 30
      expect((await browser.get(await atProvider(other, new URL(locationOf(await browser.get(page)))))).status).toBe(
        303,
      )
      expect((await browser.get(page)).status).toBe(200)
    } finally {
      await service.service.close()
      await other.close()
    }
  })

  it('also if it is unreachable when the user returns from it', async () => {
    const { address } = newRequest({ issuer_state: (await forAlice()).issuer_state })
    const browser = newBrowser(issuer.service)
    const { id, at } = await toProvider(browser, address)
    const back = await atProvider(provider, at)
    provider.away = true
    expect(responseOf(await browser.get(back)).error).toBe('temporarily_unavailable')
    provider.away = false
    const again = await atProvider(provider, new URL(locationOf(await browser.get(`/openid4vci/authorize/${id}`))))
    expect((await browser.get(locationOf(await browser.get(again)))).status).toBe(200)
  })

  it('is asked for its metadata once in ten minutes', async () => {
    const discoveries = () => provider.requests.filter((path) => path.startsWith('/.well-known/')).length
    const open = async () =>
      toProvider(newBrowser(issuer.service), newRequest({ issuer_state: (await forAlice()).issuer_state }).address)
    await open()
    const before = discoveries()
    await open()
    expect(discoveries()).toBe(before)
    clock.ahead = 11 * 60
    await Promise.all([open(), open()])
    expect(discoveries()).toBe(before + 1)
  })
})

describe('without a client at the provider', () => {
  it('an offer cannot name a user, and anyone with the offer can take it', async () => {
    const service = await startIssuer({ env: { OIDC_ISSUER: provider.issuer } })
    try {
      const refused = await service.service.request('POST', '/credential-offers', {
        authorization: await service.authorization(),
        body: { credentialConfigurationIds: [SD_JWT], credentialSubject: SUBJECT, forSubject: 'alice' },
      })
      expect([refused.status, refused.json.message]).toEqual([
        400,
        ['forSubject needs an identity provider at which users can sign in'],
      ])
      const browser = newBrowser(service.service)
      const page = locationOf(await browser.get(newRequest().address))
      expect(responseOf(await browser.get(page)).error).toBe('access_denied')
    } finally {
      await service.service.close()
    }
  })
})
