import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Answer } from '../../support/service.js'
import { recordStatements, type StatementRecord } from '../../support/statements.js'
import { SD_JWT, startIssuer } from './actors.js'
import { newBrowser, newPkce, openPage, REDIRECT_URI } from './browser.js'
import { CLIENT, startHaip } from './haip-actors.js'

let haip: Awaited<ReturnType<typeof startHaip>>
let statements: StatementRecord

beforeAll(async () => {
  // There is no maintenance job, because its statements would be counted.
  haip = await startHaip({ ISSUER_PROFILE: 'haip' }, { maintenance: false })
  statements = recordStatements()
})
afterAll(async () => {
  statements.stop()
  await haip.close()
})

/** Runs a flow with DPoP and attestation in each request. Returns the number of statements of each request. */
async function countedFlow(): Promise<Record<string, number>> {
  const { issuer, wallet } = haip
  const counts: Record<string, number> = {}
  const counted = async <T>(name: string, act: () => Promise<T>): Promise<T> => {
    statements.clear()
    const result = await act()
    counts[name] = statements.sent().length
    return result
  }
  const made = await issuer.makeOffer({ credentialConfigurationIds: [SD_JWT] })
  const { issuer_state } = made.credentialOffer.grants.authorization_code
  const { parameters, verifier } = wallet.parametersOf({ issuer_state })
  const pushed = await counted('PAR', () => wallet.push(parameters))
  const address = new URLSearchParams({ client_id: CLIENT, request_uri: pushed.json.request_uri })
  const browser = newBrowser(issuer.service)
  const path = `/openid4vci/authorize?${address}`
  const opened = await counted('authorize', () => browser.get(path))
  expect(opened.status, opened.text).toBe(303)
  const { id } = await openPage(browser, path)
  const page = await counted('page', () => browser.get(`/openid4vci/authorize/${id}`))
  const decided = await counted('decision', () => browser.decide(page, id, 'accept'))
  const code = new URL(decided.headers.get('location') ?? '').searchParams.get('code') ?? ''
  const token = await counted('token', () => wallet.redeem({ code, verifier }))
  await counted('nonce', () => issuer.nonce())
  const taken = await counted('credential', () => wallet.take(token.json.access_token))
  expect(taken.status, taken.text).toBe(200)
  const refreshed = await counted('refresh', () => wallet.refresh(token.json.refresh_token))
  expect(refreshed.status, refreshed.text).toBe(200)
  return counts
}

it('the HAIP flow takes one statement to push and to open, two for its page, one to decide, two for tokens, none for a nonce, at most three to issue', async () => {
  await countedFlow()
  const { credential, ...others } = await countedFlow()
  expect(others).toEqual({ PAR: 1, authorize: 1, page: 2, decision: 1, token: 2, nonce: 0, refresh: 2 })
  expect(credential).toBeLessThanOrEqual(3)
})

it('a request that is not pushed takes one statement to open, with an offer or without, and one to decline', async () => {
  const plain = await startIssuer({ maintenance: false })
  try {
    const sent = async (act: () => Promise<Answer>) => {
      statements.clear()
      const answer = await act()
      expect(answer.status, answer.text).toBe(303)
      return statements.sent().length
    }
    const made = await plain.makeOffer({ credentialConfigurationIds: [SD_JWT], grant: 'authorization_code' })
    const { issuer_state } = made.credentialOffer.grants.authorization_code
    const asked = {
      client_id: 'wallet',
      redirect_uri: REDIRECT_URI,
      response_type: 'code',
      scope: SD_JWT,
      code_challenge: newPkce().challenge,
      code_challenge_method: 'S256',
    }
    const addressOf = (more: Record<string, string>) =>
      `/openid4vci/authorize?${new URLSearchParams({ ...asked, ...more })}`
    const browser = newBrowser(plain.service)
    expect(await sent(() => browser.get(addressOf({})))).toBe(1)
    expect(await sent(() => browser.get(addressOf({ issuer_state })))).toBe(1)
    const { id, page } = await openPage(browser, addressOf({ issuer_state }))
    expect(await sent(() => browser.decide(page, id, 'decline'))).toBe(1)
  } finally {
    await plain.service.close()
  }
})
