import { expect } from 'vitest'
import type { Answer } from '../../../support/service.js'
import { type Issuer, SD_JWT } from '../actors.js'
import { newBrowser, newPkce, openPage, REDIRECT_URI, responseOf } from '../browser.js'

export type Parameters = Record<string, string>

/** A wallet that uses the authorization code flow of an issuer (OpenID4VCI 1.0 §5), and the user who agrees in a browser. */
export function authorizationCodeFlow(issuer: () => Issuer) {
  async function newOffer(members: Record<string, unknown> = {}) {
    const made = await issuer().makeOffer({ grant: 'authorization_code', ...members })
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
    issuer().service.request('POST', '/openid4vci/par', {
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
    const browser = newBrowser(issuer().service)
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
    return issuer().requestToken(sent, { headers })
  }

  async function tokensFor(changes: Parameters = {}) {
    const { parameters, verifier, offerId } = await newRequest(changes)
    const answer = await redeem(await codeFor(await pushed(parameters)), verifier)
    expect(answer.status, answer.text).toBe(200)
    return { ...(answer.json as { access_token: string; refresh_token: string }), offerId }
  }

  return { form, newOffer, newRequest, push, addressOf, pushed, codeFor, redeem, tokensFor }
}
