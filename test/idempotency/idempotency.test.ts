import { randomBytes } from 'node:crypto'
import pg from 'pg'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type Issuer, JWT_VC, SUBJECT, startIssuer } from '../issuer/openid4vci/actors.js'
import { query } from '../support/postgres.js'
import { type Answer, startService } from '../support/service.js'
import { until } from '../support/until.js'
import { type Receiver, startReceiver } from '../webhooks/receiver.js'

const BODY = {
  credentialConfigurationIds: [JWT_VC],
  credentialSubject: SUBJECT,
  txCode: { input_mode: 'numeric', length: 6 },
}
const CONFLICTS = 'credence_idempotent_requests_total'

const kek = randomBytes(32).toString('base64url')
const clock = { ahead: 0 }
let issuer: Issuer
let authorization: string
let receiver: Receiver
beforeAll(async () => {
  receiver = await startReceiver(() => new Date(Date.now() + clock.ahead * 1000))
  // There is no maintenance job: it would wait for the locks of the tests, and its statements would be counted.
  issuer = await startIssuer({
    maintenance: false,
    clock: () => new Date(Date.now() + clock.ahead * 1000),
    env: { OUTBOUND_ALLOWED_HOSTS: '127.0.0.1', KEY_ENCRYPTION_KEY: kek },
  })
  issuer.service.platform.delivery.start()
  authorization = await issuer.authorization()
})
afterAll(async () => {
  await issuer?.service.close()
  await receiver?.[Symbol.asyncDispose]()
})
beforeEach(() => {
  clock.ahead = 0
})

const offer = (key: string | undefined, members: object = {}, by = authorization): Promise<Answer> =>
  issuer.service.request('POST', '/credential-offers', {
    authorization: by,
    body: { ...BODY, ...members },
    headers: key === undefined ? {} : { 'idempotency-key': key },
  })

/** Waits until a statement waits for a lock of the test. */
const untilBlocked = () =>
  until(async () => {
    const waiting = `SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()`
    return (await rows(waiting)).length > 0
  })

const rows = <Row extends pg.QueryResultRow>(text: string) => query<Row>(issuer.service.databaseUrl, text)
const offers = async (): Promise<number> =>
  (await rows<{ count: number }>('SELECT count(*)::int AS count FROM credential_offer_sessions'))[0]?.count ?? 0
const counted = async (outcome: string): Promise<number> => {
  const { values } = (await issuer.service.platform.metrics.registry.getSingleMetric(CONFLICTS)?.get()) ?? {
    values: [],
  }
  return values.find(({ labels }) => labels.outcome === outcome)?.value ?? 0
}
let made = 0
const newKey = () => {
  made += 1
  return `"key-${made}"`
}

