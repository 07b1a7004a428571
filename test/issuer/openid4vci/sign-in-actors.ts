import { expect } from 'vitest'
import type { OpenidProvider } from '../../support/openid-provider.js'
import type { Answer } from '../../support/service.js'
import { type Issuer, SD_JWT } from './actors.js'
import { type Browser, newBrowser, newPkce, REDIRECT_URI } from './browser.js'

/**
 * Makes the address of an authorization request, and its code verifier. The request names an offer only if `changes`
 * contain one.
 */
export function newRequest(changes: Readonly<Record<string, string>> = {}) {
  const { verifier, challenge } = newPkce()
  const parameters = {
    client_id: 'wallet',
    response_type: 'code',
    redirect_uri: REDIRECT_URI,
    scope: SD_JWT,
    code_challenge: challenge,
    code_challenge_method: 'S256',
    ...changes,
  }
  return { address: `/openid4vci/authorize?${new URLSearchParams(parameters)}`, verifier }
}

/** Makes an offer with an authorization code. Returns the request parameter that chooses this offer. */
export async function newOffer(issuer: Issuer, members: Record<string, unknown> = {}) {
  const made = await issuer.makeOffer({ grant: 'authorization_code', ...members })
  return {
    id: made.credentialOfferSessionId as string,
    issuer_state: made.credentialOffer.grants.authorization_code.issuer_state as string,
  }
}

/** Exchanges a code for tokens. */
export const redeem = (issuer: Issuer, code: string, verifier: string): Promise<Answer> =>
  issuer.requestToken({
    grant_type: 'authorization_code',
    code,
    code_verifier: verifier,
    redirect_uri: REDIRECT_URI,
    client_id: 'wallet',
  })

/** Returns the address to which an answer redirects the browser. */
export function locationOf(answer: Answer): string {
  expect(answer.status, answer.text).toBe(303)
  return answer.headers.get('location') ?? ''
}

/** Opens a request in a browser, and follows redirects to the address at the provider. */
export async function toProvider(browser: Browser, address: string): Promise<{ id: string; at: URL }> {
  const page = locationOf(await browser.get(address))
  return { id: page.slice(page.lastIndexOf('/') + 1), at: new URL(locationOf(await browser.get(page))) }
}

/**
 * Lets the provider's user sign in. Follows the provider's redirects with its cookies. Returns the first redirect that
 * leaves the provider.
 */
export async function atProvider({ issuer }: OpenidProvider, address: URL): Promise<string> {
  const cookies = new Map<string, string>()
  for (let next = address; ; ) {
    if (next.origin !== issuer) return next.href
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const answer = await fetch(next, { redirect: 'manual', headers: { cookie } })
    for (const set of answer.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(set) ?? []
      cookies.set(name, value)
    }
    next = new URL(answer.headers.get('location') ?? '', issuer)
  }
}

/**
 * Opens a request in a new browser, and lets the user sign in. Returns the service's response to the provider's answer.
 */
export async function signIn(issuer: Issuer, provider: OpenidProvider, address: string) {
  const browser = newBrowser(issuer.service)
  const { id, at } = await toProvider(browser, address)
  const answer = await browser.get(await atProvider(provider, at))
  return { browser, id, answer }
}

/** Signs a user in, and opens the page on which the user decides. */
export async function signedIn(issuer: Issuer, provider: OpenidProvider, address: string) {
  const { browser, id, answer } = await signIn(issuer, provider, address)
  const page = await browser.get(locationOf(answer))
  return { browser, id, page }
}
