import { randomBytes, randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { query } from '../../support/postgres.js'
import { type Answer, type RequestOptions, startService, type TestService } from '../../support/service.js'
import { type Issuer, JWT_VC, refusalOf, SUBJECT, startIssuer } from '../openid4vci/actors.js'

let issuer: Issuer
/** The same installation with ISSUER_ROLE, whose holders see the sessions of all callers. */
let staffed: TestService
beforeAll(async () => {
  const env = { KEY_ENCRYPTION_KEY: randomBytes(32).toString('base64url') }
  issuer = await startIssuer({ env, maintenance: false })
  const { databaseUrl, identityProvider } = issuer.service
  staffed = await startService({
    databaseUrl,
    identityProvider,
    maintenance: false,
    env: { ...env, ISSUER_ROLE: 'clerk' },
  })
})
afterAll(async () => {
  await staffed.close()
  await issuer.service.close()
})

const NAMES = { reference: 'M-2026-0042', label: 'Ada Lovelace' }

const as = async (sub: string, role = 'clerk'): Promise<RequestOptions> => ({
  authorization: await issuer.service.bearer(sub, { roles: [role] }),
})
const ok = (answer: Answer): Answer['json'] => {
  expect(answer.status, answer.text).toBe(200)
  return answer.json
}

/** A deferred offer whose wallet waits. */
async function waiting() {
  const { credentialOfferSessionId: id } = await issuer.makeOffer({ deferred: true, ...NAMES })
  const token = await issuer.token(id)
  const { transaction_id: transaction } = (await issuer.take(token, JWT_VC)).json
  return { id: String(id), collect: () => issuer.collect(token, transaction) }
}

const listed = async (id: string, options: RequestOptions, query = '?withClaims=true&deferred=pending') => {
  const { items } = ok(await staffed.request('GET', `/api/v1/credential-offer-sessions${query}`, options))
  return items.find((each: { id: string }) => each.id === id)
}
const detail = async (id: string, options: RequestOptions) =>
  ok(await staffed.request('GET', `/api/v1/credential-offers/${id}`, options))
const decide = async (body: object, sub = 'issuer') =>
  issuer.service.request('POST', '/api/v1/credential-offer-decisions', { ...(await as(sub)), body })
const shownOf = ({ credentialSubject, reference, label }: Answer['json']) => ({ credentialSubject, reference, label })

describe('a deferred offer before its decision', () => {
  it('shows its claims, reference and label to its creator, to colleagues and to admins, on the list and by itself', async () => {
    const { id } = await waiting()
    for (const decider of [await as('issuer'), await as('colleague'), await as('boss', 'admin')]) {
      expect(shownOf(await listed(id, decider))).toEqual({ credentialSubject: SUBJECT, ...NAMES })
      expect(shownOf(await detail(id, decider))).toEqual({ credentialSubject: SUBJECT, ...NAMES })
    }
  })

  it('attack: shows no claims to the client secret, which may not decide, or without being asked', async () => {
    const { id } = await waiting()
    expect(await listed(id, { client: true })).not.toHaveProperty('credentialSubject')
    expect(await detail(id, { client: true })).not.toHaveProperty('credentialSubject')
    expect(await listed(id, await as('issuer'), '')).not.toHaveProperty('credentialSubject')
  })

  it('attack: has no claims in its session and its events, which the wallet side can lead to', async () => {
    const { id } = await waiting()
    const own = await as('issuer')
    const session = await issuer.service.request('GET', `/credential-offer-sessions/${id}`, own)
    for (const text of [session.text, JSON.stringify(await issuer.events(id))])
      expect(text).not.toContain(SUBJECT.product)
  })

  it('shows the claims no longer after the decision, after a cancellation and after their erasure', async () => {
    const own = await as('issuer')
    const [approved, cancelled, erased] = [await waiting(), await waiting(), await waiting()]
    await decide({ decision: 'approve', ids: [approved.id] })
    await issuer.service.request('POST', `/api/v1/credential-offers/${cancelled.id}/cancel`, { ...own, body: {} })
    await issuer.service.request('POST', `/api/v1/credential-offers/${erased.id}/erase`, { ...own, body: {} })
    for (const { id } of [approved, cancelled, erased])
      expect(await detail(id, own)).not.toHaveProperty('credentialSubject')
  })

  it('leaves out claims beyond 2 MiB in one page', async () => {
    const own = await as('issuer')
    const made = await Promise.all(
      Array.from({ length: 20 }, async () => {
        const product = randomBytes(60_000).toString('hex')
        return issuer.makeOffer({ deferred: true, credentialSubject: { ...SUBJECT, product } })
      }),
    )
    await query(
      issuer.service.databaseUrl,
      `UPDATE credential_offer_sessions SET deferred = 'pending' WHERE id = ANY($1)`,
      [made.map(({ credentialOfferSessionId: id }) => id)],
    )
    const answer = await staffed.request('GET', '/api/v1/credential-offer-sessions?withClaims=true&limit=20', own)
    const shown = ok(answer).items.filter((each: object) => 'credentialSubject' in each)
    expect([answer.text.length < 2.2 * 1_048_576, shown.length > 5, shown.length < 20]).toEqual([true, true, true])
  })
})

describe('POST /api/v1/credential-offer-decisions', () => {
  it('approves many offers, and their wallets get the credentials', async () => {
    const offers = await Promise.all(Array.from({ length: 12 }, waiting))
    const ids = offers.map(({ id }) => id)
    const { outcomes } = ok(await decide({ decision: 'approve', ids }))
    expect(outcomes).toEqual(ids.map((id) => ({ id, outcome: 'approved' })))
    for (const { collect } of offers) expect((await collect()).status).toBe(200)
  })

  it('rejects many offers with a reason', async () => {
    const [one, other] = [await waiting(), await waiting()]
    const { outcomes } = ok(await decide({ decision: 'reject', ids: [one.id, other.id], reason: 'No proof' }))
    expect(outcomes.map(({ outcome }: { outcome: string }) => outcome)).toEqual(['rejected', 'rejected'])
    const own = await as('issuer')
    for (const { id, collect } of [one, other]) {
      const session = await issuer.service.request('GET', `/credential-offer-sessions/${id}`, own)
      expect(session.json).toMatchObject({ state: 'Error', errorMessage: 'No proof', deferred: 'rejected' })
      const refused = await collect()
      expect(refusalOf(refused).slice(0, 2)).toEqual([400, 'credential_request_denied'])
      expect(refused.text).not.toContain('No proof')
    }
  })

  it('decides each offer by itself: refusals are outcomes', async () => {
    const [good, decided] = [await waiting(), await waiting()]
    const { credentialOfferSessionId: plain } = await issuer.makeOffer()
    await decide({ decision: 'reject', ids: [decided.id] })
    const unknown = randomUUID()
    const { outcomes } = ok(await decide({ decision: 'approve', ids: [unknown, decided.id, plain, good.id] }))
    expect(outcomes).toEqual([
      { id: unknown, outcome: 'failed', message: 'Credential offer session not found.' },
      { id: decided.id, outcome: 'failed', message: 'Credential offer is rejected already.' },
      { id: plain, outcome: 'failed', message: 'Credential offer is not deferred.' },
      { id: good.id, outcome: 'approved' },
    ])
  })

  it('attack: another caller decides nothing', async () => {
    const { id, collect } = await waiting()
    const { outcomes } = ok(await decide({ decision: 'approve', ids: [id] }, 'colleague'))
    expect(outcomes).toEqual([{ id, outcome: 'failed', message: 'Credential offer session not found.' }])
    expect((await collect()).status).toBe(202)
  })

  it.each([
    [{ decision: 'approve', ids: [] }, 'ids'],
    [{ decision: 'approve', ids: ['a', 'a'] }, 'ids must not repeat itself'],
    [{ decision: 'approve', ids: Array.from({ length: 201 }, (_, at) => `${at}`) }, 'ids'],
    [{ decision: 'approve', ids: ['a'], reason: 'because' }, 'reason must not be given with the decision approve'],
    [{ decision: 'maybe', ids: ['a'] }, 'decision'],
  ])('refuses %j', async (body, message) => {
    const { status, json } = await decide(body)
    expect([status, json.message[0].startsWith(message)]).toEqual([400, true])
  })
})