describe('a request with an Idempotency-Key', () => {
  it('that is sent again gets the same bytes and creates nothing more', async () => {
    const before = await offers()
    const key = newKey()
    const first = await offer(key)
    expect(first.status, first.text).toBe(201)
    expect(first.headers.get('idempotency-replayed')).toBeNull()
    const again = await offer(key)
    expect([again.status, again.text]).toEqual([201, first.text])
    expect(again.headers.get('idempotency-replayed')).toBe('true')
    expect(again.headers.get('content-type')).toBe(first.headers.get('content-type'))
    expect(await offers()).toBe(before + 1)
    expect(await counted('replayed')).toBeGreaterThan(0)
  })

  it('gets the same answer if the members of its body have another order', async () => {
    const key = newKey()
    const first = await offer(key)
    const body = Object.fromEntries(Object.entries(BODY).reverse())
    const again = await issuer.service.request('POST', '/credential-offers', {
      authorization,
      body,
      headers: { 'idempotency-key': key },
    })
    expect(again.text).toBe(first.text)
  })

  it('is a 422 with another body and for another operation', async () => {
    const key = newKey()
    await offer(key)
    const before = await offers()
    const other = await offer(key, { txCode: { input_mode: 'numeric', length: 5 } })
    expect([other.status, other.json.message]).toEqual([422, 'Idempotency-Key was used for another request.'])
    expect(other.json.error).toBe('Unprocessable Entity')
    const elsewhere = await issuer.service.request('POST', '/schemas', {
      authorization,
      body: { name: 'Other', version: 1, schema: { type: 'object', properties: { a: { type: 'string' } } } },
      headers: { 'idempotency-key': key },
    })
    expect(elsewhere.status, elsewhere.text).toBe(422)
    expect(await offers()).toBe(before)
  })

  it('is independent of the same key of another caller', async () => {
    const key = newKey()
    const first = await offer(key)
    const other = await offer(key, {}, await issuer.service.bearer('somebody else'))
    expect(other.status, other.text).toBe(201)
    expect(other.json.credentialOfferSessionId).not.toBe(first.json.credentialOfferSessionId)
    expect(other.headers.get('idempotency-replayed')).toBeNull()
  })

  it('is the same key with and without quotation marks', async () => {
    const first = await offer('"bare-1"')
    expect((await offer('bare-1')).text).toBe(first.text)
  })

  it.each([
    ['a'.repeat(256), 'Idempotency-Key must have at most 255 characters'],
    ['""', 'Idempotency-Key must not be empty'],
    ['', 'Idempotency-Key must not be empty'],
    ['"a', 'Idempotency-Key must be one text of printable ASCII characters, in quotation marks'],
    ['"a", "b"', 'Idempotency-Key must be one text of printable ASCII characters, in quotation marks'],
    ['a b', 'Idempotency-Key must be one text of printable ASCII characters, in quotation marks'],
    ['schl\u00fcssel', 'Idempotency-Key must be one text of printable ASCII characters, in quotation marks'],
  ])('is a 400 if the header is %j', async (key, message) => {
    const before = await offers()
    const answer = await offer(key)
    expect([answer.status, answer.json.message]).toEqual([400, [message]])
    expect(await offers()).toBe(before)
  })

  it('may have 255 characters', async () => {
    expect((await offer('b'.repeat(255))).status).toBe(201)
  })

  it('whose input is invalid, or that is refused without an effect, leaves the key free', async () => {
    const key = newKey()
    expect((await offer(key, { surplus: true })).status).toBe(400)
    expect((await offer(key, { credentialConfigurationIds: ['Nothing_jwt_vc_json'] })).status).toBe(400)
    const good = await offer(key)
    expect(good.status, good.text).toBe(201)
  })

  it('creates a new thing after 24 hours, and the maintenance job removes the row', async () => {
    const key = newKey()
    const first = await offer(key)
    clock.ahead = 24 * 3_600 - 60
    expect((await offer(key)).text).toBe(first.text)
    clock.ahead = 24 * 3_600 + 60
    const later = await offer(key)
    expect(later.headers.get('idempotency-replayed')).toBeNull()
    expect(later.json.credentialOfferSessionId).not.toBe(first.json.credentialOfferSessionId)
    const { tasks } = issuer.service.platform.idempotency
    const now = new Date(Date.now() + 50 * 3_600_000)
    for (const task of tasks) while ((await task.run(now, 500)).more);
    expect(await rows('SELECT id FROM idempotency_keys')).toEqual([])
  })

  it('is stored encrypted, and neither key, caller nor body are in the row', async () => {
    const first = await offer('"readable-key"')
    expect(first.json.txCode).toMatch(/^\d{6}$/)
    const text = JSON.stringify(await rows('SELECT * FROM idempotency_keys'))
    expect(text.length).toBeGreaterThan(200)
    for (const secret of [
      first.json.txCode,
      'readable-key',
      SUBJECT.product,
      'pre-authorized',
      first.json.credentialOfferSessionId,
    ])
      expect(text).not.toContain(`${secret}`)
  })

  it('makes one event and one audit row', async () => {
    const hook = await issuer.service.request('POST', '/api/v1/webhooks', {
      authorization,
      body: { url: `${receiver.url}/hook`, events: ['credential_offer.created'] },
    })
    receiver.secrets.push(hook.json.secret)
    const key = newKey()
    const [first] = [await offer(key), await offer(key), await offer(key)]
    const id = first?.json.credentialOfferSessionId
    await until(async () => receiver.typesOf(id).length > 0)
    await offer(key)
    expect(receiver.typesOf(id)).toEqual(['credential_offer.created'])
    const audited = await rows<{ subject_id: string }>(`SELECT subject_id FROM audit_events WHERE subject_id = '${id}'`)
    expect(audited).toHaveLength(1)
  })
})

