import { afterAll, beforeAll, expect, it } from 'vitest'
import { recordStatements, type StatementRecord } from '../../support/statements.js'
import { SD_JWT } from './actors.js'
import { newBrowser, openPage } from './browser.js'
import { CLIENT, startHaip } from './haip-actors.js'

let haip: Awaited<ReturnType<typeof startHaip>>
let statements: StatementRecord

beforeAll(async () => {
  // What the maintenance job asks in between is nobody's request.
  haip = await startHaip({ ISSUER_PROFILE: 'haip' }, { maintenance: false })
  statements = recordStatements()
})
afterAll(async () => {
  statements.stop()
  await haip.close()
})

/** A flow with DPoP and attestation everywhere, and how many statements each request of it took. */
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
  const { id, page } = await openPage(browser, path)
  const decided = await browser.decide(page, id, 'accept')
  const code = new URL(decided.headers.get('location') ?? '').searchParams.get('code') ?? ''
  const token = await counted('token', () => wallet.redeem({ code, verifier }))
  await counted('nonce', () => issuer.nonce())
  const taken = await counted('credential', () => wallet.take(token.json.access_token))
  expect(taken.status, taken.text).toBe(200)
  const refreshed = await counted('refresh', () => wallet.refresh(token.json.refresh_token))
  expect(refreshed.status, refreshed.text).toBe(200)
  return counts
}

it('the HAIP flow takes one statement to push and to open, two for tokens, none for a nonce, at most three to issue', async () => {
  await countedFlow()
  const { credential, ...others } = await countedFlow()
  expect(others).toEqual({ PAR: 1, authorize: 1, token: 2, nonce: 0, refresh: 2 })
  expect(credential).toBeLessThanOrEqual(3)
})
