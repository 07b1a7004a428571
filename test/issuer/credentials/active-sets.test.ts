import { randomBytes } from 'node:crypto'
import pg from 'pg'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { query } from '../../support/postgres.js'
import type { Answer } from '../../support/service.js'
import { newWallet } from '../../support/wallet-actor.js'
import { newIssuer } from '../issuer-record.js'
import { credentialOf, type Issuer, movingClock, PRE_AUTHORIZED, refusalOf, startIssuer } from '../openid4vci/actors.js'
import { newTypeName, postSchema } from '../purchase.js'
import { begin, ended } from '../status-jobs/jobs.js'
import { publishedStatus } from '../status-jobs/published.js'

const DAY = 86_400
const REVOKED = { isValid: false, error: 'Credential has been revoked.' }
const ONE_SET = { activeSets: { perSubject: 1 } }
const clock = movingClock()
let issuer: Issuer
let type: string

beforeAll(async () => {
  const env = { KEY_ENCRYPTION_KEY: randomBytes(32).toString('base64url') }
  issuer = await startIssuer({ env, clock: clock.now, maintenance: false })
  type = await typeWith(ONE_SET)
})
afterEach(() => {
  clock.ahead = 0
})
afterAll(() => issuer.service.close())

const rows = <Row>(sql: string, ...values: unknown[]) => query<Row & object>(issuer.service.databaseUrl, sql, values)

const typeWith = async (members: Record<string, unknown> = {}): Promise<string> =>
  (await postSchema(issuer.service, await issuer.authorization(), { name: newTypeName(), ...members })).name

let references = 0
const newReference = () => {
  references += 1
  return `M-${references}`
}

const offerFor = async (reference: string, of = type, members: Record<string, unknown> = {}): Promise<string> =>
  (
    await issuer.makeOffer({
      credentialConfigurationIds: [of, `${of}-sd-jwt`],
      credentialSubject: { product: 'Card' },
      reference,
      ...members,
    })
  ).credentialOfferSessionId

/** A wallet takes an offer. Returns the id of the record and the credential. */
async function taken(offer: string, of = type) {
  const token = await issuer.token(offer)
  const credential = credentialOf(await issuer.take(token, `${of}-sd-jwt`))
  return { id: await recordOf(offer), credential, token }
}

const listed = async (filters: string): Promise<Answer['json'][]> =>
  (await issuer.service.request('GET', `/api/v1/credentials?${filters}`, { client: true })).json.items

const recordOf = async (offer: string): Promise<string> => (await listed(`offeringId=${offer}`))[0].id

const statusOf = async (id: string): Promise<Answer['json']> =>
  (await issuer.service.request('GET', `/api/v1/credentials/${id}/status`, { client: true })).json

const historyOf = async (id: string): Promise<Answer['json']> =>
  (await issuer.service.request('GET', `/api/v1/credentials/${id}/history`, { client: true })).json

const verified = async (credential: string): Promise<Answer['json']> =>
  (
    await issuer.service.request('POST', '/credentials/verify', {
      authorization: await issuer.authorization(),
      body: { credential },
    })
  ).json

const signed = async (members: Record<string, unknown> = {}): Promise<{ id: string; credential: string }> => {
  const answer = await issuer.service.request('POST', '/credentials/sign', {
    authorization: await issuer.authorization(),
    body: { type, credential_subject: { product: 'Card' }, format: 'dc+sd-jwt', ...members },
  })
  expect(answer.status, answer.text).toBe(201)
  return answer.json
}

const claimed = async (offering: string, by: string): Promise<string> => {
  const answer = await issuer.service.request('POST', `/api/v1/offerings/${offering}/claim`, {
    authorization: await issuer.service.bearer(by),
  })
  expect(answer.status, answer.text).toBe(200)
  return answer.json.id
}

const statusesOf = async (...ids: string[]) => Promise.all(ids.map(async (id) => (await statusOf(id)).status))

