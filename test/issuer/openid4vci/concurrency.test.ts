import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { moved } from '../../../server/issuer/openid4vci/sessions/session.js'
import { sha256 } from '../../../server/keys/secret-hash.js'
import { query } from '../../support/postgres.js'
import { recordStatements } from '../../support/statements.js'
import { newWallet, type WalletActor } from '../../support/wallet-actor.js'
import { credentialOf, type Issuer, JWT_VC, PRE_AUTHORIZED, refusalOf, SD_JWT, startIssuer } from './actors.js'

let issuer: Issuer
let wallets: readonly WalletActor[]

beforeAll(async () => {
  // There is no maintenance job, because its statements would be counted with the requests' statements.
  issuer = await startIssuer({ maintenance: false })
  wallets = await Promise.all(Array.from({ length: 100 }, () => newWallet()))
})
afterAll(() => issuer.service.close())

const rows = <Row extends pg.QueryResultRow>(sql: string, ...values: unknown[]) =>
  query<Row>(issuer.service.databaseUrl, sql, values)

/** Holds a row lock while the action runs, until the given number of statements wait for the lock. */
async function whileLocked<T>(lock: string, value: string, waiting: number, during: () => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: issuer.service.databaseUrl })
  await client.connect()
  try {
    await client.query('BEGIN')
    await client.query(lock, [value])
    const running = during()
    await vi.waitFor(
      async () =>
        expect(
          await rows("SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'"),
        ).toHaveLength(waiting),
      { timeout: 60_000 },
    )
    await client.query('ROLLBACK')
    return await running
  } finally {
    await client.end()
  }
}

describe('100 wallets and 20 claims at once on an offering with redemption_limit 20', () => {
  it('get exactly 20 credentials, over wallets and claims together', async () => {
    const { id } = await issuer.makeOffering({ redemption_limit: 20 })
    const tokens = await Promise.all(wallets.map(() => issuer.token(id)))
    const authorization = await issuer.authorization()
    const claims = Array.from({ length: 20 }, async () => {
      const answer = await issuer.service.request('POST', `/api/v1/offerings/${id}/claim`, { authorization })
      return [answer.status, answer.json.message]
    })
    const takings = tokens.map(async (token, at) => {
      const answer = await issuer.take(token, at % 2 === 0 ? JWT_VC : SD_JWT, ...wallets.slice(at, at + 1))
      return [answer.status, answer.json.error]
    })
    const outcomes = await Promise.all([...takings, ...claims])
    expect(outcomes.filter(([status]) => status === 200)).toHaveLength(20)
    for (const refusal of outcomes.filter(([status]) => status !== 200)) {
      expect([
        [409, 'Offering redemption limit reached.'],
        [400, 'credential_request_denied'],
      ]).toContainEqual(refusal)
    }
    expect(
      await rows(
        `SELECT o.redemption_count AS counted, (SELECT count(*)::int FROM redemptions r WHERE r.offering_id = o.id) AS redemptions,
           (SELECT count(*)::int FROM credential_instances i JOIN redemptions r ON r.credential_id = i.credential_id
            WHERE r.offering_id = o.id) AS instances
         FROM offerings o WHERE o.id = $1`,
        id,
      ),
    ).toEqual([{ counted: 20, redemptions: 20, instances: 20 }])
  })
})

