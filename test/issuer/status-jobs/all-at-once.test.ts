import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createTokenStatusList } from '../../../server/protocol/status-list/token-status-list.js'
import { runTask } from '../../support/maintenance.js'
import { query } from '../../support/postgres.js'
import type { Answer } from '../../support/service.js'
import { newWallet, type WalletActor } from '../../support/wallet-actor.js'
import { startWebServer, type WebServer } from '../../verifier/web-server.js'
import { credentialOf, type Issuer, PRE_AUTHORIZED, startIssuer } from '../openid4vci/actors.js'
import { knownWallet, newProvider, type Provider, popOf, trusting } from '../openid4vci/attestation-actors.js'
import { postSchema, SUBJECT } from '../purchase.js'
import { begin, ended } from './jobs.js'
import { publishedStatus } from './published.js'

const CLIENT = 'https://pocket.example'
const TYPE = 'Card'
const DAY_MS = 86_400_000
const LIST = '/list'

let web: WebServer
let provider: Provider
let issuer: Issuer
let instance: WalletActor
let references = 0

beforeAll(async () => {
  web = await startWebServer()
  provider = await newProvider()
  instance = await newWallet()
  const env = {
    ...(await trusting([knownWallet(CLIENT, ['pocket:done'], provider)])),
    OUTBOUND_ALLOWED_HOSTS: `127.0.0.1:${web.port}`,
    RATE_LIMIT_MAX: '0',
  }
  issuer = await startIssuer({ env, maintenance: false })
  await postSchema(issuer.service, await issuer.authorization(), {
    name: TYPE,
    suspendable: true,
    activeSets: { perSubject: 1 },
    watchAttestations: true,
  })
})
afterAll(async () => {
  await issuer.service.close()
  await web[Symbol.asyncDispose]()
})
beforeEach(() => publish([]))

async function publish(revokedIndices: readonly number[]): Promise<void> {
  const body = await createTokenStatusList({
    signer: provider.signer,
    issuer: provider.iss,
    issuerKid: 'provider-key',
    uri: `http://127.0.0.1:${web.port}${LIST}`,
    revokedIndices,
    size: 1_024,
    issuedAt: new Date(),
    expiresAt: new Date(Date.now() + 365 * DAY_MS),
    ttlSeconds: 60,
  })
  web.documents.set(LIST, { body, type: 'application/statuslist+jwt' })
}

interface Token {
  readonly offer: string
  readonly token: string
}

/** A token of a wallet whose attestation is at an index of the provider's list. */
async function tokenFor(reference: string, idx: number): Promise<Token> {
  const { credentialOfferSessionId: offer } = await issuer.makeOffer({
    credentialConfigurationIds: [`${TYPE}-sd-jwt`],
    credentialSubject: SUBJECT,
    reference,
  })
  const status = { status_list: { uri: `http://127.0.0.1:${web.port}${LIST}`, idx } }
  const answer = await issuer.requestToken(
    { grant_type: PRE_AUTHORIZED, 'pre-authorized_code': await issuer.code(offer) },
    {
      headers: {
        'oauth-client-attestation': await provider.attest(CLIENT, instance, { payload: { status } }),
        'oauth-client-attestation-pop': await popOf(instance, issuer.service.url),
      },
    },
  )
  expect(answer.status, answer.text).toBe(200)
  return { offer, token: answer.json.access_token }
}

interface Card {
  readonly id: string
  readonly compact: string
  readonly token: string
}

const recordOf = async (offer: string): Promise<string> =>
  (await issuer.service.request('GET', `/api/v1/credentials?offeringId=${offer}`, { client: true })).json.items[0].id

async function cardFor(reference: string, idx: number): Promise<Card> {
  const { offer, token } = await tokenFor(reference, idx)
  const compact = credentialOf(await issuer.take(token, `${TYPE}-sd-jwt`))
  return { id: await recordOf(offer), compact, token }
}

const newReferences = (count: number): string[] =>
  Array.from({ length: count }, () => {
    references += 1
    return `M-${references}`
  })

const change = (id: string, name: string, reason: string): Promise<Answer> =>
  issuer.service.request('POST', `/api/v1/credentials/${id}/${name}`, { client: true, body: { reason } })

const historyOf = async (id: string): Promise<Answer['json']> =>
  (await issuer.service.request('GET', `/api/v1/credentials/${id}/history`, { client: true })).json

const revocationsOf = async (id: string): Promise<Answer['json'][]> =>
  (await historyOf(id)).events.filter(({ action }: Answer['json']) => action === 'credential.revoked')

/** Reads the lists of wallet providers as tomorrow's maintenance does, and revokes what it found. */
async function watch(days: number): Promise<void> {
  const tomorrow = new Date(Date.now() + days * DAY_MS)
  for (const task of issuer.service.features.attestationWatch.tasks) await runTask(task, tomorrow)
}