describe('a type with one active set for each subject', () => {
  it('revokes the earlier credential when a second wallet of the subject takes one, and says which replaced it', async () => {
    const reference = newReference()
    const first = await taken(await offerFor(reference))
    expect((await verified(first.credential)).isValid).toBe(true)
    const second = await taken(await offerFor(reference))
    expect(await verified(first.credential)).toEqual(REVOKED)
    expect((await verified(second.credential)).isValid).toBe(true)
    expect(await statusOf(first.id)).toEqual({ status: 'revoked', reason: 'superseded', supersededBy: second.id })
    expect(await statusOf(second.id)).toEqual({ status: 'active' })
    expect(await historyOf(first.id)).toMatchObject({
      credential: { status: 'revoked', reason: 'superseded', supersededBy: second.id },
      instances: [{ status: 'revoked' }],
    })
    const { events } = await historyOf(first.id)
    expect(events).toContainEqual(
      expect.objectContaining({ action: 'credential.revoked', detail: { reason: 'superseded' } }),
    )
  })

  it('revokes every instance of the earlier set, and their status lists change version', async () => {
    const reference = newReference()
    const { id, token } = await taken(await offerFor(reference))
    credentialOf(await issuer.take(token, type, await newWallet(), await newWallet()))
    const versions = () =>
      rows<{ id: string; version: number }>(
        'SELECT DISTINCT l.id, l.version FROM status_lists l JOIN credential_instances i ON i.status_list_id = l.id WHERE i.credential_id = $1',
        id,
      )
    const [before] = await versions()
    await taken(await offerFor(reference))
    const [after] = await versions()
    expect((after?.version ?? 0) - (before?.version ?? 0)).toBe(1)
    const { instances } = await historyOf(id)
    expect(instances.map(({ status }: { status: string }) => status)).toEqual(Array(3).fill('revoked'))
    // The lost phone gets no further copies.
    const late = await issuer.take(token, type)
    expect(refusalOf(late)).toEqual([
      400,
      'credential_request_denied',
      'The credential of this access token is no longer valid.',
    ])
  })

  it('replaces a suspended credential too, and its note ends', async () => {
    const of = await typeWith({ ...ONE_SET, suspendable: true })
    const reference = newReference()
    const { id } = await taken(await offerFor(reference, of), of)
    await issuer.service.request('POST', `/api/v1/credentials/${id}/suspend`, {
      client: true,
      body: { reason: 'holderRequest', note: 'lost in the train' },
    })
    const { id: successor } = await taken(await offerFor(reference, of), of)
    expect(await statusOf(id)).toEqual({ status: 'revoked', reason: 'superseded', supersededBy: successor })
    expect(
      await rows("SELECT 1 FROM content_keys WHERE row_id = $1 AND column_name = 'credentials.status_note'", id),
    ).toEqual([])
  })

  it('leaves other subjects, other types, the same name as user or reference, and types without the rule alone', async () => {
    const reference = newReference()
    const other = await typeWith(ONE_SET)
    const free = await typeWith()
    const { id } = await taken(await offerFor(reference))
    const kept = [
      await taken(await offerFor(`${reference}x`)),
      await taken(await offerFor(reference, other), other),
      await taken(await offerFor(reference, free), free),
      await taken(await offerFor(reference, free), free),
    ]
    const { id: offering } = await issuer.makeOffering({
      credential_type: type,
      credential_subject: { product: 'Card' },
    })
    const byUser = await claimed(offering, reference)
    expect(await statusesOf(id, byUser, ...kept.map((one) => one.id))).toEqual(Array(6).fill('active'))
  })

  it('leaves a credential of the subject by another issuer alone', async () => {
    const { id: issuerId } = await newIssuer(issuer.service, 'issuer')
    const reference = newReference()
    const { id } = await signed({ reference })
    const { id: others } = await signed({ reference, issuerId })
    expect(await statusesOf(id, others)).toEqual(['active', 'active'])
    const { id: next } = await signed({ reference, issuerId })
    expect(await statusesOf(id, others, next)).toEqual(['active', 'revoked', 'active'])
  })

  it('counts every way of issuance: signing, creation, claims, and wallets that waited', async () => {
    const reference = newReference()
    const did = (await newWallet()).did
    const { id: first } = await signed({ reference })
    const { id: second } = await taken(await offerFor(reference))
    const offering = await issuer.makeOffering({
      credential_type: type,
      credential_subject: { product: 'Card' },
      reference,
    })
    const third = await claimed(offering.id, 'bob')
    const deferred = await offerFor(reference, type, { deferred: true })
    const { json: tokens } = await issuer.requestToken({
      grant_type: PRE_AUTHORIZED,
      'pre-authorized_code': await issuer.code(deferred),
    })
    const waiting = await issuer.take(tokens.access_token, `${type}-sd-jwt`)
    expect(waiting.status).toBe(202)
    // A wallet that waits replaces nothing.
    expect(await statusesOf(first, second, third)).toEqual(['revoked', 'revoked', 'active'])
    await issuer.decide(deferred, 'approve')
    credentialOf(await issuer.collect(tokens.access_token, waiting.json.transaction_id))
    const fourth = await recordOf(deferred)
    expect(await statusesOf(third, fourth)).toEqual(['revoked', 'active'])
    const created = await issuer.service.request('POST', '/api/v1/credentials', {
      authorization: await issuer.authorization(),
      body: { type, credential_subject: { product: 'Card' }, reference },
    })
    expect(await statusesOf(fourth, created.json.id)).toEqual(['revoked', 'active'])
    // Without a reference, the DID of the recipient names the subject.
    const { id: byDid } = await signed({ holder: did })
    const { id: again } = await signed({ holder: did })
    expect(await statusesOf(byDid, again)).toEqual(['revoked', 'active'])
  })

  it('names a user who claims without a DID by their sub', async () => {
    const { id: offering } = await issuer.makeOffering({
      credential_type: type,
      credential_subject: { product: 'Card' },
    })
    const first = await claimed(offering, 'carol')
    const others = await claimed(offering, 'dave')
    const second = await claimed(offering, 'carol')
    expect(await statusesOf(first, others, second)).toEqual(['revoked', 'active', 'active'])
  })

  it('replaces nothing by a further copy or a refresh of the same record', async () => {
    const offer = await offerFor(newReference(), type, { deferred: true })
    await issuer.decide(offer, 'approve')
    const { json } = await issuer.requestToken({
      grant_type: PRE_AUTHORIZED,
      'pre-authorized_code': await issuer.code(offer),
    })
    const first = credentialOf(await issuer.take(json.access_token, `${type}-sd-jwt`))
    const again = await issuer.requestToken({ grant_type: 'refresh_token', refresh_token: json.refresh_token })
    const copy = credentialOf(await issuer.take(again.json.access_token, `${type}-sd-jwt`))
    expect([(await verified(first)).isValid, (await verified(copy)).isValid]).toEqual([true, true])
  })

  it('keeps no readable subject in the hash', async () => {
    const reference = newReference()
    const { id } = await signed({ reference })
    const [row] = await rows<{ subject_hash: string }>('SELECT subject_hash FROM credentials WHERE id = $1', id)
    expect(row?.subject_hash).toMatch(/^[\w-]{43}$/)
  })

  it.each([
    [{ perSubject: 2 }, 'activeSets.perSubject'],
    [{ perSubject: 1, perDay: 1 }, 'property perDay should not exist'],
    [{}, 'activeSets.perSubject'],
  ])('is refused with %j', async (activeSets, named) => {
    const answer = await issuer.service.request('POST', '/schemas', {
      authorization: await issuer.authorization(),
      body: { name: newTypeName(), version: 1, schema: { type: 'object' }, activeSets },
    })
    expect([answer.status, answer.text]).toEqual([400, expect.stringContaining(named)])
  })
})

