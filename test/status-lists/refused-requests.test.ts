import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Issuer, JWT_VC, SD_JWT, SUBJECT, startIssuer } from '../issuer/openid4vci/actors.js'
import { query } from '../support/postgres.js'
import type { Answer } from '../support/service.js'
import { newWallet, type WalletActor } from '../support/wallet-actor.js'

/** A number of credentials that is larger than any block of indices that a process reserves in this test. */
const MANY = 300

let issuer: Issuer
let authorization: string
let wallets: readonly WalletActor[]

beforeAll(async () => {
  issuer = await startIssuer({ maintenance: false })
  authorization = await issuer.authorization()
  wallets = await Promise.all(Array.from({ length: 20 }, () => newWallet()))
})
afterAll(() => issuer.service.close())

interface Counts {
  readonly reserved: number
  readonly used: number
}

async function counts(): Promise<Counts> {
  const [row] = await query<Counts & { readonly [column: string]: number }>(
    issuer.service.databaseUrl,
    `SELECT (SELECT coalesce(sum(allotted), 0)::int FROM status_lists) AS reserved,
       (SELECT count(*)::int FROM credential_instances) AS used`,
  )
  return { reserved: row?.reserved ?? 0, used: row?.used ?? 0 }
}

const sign = (members: Readonly<Record<string, unknown>> = {}) =>
  issuer.service.request('POST', '/credentials/sign', {
    authorization,
    body: { type: JWT_VC, credential_subject: SUBJECT, format: 'dc+sd-jwt', ...members },
  })

const claim = (id: string) => issuer.service.request('POST', `/api/v1/offerings/${id}/claim`, { authorization })

/** Issues credentials until the expected number of indices is used. */
async function issueUntil(total: number): Promise<void> {
  const { used } = await counts()
  for (let count = used; count < total; count += 1) expect((await sign()).status).toBe(201)
}

/**
 * Uses all reserved indices, sends requests that the service refuses, then issues until every newly reserved index is
 * used too. If an index were lost, the number of used indices would never again be equal to the number of reserved
 * indices.
 */
async function burnsNone(refused: () => Promise<readonly Answer[]>): Promise<void> {
  const { reserved } = await counts()
  await issueUntil(reserved)
  const answers = await refused()
  expect(answers.length).toBeGreaterThan(0)
  for (const { status, text } of answers) expect(status, text).toBeGreaterThanOrEqual(400)
  let now = await counts()
  do {
    expect((await sign()).status).toBe(201)
    now = await counts()
  } while (now.used < now.reserved && now.used < reserved + MANY)
  expect(now.used).toBe(now.reserved)
}

const refusedOf = (answers: readonly Answer[]) => answers.filter(({ status }) => status >= 400)

it('claims after the limit is reached, simultaneous and later', () =>
  burnsNone(async () => {
    const { id } = await issuer.makeOffering({ redemption_limit: 2 })
    const atOnce = await Promise.all(Array.from({ length: 20 }, () => claim(id)))
    expect(refusedOf(atOnce)).toHaveLength(18)
    return [...refusedOf(atOnce), await claim(id)]
  }))

it('credential requests after the limit is reached, also batches', () =>
  burnsNone(async () => {
    const { id } = await issuer.makeOffering({ redemption_limit: 1 })
    const tokens = await Promise.all(Array.from({ length: 6 }, () => issuer.token(id)))
    const atOnce = await Promise.all(
      tokens.map((token, at) => issuer.take(token, SD_JWT, ...wallets.slice(at, at + 5))),
    )
    expect(refusedOf(atOnce)).toHaveLength(5)
    return refusedOf(atOnce)
  }))

it('credential requests beyond the 100 instances that a token gives', () =>
  burnsNone(async () => {
    const token = await issuer.token((await issuer.makeOffering()).id)
    for (let batch = 0; batch < 5; batch += 1) expect((await issuer.take(token, JWT_VC, ...wallets)).status).toBe(200)
    return Promise.all(wallets.slice(0, 10).map((wallet) => issuer.take(token, JWT_VC, wallet)))
  }))

it('credential requests with a used nonce', () =>
  burnsNone(async () => {
    const nonce = await issuer.nonce()
    const { id } = await issuer.makeOffering()
    const answers: Answer[] = []
    for (let time = 0; time < 10; time += 1) {
      const jwt = await Promise.all(wallets.slice(0, 3).map((wallet) => wallet.proof(issuer.service.url, nonce)))
      const request = { credential_configuration_id: SD_JWT, proofs: { jwt } }
      answers.push(await issuer.requestCredential(await issuer.token(id), request))
    }
    const [first, ...others] = answers
    expect(first?.status).toBe(200)
    expect(new Set(others.map(({ json }) => json.error))).toEqual(new Set(['invalid_nonce']))
    return others
  }))

it('credential requests with a refused proof, for an ended offer, or for a configuration that is not offered', () =>
  burnsNone(async () => {
    const made = await issuer.makeOffer({ credentialConfigurationIds: [JWT_VC] })
    const token = await issuer.token(made.credentialOfferSessionId)
    const proofs = { jwt: [await wallets[0]?.proof('https://another.example', await issuer.nonce())] }
    const late = (await issuer.makeOffering({ redemption_limit: 1 })).id
    const lateToken = await issuer.token(late)
    expect((await claim(late)).status).toBe(200)
    return [
      await issuer.requestCredential(token, { credential_configuration_id: JWT_VC, proofs }),
      await issuer.take(token, SD_JWT),
      await issuer.take(lateToken, JWT_VC),
    ]
  }))

it('direct signing of a subject that is not valid, for a holder that cannot be bound, by an unknown issuer', () =>
  burnsNone(async () => [
    await sign({ credential_subject: { price: 1 } }),
    await sign({ credential_subject: { ...SUBJECT, id: 'no uri' } }),
    await sign({ holder: 'did:example:nobody' }),
    await sign({ holder: 'did:jwk:e30' }),
    await sign({ type: 'Unknown' }),
    await sign({ issuerId: 'unknown' }),
  ]))

it('a format that cannot be signed, for any reason', () =>
  burnsNone(async () => {
    // The schema is stored without the check of claim names, as if an earlier version had stored it.
    await query(issuer.service.databaseUrl, `UPDATE schemas SET selectively_disclosable = '["iss"]'`)
    const token = await issuer.token((await issuer.makeOffering()).id)
    const answers = [await sign(), await sign(), await issuer.take(token, SD_JWT, ...wallets.slice(0, 4))]
    await query(issuer.service.databaseUrl, 'UPDATE schemas SET selectively_disclosable = NULL')
    return answers
  }))