describe('equal requests at the same time', () => {
  it('200 with one key create one offer and get 200 equal answers', async () => {
    const before = await offers()
    const key = newKey()
    const answers = await Promise.all(Array.from({ length: 200 }, () => offer(key)))
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201]))
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1)
    expect(answers.filter(({ headers }) => headers.get('idempotency-replayed') === 'true')).toHaveLength(199)
    expect(await offers()).toBe(before + 1)
  })

  it('at two processes create one offer too', async () => {
    const { service } = issuer
    await using other = await startService({
      databaseUrl: service.databaseUrl,
      identityProvider: service.identityProvider,
      maintenance: false,
      env: { ISSUER_BASE_URL: service.url, VERIFIER_BASE_URL: service.url, KEY_ENCRYPTION_KEY: kek },
    })
    const before = await offers()
    const headers = { 'idempotency-key': newKey() }
    const both = [service, other].flatMap((each) => Array.from({ length: 20 }, () => each))
    const answers = await Promise.all(
      both.map((each) => each.request('POST', '/credential-offers', { authorization, body: BODY, headers })),
    )
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201]))
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1)
    expect(await offers()).toBe(before + 1)
  })

  it('is a 409 with Retry-After if the first does not end in time', async () => {
    const lock = new pg.Client({ connectionString: issuer.service.databaseUrl })
    await lock.connect()
    const key = newKey()
    try {
      await lock.query('BEGIN; LOCK TABLE credential_offer_sessions IN ACCESS EXCLUSIVE MODE')
      const first = offer(key)
      await untilBlocked()
      const second = await offer(key)
      expect([second.status, second.json.message]).toEqual([409, 'A request with this Idempotency-Key is running.'])
      expect(second.headers.get('retry-after')).toBe('1')
      await lock.query('COMMIT')
      const answer = await first
      expect(answer.status, answer.text).toBe(201)
      expect((await offer(key)).text).toBe(answer.text)
    } finally {
      await lock.end()
    }
  })

  it('a request whose lease ended while it was running commits nothing once another request has taken the key', async () => {
    const lock = new pg.Client({ connectionString: issuer.service.databaseUrl })
    await lock.connect()
    const key = newKey()
    const before = await offers()
    try {
      await lock.query('BEGIN; LOCK TABLE credential_offer_sessions IN ACCESS EXCLUSIVE MODE')
      const first = offer(key)
      await untilBlocked()
      // As another process does after the lease.
      await rows(`UPDATE idempotency_keys SET claim = 'another' WHERE answered_at IS NULL`)
      await lock.query('COMMIT')
      expect((await first).status).toBe(409)
    } finally {
      await lock.end()
    }
    expect(await offers()).toBe(before)
    // The other process died: its claim may be taken when its lease has ended.
    clock.ahead = 61
    expect((await offer(key, { txCode: { input_mode: 'numeric', length: 5 } })).status).toBe(422)
    const again = await offer(key)
    expect(again.status, again.text).toBe(201)
    expect(await offers()).toBe(before + 1)
  })
})

describe('RPC', () => {
  const call = (key: string, path: string, body: unknown) =>
    issuer.service.request('POST', `/trpc/${path}`, { authorization, body, headers: { 'idempotency-key': key } })

  it('shares keys with REST, and has the header', async () => {
    const key = newKey()
    const first = await offer(key)
    const again = await call(key, 'credentialOffers.create', { json: BODY })
    expect(again.json.result.data.json).toEqual(first.json)
    expect(again.headers.get('idempotency-replayed')).toBe('true')
  })

  it('refuses a key for a batch', async () => {
    const before = await offers()
    const body = { 0: { json: BODY }, 1: { json: BODY } }
    const answer = await call(newKey(), 'credentialOffers.create,credentialOffers.create?batch=1', body)
    expect(answer.text).toContain('Idempotency-Key is for one call')
    expect(await offers()).toBe(before)
  })
})

it('without a key, a request costs no additional statement, and no row', async () => {
  const { load } = issuer.service.platform.database
  await offer(undefined)
  const keys = await rows('SELECT id FROM idempotency_keys')
  const before = load().statements
  await offer(undefined)
  const plain = load().statements - before
  await offer(newKey())
  // The claim, BEGIN, the effect, a savepoint, the answer, and COMMIT.
  expect(load().statements - before - plain).toBeGreaterThan(plain)
  expect((await rows('SELECT id FROM idempotency_keys')).length).toBe(keys.length + 1)
})