describe('many wallets of one subject at once', () => {
  it('leave exactly one active set, and each wallet gets an answer', async () => {
    const reference = newReference()
    const WALLETS = 200
    const offers = await Promise.all(Array.from({ length: WALLETS }, () => offerFor(reference)))
    const tokens = await Promise.all(offers.map((offer) => issuer.token(offer)))
    const answers = await Promise.all(tokens.map((token) => issuer.take(token, `${type}-sd-jwt`)))
    expect(answers.map(({ status }) => status)).toEqual(Array(WALLETS).fill(200))
    const credentials = await Promise.all(answers.map((answer) => verified(credentialOf(answer))))
    expect(credentials.filter(({ isValid }) => isValid)).toHaveLength(1)
    const [count] = await rows(
      `SELECT count(*) FILTER (WHERE c.revoked_at IS NULL)::int AS active, count(*)::int AS records,
         count(*) FILTER (WHERE c.superseded_by IS NOT NULL)::int AS superseded
       FROM credentials c JOIN redemptions r ON r.credential_id = c.id WHERE r.offering_id = ANY($1)`,
      offers,
    )
    expect(count).toEqual({ active: 1, records: WALLETS, superseded: WALLETS - 1 })
  })

  it('leave one active set too if signing callers, claims and revocations come between', async () => {
    const reference = newReference()
    const offering = await issuer.makeOffering({
      credential_type: type,
      credential_subject: { product: 'Card' },
      redemption_limit: 100,
      reference,
    })
    const { id } = await signed({ reference })
    const answers = await Promise.all(
      Array.from({ length: 30 }, async (_, at) => {
        if (at % 3 === 0) return (await signed({ reference })).id
        if (at % 3 === 1) return claimed(offering.id, `user-${at}`)
        return issuer.service.request('POST', `/api/v1/credentials/${id}/revoke`, { client: true })
      }),
    )
    const ids = answers.filter((answer) => typeof answer === 'string')
    const statuses = await statusesOf(id, ...ids)
    expect(statuses.filter((status) => status === 'active')).toHaveLength(1)
  })
})