describe('requests under one token at once', () => {
  it('for both configurations: both are issued, as one redemption', async () => {
    const id = (await issuer.makeOffer()).credentialOfferSessionId
    const token = await issuer.token(id)
    const answers = await whileLocked('SELECT 1 FROM issuance_tokens WHERE offering_id = $1 FOR UPDATE', id, 2, () =>
      Promise.all([
        issuer.take(token, JWT_VC, ...wallets.slice(0, 1)),
        issuer.take(token, SD_JWT, ...wallets.slice(1, 2)),
      ]),
    )
    expect(answers.map(({ status }) => status)).toEqual([200, 200])
    expect(
      await rows(
        `SELECT r.credential_id = t.credential_id AS same, t.issued_count AS issued,
           (SELECT count(*)::int FROM credential_instances i WHERE i.credential_id = r.credential_id) AS instances
         FROM redemptions r JOIN issuance_tokens t ON t.offering_id = r.offering_id WHERE r.offering_id = $1`,
        id,
      ),
    ).toEqual([{ same: true, issued: 2, instances: 2 }])
    const events = await issuer.events(id)
    expect(events.map(({ data }) => data.state)).toEqual([
      'Created',
      'OfferRetrieved',
      'TokenIssued',
      'CredentialIssued',
    ])
    // Both notification ids are for the same record.
    for (const { json } of answers) {
      const body = { notification_id: json.notification_id, event: 'credential_accepted' }
      expect((await issuer.notify(token, body)).status).toBe(204)
    }
  })

  it('for the same configuration: all are issued, as instances of one record and one redemption', async () => {
    const id = (await issuer.makeOffer()).credentialOfferSessionId
    const token = await issuer.token(id)
    const answers = await Promise.all(wallets.slice(0, 10).map((wallet) => issuer.take(token, SD_JWT, wallet)))
    expect(answers.map(({ status }) => status)).toEqual(Array(10).fill(200))
    expect(
      await rows(
        `SELECT count(DISTINCT r.id)::int AS redemptions, count(i.*)::int AS instances
         FROM redemptions r JOIN credential_instances i ON i.credential_id = r.credential_id WHERE r.offering_id = $1`,
        id,
      ),
    ).toEqual([{ redemptions: 1, instances: 10 }])
  })

  it('with one nonce: one credential is issued', async () => {
    const nonce = await issuer.nonce()
    const tokens = await Promise.all(
      wallets.slice(0, 10).map(async () => issuer.token((await issuer.makeOffering()).id)),
    )
    const answers = await Promise.all(
      tokens.map(async (token, at) => {
        const jwt = await wallets[at]?.proof(issuer.service.url, nonce)
        return issuer.requestCredential(token, { credential_configuration_id: SD_JWT, proofs: { jwt: [jwt] } })
      }),
    )
    expect(answers.map(({ status, json }) => json.error ?? status).sort()).toEqual([
      200,
      ...Array(9).fill('invalid_nonce'),
    ])
  })

  it('with the same nonces in another order: no deadlock', async () => {
    const nonces = await Promise.all(Array.from({ length: 10 }, () => issuer.nonce()))
    const requests = [nonces, [...nonces].reverse()].map(async (order, at) => {
      const proofs = order.map((nonce, key) => wallets[at * 10 + key]?.proof(issuer.service.url, nonce))
      const token = await issuer.token((await issuer.makeOffering()).id)
      return { token, jwt: await Promise.all(proofs) }
    })
    const prepared = await Promise.all(requests)
    // Both requests wait at one nonce, after their earlier writes.
    const expiry = issuer.service.platform.seals.nonceExpiresAt(nonces[5] ?? '').toISOString()
    const lock = `INSERT INTO used_nonces (hash, expires_at) VALUES ($1, '${expiry}')`
    const answers = await whileLocked(lock, sha256(nonces[5] ?? ''), 2, () =>
      Promise.all(
        prepared.map(({ token, jwt }) =>
          issuer.requestCredential(token, { credential_configuration_id: SD_JWT, proofs: { jwt } }),
        ),
      ),
    )
    expect(answers.map(({ status, json }) => json.error ?? status).sort()).toEqual([200, 'invalid_nonce'])
  })
})

describe('revoking', () => {
  it('includes a credential that is taken at the same time', async () => {
    const id = (await issuer.makeOffer()).credentialOfferSessionId
    const token = await issuer.token(id)
    expect((await issuer.take(token, JWT_VC)).status).toBe(200)
    const [record] = await rows<{ credential_id: string }>(
      'SELECT credential_id FROM redemptions WHERE offering_id = $1',
      id,
    )
    const revoke = () =>
      issuer.service.request('POST', `/api/v1/credentials/${record?.credential_id}/revoke`, { client: true })
    const [taken, revoked] = await whileLocked(
      'SELECT 1 FROM credentials WHERE id = $1 FOR UPDATE',
      record?.credential_id ?? '',
      2,
      async () => {
        const taking = issuer.take(token, SD_JWT)
        await vi.waitFor(
          async () =>
            expect(
              await rows(
                "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'",
              ),
            ).toHaveLength(1),
          { timeout: 60_000 },
        )
        return Promise.all([taking, revoke()])
      },
    )
    expect(revoked.status).toBe(200)
    const verified = await issuer.service.request('POST', '/credentials/verify', {
      authorization: await issuer.authorization(),
      body: { credential: credentialOf(taken) },
    })
    expect(verified.json).toEqual({ isValid: false, error: 'Credential has been revoked.' })
  })
})

describe('the session of an offer', () => {
  it('never ends in Error if a credential was issued, in any order of requests', async () => {
    const made = await issuer.makeOffer({ txCode: true })
    const id: string = made.credentialOfferSessionId
    const token = await issuer.token(id, { tx_code: made.txCode })
    const code = await issuer.code(id)
    const guess = () =>
      issuer.requestToken({
        grant_type: PRE_AUTHORIZED,
        'pre-authorized_code': code,
        tx_code: 'wrong!',
      })
    for (let time = 0; time < 4; time += 1) await guess()
    const [taken] = await Promise.all([issuer.take(token, SD_JWT), guess()])
    const { state } = await issuer.session(id)
    expect([
      [200, 'CredentialIssued'],
      [400, 'Error'],
    ]).toContainEqual([taken.status, state])
  })

  it('does not end if a fifth wrong transaction code arrives after the credential', async () => {
    const made = await issuer.makeOffer({ txCode: true })
    const id: string = made.credentialOfferSessionId
    const form = { grant_type: PRE_AUTHORIZED, 'pre-authorized_code': await issuer.code(id), tx_code: 'wrong!' }
    for (let time = 0; time < 4; time += 1) await issuer.requestToken(form)
    const token = await issuer.token(id, { tx_code: made.txCode })
    const { stores, clock } = issuer.service.platform
    // The request with the wrong code has read the state of the session just before the credential is issued.
    const read = (await stores.openid4vci.offering(id))?.session
    if (read === undefined || read === null) throw new Error('There is no session.')
    expect((await issuer.take(token, SD_JWT)).status).toBe(200)
    expect(await stores.offerSessions.countWrongTxCode(moved(read, 'Error', 'locked'), clock())).toBeUndefined()
    expect((await issuer.session(id)).state).toBe('CredentialIssued')
  })
})

