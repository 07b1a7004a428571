import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { CREDENTIAL_OFFER_STATES } from '../../../../server/issuer/openid4vci/sessions/session.js'
import { allOf, idsOf } from '../../../support/listed.js'
import { startService, type TestService } from '../../../support/service.js'
import { LOOPBACK, newWallet } from '../../../support/wallet.js'
import { postSchema, SUBJECT } from '../../purchase.js'

const PATH = '/api/v1/credential-offer-sessions'

let service: TestService
/** Three sessions, the oldest first: by alice, by bob, and by alice and taken by a wallet. */
let made: string[]
let offers: string

beforeAll(async () => {
  service = await startService({ env: LOOPBACK })
  const alice = await service.bearer('alice')
  const { name } = await postSchema(service, alice)
  const offer = async (authorization: string) => {
    const body = { credentialConfigurationIds: [`${name}-sd-jwt`], credentialSubject: SUBJECT }
    return (await service.request('POST', '/credential-offers', { authorization, body })).json
  }
  const all = [await offer(alice), await offer(await service.bearer('bob')), await offer(alice)]
  made = all.map(({ credentialOfferSessionId }) => credentialOfferSessionId)
  offers = JSON.stringify(all.map(({ credentialOffer }) => credentialOffer))
  const wallet = await newWallet(service, 'wally')
  expect((await wallet.process(all[2].credentialOfferUri)).status).toBe(200)
})
afterAll(() => service.close())

const list = (filters: Record<string, string> = {}) => allOf(service, PATH, filters)

describe('GET /api/v1/credential-offer-sessions', () => {
  it('lists the sessions of all callers, the newest first', async () => {
    const entries = await list()
    expect(idsOf(entries)).toEqual([...made].reverse())
    expect(entries.map(({ createdBy }) => createdBy)).toEqual(['alice', 'bob', 'alice'])
    expect(entries[1]).toEqual({
      id: made[1],
      state: 'Created',
      issuerId: expect.any(String),
      credentialConfigurationIds: [expect.stringMatching(/-sd-jwt$/)],
      createdAt: expect.stringMatching(/Z$/),
      expiresAt: expect.stringMatching(/Z$/),
      createdBy: 'bob',
    })
  })

  it('of one state; all states together list each session once', async () => {
    const byState = await Promise.all(CREDENTIAL_OFFER_STATES.map((state) => list({ state })))
    for (const [at, entries] of byState.entries())
      for (const { state } of entries) expect(state).toBe(CREDENTIAL_OFFER_STATES[at])
    expect(idsOf(byState.flat()).sort()).toEqual([...made].sort())
    expect(idsOf(await list({ state: 'Created' }))).toEqual([made[1], made[0]])
  })

  it('of deferred offers: waiting for a decision, and decided', async () => {
    await using own = await startService({ env: LOOPBACK })
    const alice = await own.bearer('alice')
    const { name } = await postSchema(own, alice)
    const wallet = await newWallet(own, 'wally')
    const offer = async (deferred: boolean) => {
      const body = { credentialConfigurationIds: [`${name}-sd-jwt`], credentialSubject: SUBJECT, deferred }
      return (await own.request('POST', '/credential-offers', { authorization: alice, body })).json
    }
    const all = [await offer(true), await offer(true), await offer(true), await offer(true), await offer(false)]
    const [waiting, approved, rejected, , plain] = all.map(({ credentialOfferSessionId: id }) => id as string)
    for (const taken of [0, 1, 2, 4])
      expect((await wallet.process(all[taken].credentialOfferUri)).status).toBeLessThan(300)
    for (const [id, decision] of [
      [approved, 'approve'],
      [rejected, 'reject'],
    ])
      await own.request('POST', `/credential-offer-sessions/${id}/${decision}`, { authorization: alice, body: {} })
    const listed = async (filters: Record<string, string>) => idsOf(await allOf(own, PATH, filters))
    expect(await listed({ deferred: 'pending' })).toEqual([waiting])
    expect(await listed({ deferred: 'pending', state: 'TokenIssued' })).toEqual([waiting])
    expect(await listed({ deferred: 'pending', state: 'Created' })).toEqual([])
    expect(await listed({ deferred: 'approved', limit: '1' })).toEqual([approved])
    expect(await listed({ deferred: 'rejected' })).toEqual([rejected])
    expect(await listed({ state: 'Accepted' })).toEqual([plain])
    const wrong = await own.request('GET', `${PATH}?deferred=true`, { client: true })
    expect(wrong.status).toBe(400)
  })

  it('of a period, and page by page', async () => {
    const [newest] = await list()
    expect(idsOf(await list({ limit: '1' }))).toEqual([...made].reverse())
    expect(idsOf(await list({ limit: '1', state: 'Created' }))).toEqual([made[1], made[0]])
    expect(await list({ from: new Date(Date.parse(newest?.createdAt ?? '') + 60_000).toISOString() })).toEqual([])
  })

  it('contains neither codes nor claims', async () => {
    const text = JSON.stringify(await list())
    expect(text).not.toContain('Espresso')
    for (const [code] of offers.matchAll(/eyJ[\w.-]+|"pre-authorized_code":"[^"]+"/g)) expect(text).not.toContain(code)
  })

  it('a caller without the role sees only the sessions that it made', async () => {
    const listed = async (sub: string, filters = {}) =>
      idsOf(await allOf(service, PATH, filters, { authorization: await service.bearer(sub) }))
    expect(await listed('alice')).toEqual([made[2], made[0]])
    expect(await listed('alice', { state: 'Created' })).toEqual([made[0]])
    expect(await listed('alice', { limit: '1' })).toEqual([made[2], made[0]])
    expect(await listed('bob')).toEqual([made[1]])
    expect(await listed('stranger')).toEqual([])
  })
})