describe('wallets whose subjects have several earlier sets in the same status lists', () => {
  const LISTS = 6
  const WALLETS = 50

  /** Gives every subject of a type a further active set in each of several status lists. Returns the lists. */
  async function multiplied(of: string): Promise<readonly string[]> {
    const lists = await rows<{ id: string }>(
      `INSERT INTO status_lists (id, key_id, issuer_id, size, allotted, bits)
       SELECT gen_random_uuid()::text, l.key_id, l.issuer_id, l.size, l.size, l.bits FROM generate_series(1, $1::int), (
         SELECT l.* FROM status_lists l JOIN credential_instances i ON i.status_list_id = l.id
         JOIN credentials c ON c.id = i.credential_id JOIN schemas s ON s.id = c.schema_id WHERE s.name = $2 LIMIT 1) l
       RETURNING id`,
      LISTS,
      of,
    )
    const ids = lists.map(({ id }) => id)
    await rows(
      `WITH copies AS (
         INSERT INTO credentials (id, schema_id, issuer_id, owner, vc, signed, created_at, subject_hash)
         SELECT gen_random_uuid()::text, c.schema_id, c.issuer_id, c.owner, NULL, c.signed, c.created_at, c.subject_hash
         FROM credentials c JOIN schemas s ON s.id = c.schema_id, generate_series(1, cardinality($2::text[])) WHERE s.name = $1
         RETURNING id, subject_hash),
       numbered AS (
         SELECT id, row_number() OVER () AS index, row_number() OVER (PARTITION BY subject_hash) AS list FROM copies)
       INSERT INTO credential_instances (status_list_id, status_index, credential_id, configuration_id, format)
       SELECT ($2::text[])[n.list], n.index, n.id, $1 || '-sd-jwt', 'dc+sd-jwt' FROM numbered n`,
      of,
      ids,
    )
    return ids
  }

  it('all get their credentials while a status job publishes the lists: no statement waits for another in a circle', async () => {
    const of = await typeWith(ONE_SET)
    const references = Array.from({ length: WALLETS }, newReference)
    const offers = await Promise.all(references.map((reference) => offerFor(reference, of)))
    for (const offer of offers) await taken(offer, of)
    const lists = await multiplied(of)
    const again = await Promise.all(references.map((reference) => offerFor(reference, of)))
    const tokens = await Promise.all(again.map((offer) => issuer.token(offer)))
    const job = await begin(issuer.service, {
      action: 'revoke',
      filter: { schema: newTypeName(), issuedTo: new Date().toISOString() },
    })
    let isDone = false
    const publish = async () => {
      while (!isDone) {
        await rows('UPDATE credential_status_jobs SET lists = $2, settled = false WHERE id = $1', job.id, lists)
        await rows(`UPDATE status_list_announcement SET announced_at = '1970-01-01'`)
        await rows(`SELECT announce_status_lists(interval '0')`)
      }
    }
    const publishing = [publish(), publish()]
    const answers = await Promise.all(tokens.map((token) => issuer.take(token, `${of}-sd-jwt`)))
    isDone = true
    await Promise.all(publishing)
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200))
    const active = await rows<{ subject: string }>(
      `SELECT c.subject_hash AS subject FROM credentials c JOIN schemas s ON s.id = c.schema_id
       WHERE s.name = $1 AND c.revoked_at IS NULL`,
      of,
    )
    expect([active.length, new Set(active.map(({ subject }) => subject)).size]).toEqual([WALLETS, WALLETS])
    const revoked = await rows(
      `SELECT 1 FROM credentials c JOIN schemas s ON s.id = c.schema_id JOIN credentials n ON n.id = c.superseded_by
       JOIN credential_instances i ON i.credential_id = c.id
       WHERE s.name = $1 AND c.status_reason = 'superseded' AND i.revoked_at IS NOT NULL`,
      of,
    )
    expect(revoked).toHaveLength(WALLETS * (LISTS + 1))
  })
})

