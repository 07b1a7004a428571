import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { query } from '../../support/postgres.js'
import { type Issuer, startIssuer } from './actors.js'
import { newBrowser, openPage, responseOf } from './browser.js'
import { issuanceTasks } from './issuance-tasks.js'
import { newOffer, newRequest, redeem } from './sign-in-actors.js'

let issuer: Issuer

beforeAll(async () => {
  issuer = await startIssuer()
})
afterAll(() => issuer.service.close())

async function openedPage() {
  const { issuer_state } = await newOffer(issuer)
  const { address, verifier } = newRequest({ issuer_state })
  const browser = newBrowser(issuer.service)
  return { browser, verifier, ...(await openPage(browser, address)) }
}

async function tokens() {
  const { browser, verifier, id, page } = await openedPage()
  const { code = '' } = responseOf(await browser.decide(page, id, 'accept'))
  const answer = await redeem(issuer, code, verifier)
  expect(answer.status, answer.text).toBe(200)
  return { id, ...(answer.json as { refresh_token: string }) }
}

describe('attacks on the steps of an authorization', () => {
  it('an issuer_state for a known offer, with an invented tag or with the tag of another offer', async () => {
    const [mine, other] = [await newOffer(issuer), await newOffer(issuer)]
    const [, tag] = other.issuer_state.split('.')
    for (const issuerState of [`${mine.id}.${'A'.repeat(43)}`, `${mine.id}.${tag}`, `${mine.id}.`, mine.id]) {
      const answer = await newBrowser(issuer.service).get(newRequest({ issuer_state: issuerState }).address)
      expect(responseOf(answer)).toMatchObject({ error: 'invalid_request' })
    }
  })

  it('agreement and refusal at once: one of them counts', async () => {
    const { browser, id, page } = await openedPage()
    const answers = await Promise.all(
      Array.from({ length: 30 }, (_, nth) => browser.decide(page, id, nth % 2 === 0 ? 'accept' : 'decline')),
    )
    expect(answers.filter(({ status }) => status === 303)).toHaveLength(1)
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([303, 409]))
  })

  it('a refusal does not take back an earlier grant', async () => {
    const { browser, id, page } = await openedPage()
    responseOf(await browser.decide(page, id, 'accept'))
    const [row] = await query<{ hash: string }>(
      issuer.service.databaseUrl,
      'SELECT browser_hash AS hash FROM authorizations WHERE id = $1',
      [id],
    )
    expect(await issuer.service.platform.stores.decisions.deny(id, row?.hash ?? '', new Date())).toBeUndefined()
  })
})

describe('the rows of an authorization', () => {
  it('stay for an hour after its end, and are deleted with its refresh tokens', async () => {
    const { id } = await tokens()
    const task = issuanceTasks(issuer.service).find(({ name }) => name === 'remove authorizations')
    const rows = (table: string, column: string) =>
      query(issuer.service.databaseUrl, `SELECT 1 FROM ${table} WHERE ${column} = $1`, [id])
    await query(issuer.service.databaseUrl, 'UPDATE authorizations SET expires_at = $2 WHERE id = $1', [id, new Date()])
    await task?.run(new Date(Date.now() + 3_500_000), 1_000)
    expect(await rows('authorizations', 'id')).toHaveLength(1)
    await task?.run(new Date(Date.now() + 3_700_000), 1_000)
    for (const [table, column] of [
      ['authorizations', 'id'],
      ['refresh_tokens', 'authorization_id'],
    ] as const)
      expect(await rows(table, column)).toEqual([])
  })
})
