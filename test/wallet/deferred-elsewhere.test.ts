import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { postSchema, SUBJECT } from '../issuer/purchase.js'
import { query } from '../support/postgres.js'
import { startService, type TestService } from '../support/service.js'
import { LOOPBACK, newWallet } from '../support/wallet.js'
import { askDue, pendingOf } from './deferred-actors.js'

/** The service that hosts the wallets. */
let a: TestService
/** The service that issues the credentials. It has a separate database, so it is a different installation. */
let b: TestService
let type: string
let authorization: string

beforeAll(async () => {
  a = await startService({ env: LOOPBACK, maintenance: false })
  b = await startService({ env: LOOPBACK, maintenance: false })
  authorization = await b.bearer('issuer')
  type = (await postSchema(b, authorization)).name
})
afterAll(async () => {
  await a.close()
  await b.close()
})

/** Lets a wallet take a deferred offer of the other installation. The wallet then waits. */
async function waiting() {
  const offered = await b.request('POST', '/credential-offers', {
    authorization,
    body: {
      credentialConfigurationIds: [type, `${type}-sd-jwt`],
      credentialSubject: SUBJECT,
      deferred: true,
    },
  })
  expect(offered.status, offered.text).toBe(201)
  const wallet = await newWallet(a)
  const taken = await wallet.process(offered.json.credentialOfferUri)
  expect([taken.status, taken.json]).toEqual([200, { type: 'credential_offer', credentials: [], deferred: 2 }])
  const session = `/credential-offer-sessions/${offered.json.credentialOfferSessionId}`
  return {
    wallet,
    decide: (decision: 'approve' | 'reject') =>
      b.request('POST', `${session}/${decision}`, { authorization, body: {} }),
    state: async () => (await b.request('GET', session, { authorization })).json.state,
    held: async () => (await wallet.get('/credentials')).json.length,
  }
}

describe('an offer of another installation that is deferred', () => {
  it('is taken after its approval, and its issuer sees this', async () => {
    const waits = await waiting()
    await askDue(a)
    expect(await waits.held()).toBe(0)
    expect((await waits.decide('approve')).status).toBe(200)
    await askDue(a)
    expect([await waits.held(), await waits.state()]).toEqual([2, 'Accepted'])
    expect(await pendingOf(a, waits.wallet.id)).toEqual([])
  })

  it('is taken with refresh tokens, long after the access token has expired', async () => {
    const waits = await waiting()
    const endTokens = () => query(b.databaseUrl, 'UPDATE issuance_tokens SET expires_at = now()')
    for (let round = 0; round < 2; round += 1) {
      await endTokens()
      await askDue(a)
      expect(await pendingOf(a, waits.wallet.id)).toHaveLength(1)
    }
    expect((await waits.decide('approve')).status).toBe(200)
    await endTokens()
    await askDue(a)
    expect(await waits.held()).toBe(2)
  })

  it('is no longer waited for after its rejection', async () => {
    const waits = await waiting()
    expect((await waits.decide('reject')).status).toBe(200)
    await askDue(a)
    expect([await waits.held(), await waits.state()]).toEqual([0, 'Error'])
    expect(await pendingOf(a, waits.wallet.id)).toEqual([])
  })
})