describe('a statement that fails', () => {
  /** Runs an issuance while the database refuses a change. */
  const refusing = async (table: string, event: string, when: string, act: () => Promise<Answer>): Promise<Answer> => {
    await rows(
      `CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'refused'; END $$`,
    )
    await rows(
      `CREATE TRIGGER refuse BEFORE ${event} ON ${table} FOR EACH ROW WHEN (${when}) EXECUTE FUNCTION refuse()`,
    )
    try {
      return await act()
    } finally {
      await rows('DROP FUNCTION refuse CASCADE')
    }
  }

  it.each([
    ['credential_instances', 'INSERT', 'true'],
    ['credentials', 'INSERT', 'true'],
    ['audit_events', 'INSERT', "NEW.action = 'credential.issued'"],
    // The retirement fails, so nothing is issued.
    ['credentials', 'UPDATE', 'NEW.superseded_by IS NOT NULL'],
    ['status_lists', 'UPDATE', 'NEW.version > OLD.version'],
  ])('at %s (%s) neither revokes nor issues', async (table, event, when) => {
    const reference = newReference()
    const { id, credential } = await taken(await offerFor(reference))
    const offer = await offerFor(reference)
    const token = await issuer.token(offer)
    const failed = await refusing(table, event, when, () => issuer.take(token, `${type}-sd-jwt`))
    expect(failed.status).toBe(500)
    expect([await statusesOf(id), (await verified(credential)).isValid]).toEqual([['active'], true])
    expect(await listed(`offeringId=${offer}`)).toEqual([])
    // The wallet tries again.
    credentialOf(await issuer.take(token, `${type}-sd-jwt`))
    expect(await statusesOf(id)).toEqual(['revoked'])
  })
})