const deadlocks = async (): Promise<number> => {
  const [row] = await query<{ deadlocks: number }>(
    issuer.service.databaseUrl,
    'SELECT deadlocks::int FROM pg_stat_database WHERE datname = current_database()',
  )
  return row?.deadlocks ?? 0
}

describe('a card of a type with one active set, suspension and watched attestations', () => {
  it('goes through all changes one after the other, and each is recorded once', async () => {
    const [reference = ''] = newReferences(1)
    const lost = await cardFor(reference, 1)
    expect((await change(lost.id, 'suspend', 'holderRequest')).status).toBe(200)
    expect(await publishedStatus(lost.compact)).toBe(2)
    // The second phone replaces the suspended card.
    const found = await cardFor(reference, 2)
    expect([await publishedStatus(lost.compact), await publishedStatus(found.compact)]).toEqual([1, 0])
    const job = await begin(issuer.service, { action: 'suspend', filter: { references: [reference] } })
    expect(await ended(issuer.service, job.id)).toMatchObject({ matched: 2, done: 1, failures: { revoked: 1 } })
    expect([await publishedStatus(lost.compact), await publishedStatus(found.compact)]).toEqual([1, 2])
    await publish([1, 2])
    await watch(1)
    expect([await publishedStatus(lost.compact), await publishedStatus(found.compact)]).toEqual([1, 1])
    expect((await revocationsOf(lost.id)).map(({ detail }) => detail)).toEqual([{ reason: 'superseded' }])
    expect((await revocationsOf(found.id)).map(({ detail }) => detail)).toEqual([{ reason: 'keyCompromise' }])
    const after = await begin(issuer.service, { action: 'reinstate', filter: { references: [reference] } })
    expect(await ended(issuer.service, after.id)).toMatchObject({ failed: 2, failures: { revoked: 2 } })
  })

  it('has all changes at once: no request fails, each card is revoked once, and the lists are right', async () => {
    const cards: Card[] = []
    const subjects = newReferences(12)
    for (const [at, reference] of subjects.entries()) cards.push(await cardFor(reference, at + 10))
    const tokens = await Promise.all(subjects.map((reference) => tokenFor(reference, 500)))
    const ids = cards.map(({ id }) => id)
    for (const { id } of cards.slice(0, 6)) await change(id, 'suspend', 'other')
    await publish(cards.map((_, at) => at + 10))
    const before = await deadlocks()
    const job = await begin(issuer.service, { action: 'revoke', reason: 'cessation', filter: { ids } })
    const [, , ...answers] = await Promise.all([
      ended(issuer.service, job.id).then((done) =>
        expect(done).toMatchObject({ state: 'done', matched: 12, done: 12, failed: 0 }),
      ),
      watch(2),
      // A second wallet of each subject, and a further copy for the first wallet.
      ...tokens.map(({ token }) => issuer.take(token, `${TYPE}-sd-jwt`)),
      ...cards.map(({ token }) => issuer.take(token, `${TYPE}-sd-jwt`)),
      ...ids.flatMap((id) => [
        change(id, 'reinstate', 'other'),
        change(id, 'suspend', 'other'),
        change(id, 'revoke', 'privilegeWithdrawn'),
      ]),
    ])
    const statuses = answers.map(({ status }) => status)
    // The second wallet of each subject gets its card.
    expect(statuses.slice(0, 12)).toEqual(Array(12).fill(200))
    for (const [at, status] of statuses.slice(12, 24).entries())
      expect([200, 400], answers[at + 12]?.text).toContain(status)
    for (const copy of answers.slice(12, 24).filter(({ status }) => status === 200))
      expect(await publishedStatus(credentialOf(copy))).toBe(1)
    for (const [at, status] of statuses.slice(24).entries())
      expect([200, 409], answers[at + 24]?.text).toContain(status)
    // PostgreSQL counts with a delay of a second. A deadlock would also be an answer 500 above, or a failed task.
    await sleep(1_100)
    expect(await deadlocks()).toBe(before)
    for (const { id, compact } of cards) {
      const { credential, instances } = await historyOf(id)
      expect(credential.status).toBe('revoked')
      expect(new Set(instances.map(({ status }: Answer['json']) => status))).toEqual(new Set(['revoked']))
      const revocations = await revocationsOf(id)
      expect(revocations).toHaveLength(1)
      expect(revocations[0].detail.reason).toBe(credential.reason)
      expect(await publishedStatus(compact)).toBe(1)
    }
    // The later card of each subject is valid.
    const later = await Promise.all(tokens.map(({ offer }) => recordOf(offer)))
    for (const [at, answer] of answers.slice(0, 12).entries()) {
      expect((await historyOf(later[at] ?? '')).credential.status).toBe('active')
      expect(await publishedStatus(credentialOf(answer))).toBe(0)
    }
  })
})
