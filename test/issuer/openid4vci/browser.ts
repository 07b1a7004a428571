import { createHash, randomBytes } from 'node:crypto'
import { expect } from 'vitest'
import type { Answer, TestService } from '../../support/service.js'

export const REDIRECT_URI = 'https://wallet.example/callback'

/** A code verifier and its challenge (RFC 7636 §4). */
export function newPkce() {
  const verifier = randomBytes(32).toString('base64url')
  return { verifier, challenge: createHash('sha256').update(verifier).digest('base64url') }
}

/** The browser of a user. It keeps the cookie, and reads the form of a page. */
export interface Browser {
  cookie: string | undefined
  get(location: string): Promise<Answer>
  /** Sends the form of a page with one of its buttons. */
  decide(page: Answer, id: string, decision: string, changes?: Record<string, string>): Promise<Answer>
}

export function newBrowser(service: TestService): Browser {
  const bases = [service.url, service.config.issuerBaseUrl]
  const pathOf = (location: string) => {
    const base = bases.find((one) => location.startsWith(one)) ?? ''
    return location.slice(base.length)
  }
  const browser: Browser = {
    cookie: undefined,
    async get(location) {
      const headers = browser.cookie === undefined ? {} : { cookie: browser.cookie }
      const answer = await service.request('GET', pathOf(location), { headers })
      const set = answer.headers.get('set-cookie')
      if (set !== null) browser.cookie = set.split(';')[0]
      return answer
    },
    decide: (page, id, decision, changes = {}) => {
      const token = /name="token" value="([^"]+)"/.exec(page.text)?.[1] ?? ''
      return service.request('POST', `/openid4vci/authorize/${id}`, {
        headers: {
          'content-type': 'application/x-www-form-urlencoded',
          ...(browser.cookie === undefined ? {} : { cookie: browser.cookie }),
        },
        body: new URLSearchParams({ token, decision, ...changes }).toString(),
      })
    },
  }
  return browser
}

/** Reads the parameters of an authorization response to the wallet. */
export function responseOf(answer: Answer): Record<string, string> {
  expect(answer.status, answer.text).toBe(303)
  const location = new URL(answer.headers.get('location') ?? '')
  return Object.fromEntries(location.searchParams)
}

/** Opens the page of a request. Returns the page and the id of the authorization. */
export async function openPage(browser: Browser, location: string): Promise<{ id: string; page: Answer }> {
  const sent = await browser.get(location)
  expect(sent.status, sent.text).toBe(303)
  const next = sent.headers.get('location') ?? ''
  return { id: next.slice(next.lastIndexOf('/') + 1), page: await browser.get(next) }
}
