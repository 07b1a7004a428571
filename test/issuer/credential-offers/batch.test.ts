import { createHash } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { atOnce } from '../../support/at-once.js'
import { query } from '../../support/postgres.js'
import { startService, type TestService } from '../../support/service.js'
import { postSchema, SUBJECT } from '../purchase.js'

const sortedSubject = Object.fromEntries(Object.entries(SUBJECT).sort(([a], [b]) => (a < b ? -1 : 1)))

const PATH = '/api/v1/credential-offers/batch'

let service: TestService
let alice: string
let type: string

beforeAll(async () => {
  service = await startService({ maintenance: false })
  alice = await service.bearer('alice')
  type = (await postSchema(service, alice)).name
})
afterAll(() => service.close())

const row = (key: string, members: Record<string, unknown> = {}) => ({
  key,
  credentialConfigurationIds: [type],
  credentialSubject: SUBJECT,
  ...members,
})

const send = (rows: readonly object[], members: object = {}, authorization = alice) =>
  service.request('POST', PATH, { authorization, body: { rows, ...members } })

async function offers(rows: readonly object[], authorization = alice) {
  const { status, json, text } = await send(rows, {}, authorization)
  expect(status, text).toBe(200)
  return json.offers
}

const WRITTEN = ['offerings', 'credential_offer_sessions', 'credential_offer_keys', 'pages']

/** The number of rows in each table that a batch writes. */
async function written(): Promise<number[]> {
  const counts = [...WRITTEN, `audit_events WHERE action = 'offering.created'`].map(
    (table) => `(SELECT count(*)::int FROM ${table})`,
  )
  const [found] = await query<{ all: number[] }>(service.databaseUrl, `SELECT ARRAY[${counts.join(', ')}] AS all`)
  return found?.all ?? []
}

const idsOf = (made: readonly { credentialOfferSessionId: string }[]) =>
  made.map((each) => each.credentialOfferSessionId)

