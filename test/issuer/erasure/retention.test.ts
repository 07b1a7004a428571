import { readFile } from 'node:fs/promises'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { runTask } from '../../support/maintenance.js'
import { query } from '../../support/postgres.js'
import { recordStatements } from '../../support/statements.js'
import { newWallet } from '../../support/wallet-actor.js'
import { credentialOf, type Issuer, movingClock, PRE_AUTHORIZED, refusalOf, startIssuer } from '../openid4vci/actors.js'
import { newTypeName, postSchema } from '../purchase.js'

const DAY = 86_400
const ERASED = 'The claims of this credential were erased.'
const clock = movingClock()
let issuer: Issuer

beforeAll(async () => {
  issuer = await startIssuer({ clock: clock.now, maintenance: false, env: { RETENTION_CLAIMS_DAYS: '30' } })
})
afterEach(() => {
  clock.ahead = 0
})
afterAll(() => issuer.service.close())

const rows = <Row>(sql: string, ...values: unknown[]) => query<Row & object>(issuer.service.databaseUrl, sql, values)

const maintain = async () => {
  for (const task of issuer.service.features.erasure.tasks) await runTask(task, clock.now())
}

/** A new type, by default without a retention of its own. */
const typeWith = async (members: Record<string, unknown> = {}): Promise<string> => {
  const name = newTypeName()
  await postSchema(issuer.service, await issuer.authorization(), { name, ...members })
  return name
}

let markers = 0
const newMarker = () => {
  markers += 1
  return `Marker ${crypto.randomUUID()} ${markers}`
}

const offerOf = async (type: string, product: string, members: Record<string, unknown> = {}): Promise<string> =>
  (
    await issuer.makeOffer({
      credentialConfigurationIds: [`${type}-sd-jwt`, type],
      credentialSubject: { product },
      ...members,
    })
  ).credentialOfferSessionId

async function tokensFor(offerId: string): Promise<{ access_token: string; refresh_token: string }> {
  const answer = await issuer.requestToken({
    grant_type: PRE_AUTHORIZED,
    'pre-authorized_code': await issuer.code(offerId),
  })
  expect(answer.status, answer.text).toBe(200)
  return answer.json
}

const created = async (type: string, product: string): Promise<string> => {
  const answer = await issuer.service.request('POST', '/api/v1/credentials', {
    authorization: await issuer.authorization(),
    body: { type, credential_subject: { product } },
  })
  expect(answer.status, answer.text).toBe(201)
  return answer.json.id
}

/** The columns, as `table.column`, whose text contains a marker. Without a key-encryption key, claims are in the clear. */
async function columns(marker: string): Promise<string[]> {
  const all = await rows<{ t: string; c: string }>(
    `SELECT table_name AS t, column_name AS c FROM information_schema.columns JOIN pg_class p ON p.relname = table_name
     WHERE table_schema = 'public' AND NOT p.relispartition`,
  )
  const searches = all.map(
    ({ t, c }) =>
      `SELECT '${t}.${c}' AS at WHERE EXISTS (SELECT 1 FROM "${t}" WHERE "${c}"::text LIKE '%' || $1 || '%')`,
  )
  const found = await rows<{ at: string }>(searches.join(' UNION ALL '), marker)
  return [...new Set(found.map(({ at }) => at.replace(/_(?:p|default|\d)[\w]*(?=\.)/, '')))].sort()
}

/** Takes a credential with a proof by the clock of the test. */
async function take(token: string, configuration: string) {
  const nonce = await issuer.nonce()
  const iat = Math.floor(clock.now().getTime() / 1000)
  const jwt = [await (await newWallet()).proof(issuer.service.config.issuerBaseUrl, nonce, { payload: { iat } })]
  return issuer.requestCredential(token, { credential_configuration_id: configuration, proofs: { jwt } })
}

const erasures = async (id: string) =>
  (
    await rows<{ action: string; actor: string | null }>(
      "SELECT action, actor FROM audit_events WHERE subject_id = $1 AND action LIKE '%erased'",
      id,
    )
  ).map(({ action, actor }) => ({ action, actor }))