describe('cost in SQL statements', () => {
  /** Counts the statements that the service sends during an action. It counts the calls of the driver's clients. */
  const countedStatements = async (work: () => Promise<unknown>): Promise<string[]> => {
    const record = recordStatements()
    try {
      await work()
      return [...record.sent()]
    } finally {
      record.stop()
    }
  }
  const isPoolRefill = (statement: string) => statement.includes('reserve_status_indices')

  it('no statement for a nonce', async () => {
    expect(await countedStatements(() => issuer.nonce())).toEqual([])
  })

  it('one for an offer, also if its session changes with it', async () => {
    const { credentialOfferSessionId } = await issuer.makeOffer()
    const { id } = await issuer.makeOffering()
    for (const offer of [id, credentialOfferSessionId, credentialOfferSessionId]) {
      const fetched = () => issuer.service.request('GET', `/openid4vci/offers/${offer}`)
      expect(await countedStatements(async () => expect((await fetched()).status).toBe(200))).toHaveLength(1)
    }
    expect((await issuer.session(credentialOfferSessionId)).state).toBe('OfferRetrieved')
  })

  it('one for a token; two with a right or wrong transaction code, or if the wallet waits', async () => {
    const made = await issuer.makeOffer({ txCode: true })
    const deferred = await issuer.makeOffer({ deferred: true })
    const session = await issuer.makeOffer()
    const plain = await issuer.makeOffering()
    const form = async (offerId: string, more: Record<string, string> = {}) => ({
      grant_type: PRE_AUTHORIZED,
      'pre-authorized_code': await issuer.code(offerId),
      ...more,
    })
    for (const [request, count] of [
      [await form(plain.id), 1],
      [await form(session.credentialOfferSessionId), 1],
      [await form(made.credentialOfferSessionId, { tx_code: 'wrong!' }), 2],
      [await form(made.credentialOfferSessionId, { tx_code: made.txCode }), 2],
      [await form(deferred.credentialOfferSessionId), 2],
    ] as const) {
      expect(await countedStatements(() => issuer.requestToken(request))).toHaveLength(count)
    }
  })

  it('two for a credential with its audit row, or for a batch, and sometimes a third', async () => {
    const { id } = await issuer.makeOffering()
    const counts: number[] = []
    for (let time = 0; time < 6; time += 1) {
      const token = await issuer.token(id)
      const nonce = await issuer.nonce()
      const jwt = await Promise.all(wallets.slice(0, 20).map((wallet) => wallet.proof(issuer.service.url, nonce)))
      const request = { credential_configuration_id: SD_JWT, proofs: { jwt } }
      const sent = await countedStatements(async () => {
        const answer = await issuer.requestCredential(token, request)
        expect(answer.status, answer.text).toBe(200)
      })
      expect(sent.filter((statement) => !isPoolRefill(statement))).toHaveLength(2)
      counts.push(sent.length)
    }
    // A block of status indices serves 32 credentials.
    expect(Math.max(...counts)).toBe(3)
    expect(Math.min(...counts)).toBe(2)
    const [audit] = await rows<{ count: number }>(
      `SELECT count(*)::int AS count FROM audit_events a JOIN redemptions r ON r.credential_id = a.subject_id
       WHERE r.offering_id = $1 AND a.action = 'credential.issued'`,
      id,
    )
    expect(audit?.count).toBe(6)
  })

  it('two for a notification', async () => {
    const made = await issuer.makeOffer()
    const token = await issuer.token(made.credentialOfferSessionId)
    const { notification_id } = (await issuer.take(token, SD_JWT)).json
    const body = { notification_id, event: 'credential_accepted' }
    expect(await countedStatements(() => issuer.notify(token, body))).toHaveLength(2)
    expect(await countedStatements(() => issuer.notify(token, body))).toHaveLength(1)
  })

  it('a refusal costs no more than its reads', async () => {
    const token = await issuer.token((await issuer.makeOffering()).id)
    const body = { credential_configuration_id: SD_JWT, proofs: { jwt: ['a.b.c'] } }
    let refusal: unknown
    const sent = await countedStatements(async () => {
      refusal = refusalOf(await issuer.requestCredential(token, body))
    })
    expect(refusal).toEqual([
      400,
      'invalid_proof',
      'The proof is not a well-formed JWT: The JWT signature is not base64url.',
    ])
    expect(sent).toHaveLength(1)
  })
})