describe('POST /api/v1/credential-offers/batch', () => {
  it('makes an offer from each of 100 rows, and wallets take it like any other offer', async () => {
    const rows = Array.from({ length: 100 }, (_, n) => row(`hundred-${n}`, { txCode: true, page: n === 0 }))
    const before = await written()
    const made = await offers(rows)
    // The numbers are in this order: offerings, sessions, keys, pages, and audit rows.
    const counts = await written()
    expect(counts.map((count, at) => count - (before[at] ?? 0))).toEqual([100, 100, 100, 1, 100])
    expect(made.map(({ key }: { key: string }) => key)).toEqual(rows.map(({ key }) => key))
    expect(new Set(idsOf(made)).size).toBe(100)
    expect(made[0].pageUrl).toMatch(/\/receive\/[\w-]+$/)
    const uri = decodeURIComponent(made[7].credentialOfferUri).split('credential_offer_uri=')[1] ?? ''
    const { grants } = (await service.request('GET', new URL(uri).pathname)).json
    const code = grants['urn:ietf:params:oauth:grant-type:pre-authorized_code']['pre-authorized_code']
    const token = await fetch(`${service.url}/openid4vci/token`, {
      method: 'POST',
      body: new URLSearchParams({
        grant_type: 'urn:ietf:params:oauth:grant-type:pre-authorized_code',
        'pre-authorized_code': code,
        tx_code: made[7].txCode,
      }),
    })
    expect(token.status, await token.text()).toBe(200)
  })

  it('stores no hash that anyone could compute of guessed claims, and still knows the plain hashes of earlier versions', async () => {
    const sorted = JSON.stringify({ credentialConfigurationIds: [type], credentialSubject: sortedSubject })
    const plain = createHash('sha256').update(sorted).digest('base64url')
    const where = `WHERE session_id = '${idsOf(await offers([row('hashed')]))[0]}'`
    const [stored] = await query(service.databaseUrl, `SELECT request_hash FROM credential_offer_keys ${where}`)
    expect(stored?.request_hash).not.toBe(plain)
    await query(
      service.databaseUrl,
      `UPDATE credential_offer_keys SET request_hash = '${plain}', key = 'hashed' ${where}`,
    )
    expect(await offers([row('hashed')])).toMatchObject([{ key: 'hashed', repeated: true }])
    const other = await send([row('hashed', { txCode: true })])
    expect([other.status, other.text]).toEqual([400, expect.stringContaining('rows.0.key has another offer already')])
  })

  it('makes no offer twice for repeated rows, and gives the same answer, also the transaction codes', async () => {
    const rows = [row('a', { txCode: { input_mode: 'text', length: 32 } }), row('b', { page: true })]
    const first = await offers(rows)
    const before = await written()
    const again = await offers(rows.toReversed())
    expect(await written()).toEqual(before)
    expect(again.toReversed()).toEqual(first.map((offer: object) => ({ ...offer, repeated: true })))
    const [, , added] = await offers([...rows, row('c')])
    expect(added.repeated).toBe(false)
  })

  it('recognizes a row with members in another order, and a missing member', async () => {
    const subject = { product: 'Kettle', price: 30 }
    const [first] = await offers([row('order', { credentialSubject: subject, txCode: true })])
    const { price, product } = subject
    const { key, credentialConfigurationIds } = row('order')
    const [again] = await offers([
      { txCode: true, credentialSubject: { price, product }, credentialConfigurationIds, key },
    ])
    expect(again).toEqual({ ...first, repeated: true })
    const { status, json } = await send([row('order', { credentialSubject: subject })])
    expect([status, json.message]).toEqual([400, ['rows.0.key has another offer already']])
  })

  it('attack: the same rows at the same time make each offer once, even if every read found none', async () => {
    const rows = Array.from({ length: 5 }, (_, n) => row(`race-${n}`))
    const answers = await atOnce(service.platform.stores.offerBatches, 'known', 6, () =>
      Promise.all(Array.from({ length: 6 }, () => offers(rows))),
    )
    for (const made of answers) expect(idsOf(made)).toEqual(idsOf(answers[0]))
    expect(answers.flat().filter(({ repeated }: { repeated: boolean }) => !repeated)).toHaveLength(5)
  })

  it('attack: rows in another order make each offer once too, without a deadlock', async () => {
    const rows = Array.from({ length: 5 }, (_, n) => row(`opposed-${n}`))
    // Each row is inserted slowly, so that both batches run at the same time.
    await query(
      service.databaseUrl,
      `CREATE FUNCTION slowly() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM pg_sleep(0.05); RETURN NEW; END';
       CREATE TRIGGER slowly BEFORE INSERT ON credential_offer_keys FOR EACH ROW EXECUTE FUNCTION slowly()`,
    )
    try {
      const [one, other] = await atOnce(service.platform.stores.offerBatches, 'known', 2, () =>
        Promise.all([offers(rows), offers(rows.toReversed())]),
      )
      expect(idsOf(other).toReversed()).toEqual(idsOf(one))
    } finally {
      await query(service.databaseUrl, 'DROP FUNCTION slowly CASCADE')
    }
  })

  it('makes no offer if one row is wrong, and names every wrong row', async () => {
    const before = await written()
    const { status, json } = await send([
      row('x'),
      row('y', { credentialSubject: { price: 'free' } }),
      row('z', { credentialConfigurationIds: ['Unknown'] }),
      row('x'),
    ])
    expect(status).toBe(400)
    const messages: string[] = json.message
    expect([...new Set(messages.map((message) => message.slice(0, 7)))]).toEqual(['rows.1.', 'rows.2.', 'rows.3.'])
    expect(messages.at(-1)).toBe('rows.3.key must not repeat itself')
    expect(await written()).toEqual(before)
  })

  it('dryRun makes no offer, and reports the errors of each row', async () => {
    const before = await written()
    const { status, json } = await send([row('p'), row('q', { credentialSubject: {} })], { dryRun: true })
    expect(status).toBe(200)
    expect(json).toEqual({ offers: [], errors: [{ row: 1, key: 'q', messages: [expect.stringContaining('product')] }] })
    expect(await written()).toEqual(before)
  })

  it('attack: a key always names its first offer', async () => {
    await offers([row('fixed')])
    const { status, json } = await send([row('fixed', { credentialSubject: { product: 'Another' } })])
    expect([status, json.message]).toEqual([400, ['rows.0.key has another offer already']])
  })

  it('attack: a key does not give access to another caller’s offer', async () => {
    const [mine] = await offers([row('shared', { txCode: true })])
    const [theirs] = await offers([row('shared', { txCode: true })], await service.bearer('bob'))
    expect(theirs.repeated).toBe(false)
    expect(theirs.credentialOfferSessionId).not.toBe(mine.credentialOfferSessionId)
  })

  it('accepts at most 100 rows, and no empty batch', async () => {
    expect((await send(Array.from({ length: 101 }, (_, n) => row(`many-${n}`)))).status).toBe(400)
    expect((await send([])).status).toBe(400)
  })

  it('counts as one call', async () => {
    const { databaseUrl, identityProvider } = service
    await using limited = await startService({
      databaseUrl,
      identityProvider,
      maintenance: false,
      env: { RATE_LIMIT_MAX: '2' },
    })
    const rows = Array.from({ length: 20 }, (_, n) => row(`limit-${n}`))
    for (const status of [200, 200, 429]) {
      const answer = await limited.request('POST', PATH, { authorization: alice, body: { rows } })
      expect(answer.status, answer.text).toBe(status)
    }
  })
})