describe('RETENTION_CLAIMS_DAYS', () => {
  it('erases claims of credentials and offers this many days after issuance, for types without a retention', async () => {
    const marker = newMarker()
    const type = await typeWith()
    const id = await created(type, marker)
    const offerId = await offerOf(type, marker)
    credentialOf(await take((await tokensFor(offerId)).access_token, `${type}-sd-jwt`))
    clock.ahead = 30 * DAY - 60
    await maintain()
    expect(await columns(marker)).toEqual(['credentials.vc', 'offerings.credential_subject'])
    clock.ahead = 30 * DAY + 60
    await maintain()
    expect(await columns(marker)).toEqual([])
    expect(await erasures(id)).toEqual([{ action: 'credential.claims_erased', actor: null }])
    expect(await erasures(offerId)).toEqual([{ action: 'offering.claims_erased', actor: null }])
  })

  it('an offer that nobody takes counts from its expiry', async () => {
    const marker = newMarker()
    await offerOf(await typeWith(), marker, { expiresInSeconds: 10 * DAY })
    clock.ahead = 39 * DAY
    await maintain()
    expect(await columns(marker)).toEqual(['offerings.credential_subject'])
    clock.ahead = 40 * DAY + 60
    await maintain()
    expect(await columns(marker)).toEqual([])
  })

  it('an offer that is sent again counts from its new expiry, so it is never open without claims', async () => {
    const marker = newMarker()
    const type = await typeWith({ retention: { claims: { days: 1 } } })
    const offerId = await offerOf(type, marker, { expiresInSeconds: 20 * DAY })
    clock.ahead = 19 * DAY
    const resent = await issuer.service.request('POST', `/api/v1/credential-offers/${offerId}/resend`, {
      authorization: await issuer.authorization(),
    })
    expect(resent.status, resent.text).toBe(200)
    clock.ahead = 38 * DAY
    await maintain()
    expect(await columns(marker)).toEqual(['offerings.credential_subject'])
    clock.ahead = 40 * DAY + 60
    await maintain()
    expect(await columns(marker)).toEqual([])
  })

  it('an offering for many counts from its last redemption, and without an end it stays', async () => {
    const [limited, open] = [newMarker(), newMarker()]
    const type = await typeWith()
    const make = (product: string, members: Record<string, unknown>) =>
      issuer.makeOffering({ credential_type: type, credential_subject: { product }, ...members })
    const { id } = await make(limited, { redemption_limit: 2 })
    await make(open, {})
    const claim = async () =>
      issuer.service.request('POST', `/api/v1/offerings/${id}/claim`, { authorization: await issuer.authorization() })
    expect((await claim()).status).toBe(200)
    clock.ahead = 40 * DAY
    await maintain()
    expect(await columns(limited)).toEqual(['offerings.credential_subject'])
    expect((await claim()).status).toBe(200)
    clock.ahead = 69 * DAY
    await maintain()
    expect(await columns(limited)).toEqual(['credentials.vc', 'offerings.credential_subject'])
    clock.ahead = 71 * DAY
    await maintain()
    expect(await columns(limited)).toEqual([])
    clock.ahead = 3_000 * DAY
    await maintain()
    expect(await columns(open)).toEqual(['offerings.credential_subject'])
  })

  it('older credentials and offers get a time from the statements in the documents', async () => {
    const [credential, taken, expiring, open] = [newMarker(), newMarker(), newMarker(), newMarker()]
    const type = await typeWith()
    await created(type, credential)
    credentialOf(await take((await tokensFor(await offerOf(type, taken))).access_token, `${type}-sd-jwt`))
    await offerOf(type, expiring, { expiresInSeconds: 10 * DAY })
    const members = { credential_type: type, credential_subject: { product: open } }
    await issuer.makeOffering(members)
    await rows('UPDATE credentials SET claims_due_at = NULL')
    await rows('UPDATE offerings SET claims_due_at = NULL')
    clock.ahead = 31 * DAY
    await maintain()
    expect(await columns(credential)).toEqual(['credentials.vc'])
    const text = await readFile('docs/operations/erasing-claims.md', 'utf8')
    const [, statements = ''] = /```sql\n( {2}UPDATE credentials[^`]+)```/.exec(text) ?? []
    for (const statement of statements.split(';').filter((part) => part.trim() !== '')) await rows(statement)
    await maintain()
    expect([await columns(credential), await columns(taken)]).toEqual([[], []])
    expect(await columns(expiring)).toEqual(['offerings.credential_subject'])
    clock.ahead = 41 * DAY
    await maintain()
    expect(await columns(expiring)).toEqual([])
    expect(await columns(open)).toEqual(['offerings.credential_subject'])
  })
})

describe('retention of a type', () => {
  it('is in every answer about the type, as it was sent', async () => {
    const retention = { claims: { days: 3 }, record: { days: 400 } }
    const authorization = await issuer.authorization()
    const schema = await postSchema(issuer.service, authorization, { retention, expiresInDays: 365 })
    expect(schema.retention).toEqual(retention)
    const read = async (path: string) => (await issuer.service.request('GET', path, { authorization })).json
    expect((await read(`/schemas/${schema.id}`)).retention).toEqual(retention)
    expect((await read(`/schemas/${schema.name}/versions`))[0].retention).toEqual(retention)
  })

  it.each([
    [
      { retention: { claims: 'never', record: { days: 30 } }, expiresInDays: 365 },
      'retention.record.days (30) must not be less than expiresInDays (365): status entries must stay as long as the credentials are valid',
    ],
    [
      { retention: { claims: 'never', record: { days: 364 } }, expiresInDays: 365 },
      'retention.record.days (364) must not be less than expiresInDays (365): status entries must stay as long as the credentials are valid',
    ],
    [
      { retention: { claims: 'never', record: { days: 30 } } },
      'retention.record needs expiresInDays: without it the credentials do not expire, and their status entries must stay',
    ],
    [{ retention: { claims: { days: 0 } } }, /^retention\.claims/],
    [{ retention: { claims: 'soon' } }, /^retention\.claims/],
    [{ retention: { record: { days: 30 } } }, /^retention\.claims/],
  ])('%j is refused', async (members, message) => {
    const answer = await issuer.service.request('POST', '/schemas', {
      authorization: await issuer.authorization(),
      body: { name: newTypeName(), version: 1, schema: { type: 'object', properties: {} }, ...members },
    })
    expect(answer.status, answer.text).toBe(400)
    expect([answer.json.message].flat()[0]).toEqual(
      typeof message === 'string' ? message : expect.stringMatching(message),
    )
  })

  it('never: claims stay, whatever the installation says', async () => {
    const marker = newMarker()
    await created(await typeWith({ retention: { claims: 'never' } }), marker)
    clock.ahead = 3_000 * DAY
    await maintain()
    expect(await columns(marker)).toEqual(['credentials.vc'])
  })

  it('days: a later version counts for later credentials', async () => {
    const [early, late] = [newMarker(), newMarker()]
    const name = await typeWith({ retention: { claims: { days: 20 } } })
    await created(name, early)
    await postSchema(issuer.service, await issuer.authorization(), {
      name,
      version: 2,
      retention: { claims: { days: 5 } },
    })
    await created(name, late)
    clock.ahead = 6 * DAY
    await maintain()
    expect([await columns(early), await columns(late)]).toEqual([['credentials.vc'], []])
    clock.ahead = 21 * DAY
    await maintain()
    expect(await columns(early)).toEqual([])
  })

  it('untilIssued: claims stay while the access token is valid, so that the wallet takes each configuration', async () => {
    const marker = newMarker()
    const type = await typeWith({ retention: { claims: 'untilIssued' } })
    const offerId = await offerOf(type, marker)
    const { access_token } = await tokensFor(offerId)
    credentialOf(await take(access_token, `${type}-sd-jwt`))
    await maintain()
    credentialOf(await take(access_token, type))
    expect(await columns(marker)).toEqual(['credentials.vc', 'offerings.credential_subject'])
    clock.ahead = 301
    await maintain()
    expect(await columns(marker)).toEqual([])
    expect((await issuer.session(offerId)).claimsErasedAt).toEqual(expect.any(String))
  })

  it('untilIssued: a credential without a wallet keeps its claims only for the answer', async () => {
    const marker = newMarker()
    await created(await typeWith({ retention: { claims: 'untilIssued' } }), marker)
    await maintain()
    expect(await columns(marker)).toEqual([])
  })

  it('untilIssued: a wallet that waits gets its credential after the offer’s expiry, then the claims go', async () => {
    const marker = newMarker()
    const type = await typeWith({ retention: { claims: 'untilIssued' } })
    const offerId = await offerOf(type, marker, { deferred: true, expiresInSeconds: 600 })
    const tokens = await tokensFor(offerId)
    const { json } = await take(tokens.access_token, `${type}-sd-jwt`)
    clock.ahead = 2 * DAY
    await maintain()
    expect(await columns(marker)).toEqual(['offerings.credential_subject'])
    expect((await issuer.decide(offerId, 'approve')).status).toBe(200)
    const refreshed = await issuer.requestToken({ grant_type: 'refresh_token', refresh_token: tokens.refresh_token })
    credentialOf(await issuer.collect(refreshed.json.access_token, json.transaction_id))
    clock.ahead = 2 * DAY + 301
    await maintain()
    expect(await columns(marker)).toEqual([])
    const again = await issuer.requestToken({
      grant_type: 'refresh_token',
      refresh_token: refreshed.json.refresh_token,
    })
    expect(refusalOf(again)).toEqual([400, 'invalid_grant', ERASED])
  })

  it('untilIssued: a rejected offer loses its claims at once', async () => {
    const marker = newMarker()
    const type = await typeWith({ retention: { claims: 'untilIssued' } })
    const offerId = await offerOf(type, marker, { deferred: true })
    await issuer.decide(offerId, 'reject')
    await maintain()
    expect(await columns(marker)).toEqual([])
  })

  it('record: the whole record is removed with its offer, when no instance of it is valid any more', async () => {
    const marker = newMarker()
    const type = await typeWith({ retention: { claims: 'never', record: { days: 10 } }, expiresInDays: 10 })
    const offerId = await offerOf(type, marker, { deferred: true })
    await issuer.decide(offerId, 'approve')
    const tokens = await tokensFor(offerId)
    credentialOf(await take(tokens.access_token, `${type}-sd-jwt`))
    const [record] = await rows<{ id: string }>(
      'SELECT credential_id AS id FROM redemptions WHERE offering_id = $1',
      offerId,
    )
    clock.ahead = 6 * DAY
    const refreshed = await issuer.requestToken({ grant_type: 'refresh_token', refresh_token: tokens.refresh_token })
    credentialOf(await take(refreshed.json.access_token, `${type}-sd-jwt`))
    clock.ahead = 11 * DAY
    await maintain()
    expect(await columns(marker)).toEqual(['credentials.vc', 'offerings.credential_subject'])
    clock.ahead = 16 * DAY + 60
    await maintain()
    expect(await columns(marker)).toEqual([])
    const left = await columns(record?.id ?? '')
    expect(left.filter((at) => !/^(?:audit_events|issuance_tokens)/.test(at))).toEqual([])
    expect(await rows('SELECT 1 FROM offerings WHERE id = $1', offerId)).toEqual([])
    const removed = await rows(
      "SELECT 1 FROM audit_events WHERE action = 'credential.removed' AND subject_id = $1",
      record?.id,
    )
    expect(removed).toHaveLength(1)
    const again = await issuer.requestToken({
      grant_type: 'refresh_token',
      refresh_token: refreshed.json.refresh_token,
    })
    expect(refusalOf(again).slice(0, 2)).toEqual([400, 'invalid_grant'])
  })
})

describe('the maintenance job', () => {
  it('erases each record once, also if several processes do it at once', async () => {
    const type = await typeWith({ retention: { claims: { days: 1 } } })
    const ids = await Promise.all(Array.from({ length: 60 }, () => created(type, newMarker())))
    clock.ahead = 2 * DAY
    const { erasure } = issuer.service.platform.stores
    const run = async () => {
      let count = 0
      for (let more = true; more; ) {
        const done = await erasure.eraseDueCredentials(clock.now(), 7)
        count += done.count
        more = done.more
      }
      return count
    }
    const counts = await Promise.all(Array.from({ length: 4 }, run))
    await run()
    expect(counts.reduce((sum, count) => sum + count, 0)).toBeGreaterThanOrEqual(ids.length - 7 * 4)
    const audited = await rows<{ id: string; n: number }>(
      `SELECT subject_id AS id, count(*)::int AS n FROM audit_events
       WHERE action = 'credential.claims_erased' AND subject_id = ANY($1::text[]) GROUP BY 1`,
      ids,
    )
    expect(audited).toHaveLength(60)
    expect(audited.every(({ n }) => n === 1)).toBe(true)
  })

  it('metrics count what is overdue', async () => {
    const type = await typeWith({ retention: { claims: { days: 1 } } })
    const overdue = async () => {
      const text = await issuer.service.service.operated.metrics.registry.metrics()
      return Number(/credence_retention_overdue\{kind="credentials"\} (\d+)/.exec(text)?.[1])
    }
    await maintain()
    expect(await overdue()).toBe(0)
    await created(type, newMarker())
    clock.ahead = 2 * DAY
    expect(await overdue()).toBe(1)
    await maintain()
    expect(await overdue()).toBe(0)
  })
})

it('issuance sends as many statements as without a retention', async () => {
  const [kept, erased] = [
    await typeWith({ retention: { claims: 'never' } }),
    await typeWith({ retention: { claims: { days: 3 }, record: { days: 9 } }, expiresInDays: 9 }),
  ]
  const sent = async (type: string) => {
    const offerId = await offerOf(type, newMarker())
    const { access_token } = await tokensFor(offerId)
    const statements = recordStatements()
    try {
      credentialOf(await take(access_token, `${type}-sd-jwt`))
      credentialOf(await take(access_token, type))
      return statements.sent().length
    } finally {
      statements.stop()
    }
  }
  await sent(kept)
  expect(await sent(erased)).toBe(await sent(kept))
})
