import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Issuer, SD_JWT, startIssuer } from '../issuer/openid4vci/actors.js'
import { newBrowser, REDIRECT_URI, responseOf } from '../issuer/openid4vci/browser.js'
import {
  atProvider,
  locationOf,
  newOffer,
  newRequest,
  redeem,
  signedIn,
  toProvider,
} from '../issuer/openid4vci/sign-in-actors.js'
import { type OpenidProvider, startOpenidProvider } from '../support/openid-provider.js'
import { startService, type TestService } from '../support/service.js'

/** Two processes of one installation. In this test they are two complete services with one database. */
let provider: OpenidProvider
let issuer: Issuer
let a: TestService
let b: TestService

beforeAll(async () => {
  provider = await startOpenidProvider()
  issuer = await startIssuer({ env: provider.env() })
  a = issuer.service
  await provider.register(a.url)
  b = await startService({
    databaseUrl: a.databaseUrl,
    identityProvider: a.identityProvider,
    env: { ...provider.env(), ISSUER_BASE_URL: a.url, VERIFIER_BASE_URL: a.url },
  })
})
afterAll(async () => {
  await b.close()
  await a.close()
  await provider.close()
})

const request = async () => {
  const { issuer_state } = await newOffer(issuer, { forSubject: 'alice' })
  return newRequest({ issuer_state })
}

async function code() {
  const { address, verifier } = await request()
  const { browser, id, page } = await signedIn(issuer, provider, address)
  return { code: responseOf(await browser.decide(page, id, 'accept')).code ?? '', verifier }
}

const redeemAt = (service: TestService, granted: { code: string; verifier: string }) =>
  service.request('POST', '/openid4vci/token', {
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams({
      grant_type: 'authorization_code',
      code: granted.code,
      code_verifier: granted.verifier,
      redirect_uri: REDIRECT_URI,
      client_id: 'wallet',
    }).toString(),
  })

describe('an authorization at two processes behind one database', () => {
  it('50 redemptions of one code at once give one token', async () => {
    const granted = await code()
    const answers = await Promise.all(Array.from({ length: 50 }, (_, at) => redeemAt(at % 2 === 0 ? a : b, granted)))
    const outcomes = answers.map(({ status, json }) => (status === 200 ? 'token' : json.error))
    expect(outcomes.filter((outcome) => outcome === 'token')).toHaveLength(1)
    expect(new Set(outcomes)).toEqual(new Set(['token', 'invalid_grant']))
  })

  it('a code issued at one is redeemed at the other', async () => {
    const answer = await redeemAt(b, await code())
    expect(answer.status, answer.text).toBe(200)
    expect((await issuer.take(answer.json.access_token, SD_JWT)).status).toBe(200)
  })

  it('a sign-in that began at one process is answered and decided at the other', async () => {
    const { address, verifier } = await request()
    const browser = newBrowser(a)
    const { id, at } = await toProvider(browser, address)
    const other = newBrowser(b)
    other.cookie = browser.cookie
    const back = new URL(await atProvider(provider, at))
    const page = new URL(locationOf(await other.get(`${back.pathname}${back.search}`)))
    expect(page.href).toBe(`${a.url}/openid4vci/authorize/${id}`)
    const shown = await browser.get(page.href)
    const response = responseOf(await other.decide(shown, id, 'accept'))
    expect((await redeem(issuer, response.code ?? '', verifier)).status).toBe(200)
  })

  it('an answer of the provider that arrives at both processes at once counts once, and both succeed', async () => {
    const browser = newBrowser(a)
    const { id, at } = await toProvider(browser, (await request()).address)
    const other = newBrowser(b)
    other.cookie = browser.cookie
    const back = new URL(await atProvider(provider, at))
    const path = `${back.pathname}${back.search}`
    const answers = await Promise.all([browser.get(path), other.get(path), other.get(path)])
    expect(new Set(answers.map(locationOf))).toEqual(new Set([`${a.url}/openid4vci/authorize/${id}`]))
    expect((await browser.get(`/openid4vci/authorize/${id}`)).status).toBe(200)
  })

  it('two decisions at once: one counts', async () => {
    const { browser, id, page } = await signedIn(issuer, provider, (await request()).address)
    const other = newBrowser(b)
    other.cookie = browser.cookie
    const answers = await Promise.all([
      browser.decide(page, id, 'accept'),
      other.decide(page, id, 'decline'),
      other.decide(page, id, 'accept'),
    ])
    expect(answers.map(({ status }) => status).sort()).toEqual([303, 409, 409])
  })
})