describe('a type whose refreshes revoke previous instances', () => {
  /** A wallet with a refresh token, under an offer of a type. */
  async function withRefresh(of: string) {
    const offer = await offerFor(newReference(), of, { deferred: true, expiresInSeconds: 3 * DAY })
    await issuer.decide(offer, 'approve')
    const first = await issuer.requestToken({
      grant_type: PRE_AUTHORIZED,
      'pre-authorized_code': await issuer.code(offer),
    })
    let refreshToken: string = first.json.refresh_token
    const refresh = async (sent = refreshToken): Promise<Answer> => {
      const answer = await issuer.requestToken({ grant_type: 'refresh_token', refresh_token: sent })
      if (answer.status === 200) refreshToken = answer.json.refresh_token
      return answer
    }
    return { offer, token: first.json.access_token as string, refresh, sent: () => refreshToken }
  }

  const validityOf = async (credentials: readonly string[]) =>
    Promise.all(credentials.map(async (credential) => (await verified(credential)).isValid))

  it('revokes the instances of the same configuration that were issued before the refresh, and only them', async () => {
    const of = await typeWith({ onRefresh: 'revoke-previous' })
    const { offer, token, refresh } = await withRefresh(of)
    const one = credentialOf(await issuer.take(token, `${of}-sd-jwt`))
    const two = credentialOf(await issuer.take(token, `${of}-sd-jwt`))
    const jwt = credentialOf(await issuer.take(token, of))
    expect(await validityOf([one, two, jwt])).toEqual([true, true, true])
    const { access_token: second } = (await refresh()).json
    // A refresh that takes nothing revokes nothing.
    expect(await validityOf([one, two, jwt])).toEqual([true, true, true])
    const three = credentialOf(await issuer.take(second, `${of}-sd-jwt`))
    const four = credentialOf(await issuer.take(second, `${of}-sd-jwt`))
    expect(await validityOf([one, two, jwt, three, four])).toEqual([false, false, true, true, true])
    expect(await verified(one)).toEqual(REVOKED)
    const id = await recordOf(offer)
    expect(await statusOf(id)).toEqual({ status: 'active', supersededInstances: 2 })
    const { instances, events, credential } = await historyOf(id)
    expect(credential.status).toBe('active')
    expect(instances.map(({ status }: { status: string }) => status).sort()).toEqual([
      'active',
      'active',
      'active',
      'revoked',
      'revoked',
    ])
    expect(events).toContainEqual(
      expect.objectContaining({
        action: 'credential.instances_revoked',
        detail: { reason: 'superseded', configurationId: `${of}-sd-jwt`, count: 2 },
      }),
    )
  })

  it('leaves the replaced instances revoked when the credential is suspended and reinstated', async () => {
    const of = await typeWith({ onRefresh: 'revoke-previous', suspendable: true })
    const { offer, token, refresh } = await withRefresh(of)
    const one = credentialOf(await issuer.take(token, `${of}-sd-jwt`))
    const two = credentialOf(await issuer.take((await refresh()).json.access_token, `${of}-sd-jwt`))
    const id = await recordOf(offer)
    const single = async (change: string) =>
      expect(
        (await issuer.service.request('POST', `/api/v1/credentials/${id}/${change}`, { client: true })).status,
      ).toBe(200)
    const many = async (action: string) =>
      ended(issuer.service, (await begin(issuer.service, { action, filter: { ids: [id] } })).id)
    for (const change of [single, many]) {
      await change('suspend')
      expect([await publishedStatus(one), await publishedStatus(two)]).toEqual([1, 2])
      await change('reinstate')
      expect([await publishedStatus(one), await publishedStatus(two)]).toEqual([1, 0])
      expect(await validityOf([one, two])).toEqual([false, true])
    }
  })

  it('gives nothing more under an access token from before the refresh', async () => {
    const of = await typeWith({ onRefresh: 'revoke-previous' })
    const { token, refresh } = await withRefresh(of)
    credentialOf(await issuer.take(token, `${of}-sd-jwt`))
    const { access_token: second } = (await refresh()).json
    const current = credentialOf(await issuer.take(second, `${of}-sd-jwt`))
    expect(refusalOf(await issuer.take(token, `${of}-sd-jwt`))).toEqual([
      400,
      'credential_request_denied',
      'A later refresh has replaced this access token.',
    ])
    expect(await validityOf([current])).toEqual([true])
  })

  it('leaves one generation if wallets of both tokens come at the same time', async () => {
    const of = await typeWith({ onRefresh: 'revoke-previous' })
    for (let round = 0; round < 4; round += 1) {
      const { offer, token, refresh } = await withRefresh(of)
      credentialOf(await issuer.take(token, `${of}-sd-jwt`))
      const takeRefreshed = async () => {
        const { access_token: second } = (await refresh()).json
        return [await issuer.take(second, `${of}-sd-jwt`), await issuer.take(second, `${of}-sd-jwt`)]
      }
      const [former, late, refreshed] = await Promise.all([
        issuer.take(token, `${of}-sd-jwt`),
        issuer.take(token, `${of}-sd-jwt`, ...(await Promise.all([newWallet(), newWallet(), newWallet()]))),
        takeRefreshed(),
      ])
      for (const { status } of [former, late]) expect([200, 400]).toContain(status)
      expect(refreshed.map(({ status }) => status)).toEqual([200, 200])
      const active = await rows(
        'SELECT generation, count(*)::int AS n FROM credential_instances WHERE credential_id = $1 AND revoked_at IS NULL GROUP BY 1',
        await recordOf(offer),
      )
      expect(active).toEqual([{ generation: 1, n: 2 }])
    }
  })

  it('refuses an earlier access token whose issuance waited while the refresh was counted', async () => {
    const of = await typeWith({ onRefresh: 'revoke-previous' })
    const { offer, token } = await withRefresh(of)
    credentialOf(await issuer.take(token, `${of}-sd-jwt`))
    const client = new pg.Client({ connectionString: issuer.service.databaseUrl })
    await client.connect()
    try {
      await client.query('BEGIN')
      await client.query('UPDATE authorizations SET generation = generation + 1 WHERE offering_id = $1', [offer])
      const taking = issuer.take(token, `${of}-sd-jwt`)
      const waiting = "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'"
      await vi.waitFor(async () => expect(await rows(waiting)).toHaveLength(1), { timeout: 60_000 })
      await client.query('COMMIT')
      expect(refusalOf(await taking)).toEqual([
        400,
        'credential_request_denied',
        'A later refresh has replaced this access token.',
      ])
    } finally {
      await client.end()
    }
    expect((await historyOf(await recordOf(offer))).instances).toHaveLength(1)
  })

  it('whose refresh token is replayed revokes nothing, and the authorization ends', async () => {
    const of = await typeWith({ onRefresh: 'revoke-previous' })
    const { token, refresh, sent } = await withRefresh(of)
    const one = credentialOf(await issuer.take(token, `${of}-sd-jwt`))
    const former = sent()
    const [first, second] = await Promise.all([refresh(former), refresh(former)])
    expect([first.status, second.status].sort()).toEqual([200, 400])
    const won = first.status === 200 ? first : second
    expect((await issuer.take(won.json.access_token, `${of}-sd-jwt`)).status).toBe(401)
    expect(await validityOf([one])).toEqual([true])
  })

  it('keeps earlier instances without the rule', async () => {
    const of = await typeWith({ onRefresh: 'keep' })
    const { token, refresh } = await withRefresh(of)
    const one = credentialOf(await issuer.take(token, `${of}-sd-jwt`))
    const { access_token: second } = (await refresh()).json
    const two = credentialOf(await issuer.take(second, `${of}-sd-jwt`))
    credentialOf(await issuer.take(token, `${of}-sd-jwt`))
    expect(await validityOf([one, two])).toEqual([true, true])
  })

  it('revokes nothing if the issuance fails', async () => {
    const of = await typeWith({ onRefresh: 'revoke-previous' })
    const { token, refresh } = await withRefresh(of)
    const one = credentialOf(await issuer.take(token, `${of}-sd-jwt`))
    const { access_token: second } = (await refresh()).json
    const refused = await issuer.requestCredential(second, {
      credential_configuration_id: `${of}-sd-jwt`,
      proofs: { jwt: ['a.b.c'] },
    })
    expect(refused.status).toBe(400)
    expect(await validityOf([one])).toEqual([true])
  })
})
