import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { query } from '../../support/postgres.js'
import type { Answer } from '../../support/service.js'
import { type Issuer, JWT_VC, refusalOf, startIssuer } from '../openid4vci/actors.js'

let issuer: Issuer
beforeAll(async () => {
  issuer = await startIssuer({ maintenance: false })
})
afterAll(() => issuer.service.close())

const sql = (text: string, ...values: unknown[]) =>
  query<Record<string, unknown>>(issuer.service.databaseUrl, text, values)
const again = async (id: string, action: 'resend' | 'cancel' | 'erase') =>
  issuer.service.request('POST', `/api/v1/credential-offers/${id}/${action}`, {
    authorization: await issuer.authorization(),
    body: {},
  })

/** Waits until this number of connections wait for a lock. */
const waiting = (count: number) =>
  expect
    .poll(
      async () =>
        (await sql(`SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()`))
          .length,
      { interval: 5 },
    )
    .toBe(count)

/** Holds a row while requests begin. The requests wait for the row in the order in which they began. */
async function holding(table: string, id: string, requests: readonly (() => Promise<Answer>)[]): Promise<Answer[]> {
  const client = new pg.Client(issuer.service.databaseUrl)
  await client.connect()
  try {
    await client.query('BEGIN')
    await client.query(`SELECT 1 FROM ${table} WHERE id = $1 FOR UPDATE`, [id])
    const answers: Promise<Answer>[] = []
    for (const begin of requests) {
      answers.push(begin())
      await waiting(answers.length)
    }
    await client.query('COMMIT')
    return await Promise.all(answers)
  } finally {
    await client.end()
  }
}

/** An offer whose wallet has an authorization, as each deferred offer has. */
async function withAuthorization() {
  const { credentialOfferSessionId: id } = await issuer.makeOffer({ deferred: true })
  return { id, token: await issuer.token(id) }
}

describe('statements about one offer lock its rows in one order, so no wallet gets a 500', () => {
  it('a resend before an issuance under an authorization', async () => {
    const { id, token } = await withAuthorization()
    const [resent, taken] = await holding('credential_offer_sessions', id, [
      () => again(id, 'resend'),
      () => issuer.take(token, JWT_VC),
    ])
    expect(resent?.status, resent?.text).toBe(200)
    // `holding` returns one answer for each request.
    expect(refusalOf(taken as Answer).slice(0, 2)).toEqual([400, 'credential_request_denied'])
  })

  it('an issuance under an authorization before a resend', async () => {
    const { id, token } = await withAuthorization()
    const [taken, resent] = await holding('credential_offer_sessions', id, [
      () => issuer.take(token, JWT_VC),
      () => again(id, 'resend'),
    ])
    expect([taken?.status, resent?.status]).toEqual([202, 409])
  })

  it('an erasure before an issuance', async () => {
    const { credentialOfferSessionId: id } = await issuer.makeOffer({ txCode: true })
    const { txCode } = (await issuer.service.request('GET', `/api/v1/credential-offers/${id}`, { client: true })).json
    const token = await issuer.token(id, { tx_code: txCode })
    const [erased, taken] = await holding('offerings', id, [() => again(id, 'erase'), () => issuer.take(token, JWT_VC)])
    expect(erased?.status, erased?.text).toBe(200)
    // `holding` returns one answer for each request.
    expect(refusalOf(taken as Answer).slice(0, 2)).toEqual([400, 'credential_request_denied'])
  })

  it('an erasure of the credential before a further issuance', async () => {
    const { credentialOfferSessionId: id } = await issuer.makeOffer()
    const token = await issuer.token(id)
    expect((await issuer.take(token, JWT_VC)).status).toBe(200)
    const [row] = await sql('SELECT credential_id FROM redemptions WHERE offering_id = $1', id)
    const credential = String(row?.credential_id)
    await sql(`UPDATE credential_offer_sessions SET confidential = '{"sealed":"x"}' WHERE id = $1`, id)
    const authorization = await issuer.authorization()
    const [erased, taken] = await holding('credentials', credential, [
      () =>
        issuer.service.request('POST', `/api/v1/credentials/${credential}/erase`, {
          client: true,
          headers: { authorization },
        }),
      () => issuer.take(token, JWT_VC),
    ])
    expect(erased?.status, erased?.text).toBe(200)
    expect(taken?.status, taken?.text).toBe(400)
  })

  it('the erasure of due offers at the same time as an issuance', async () => {
    const { credentialOfferSessionId: id } = await issuer.makeOffer({ txCode: true })
    const { txCode } = (await issuer.service.request('GET', `/api/v1/credential-offers/${id}`, { client: true })).json
    const token = await issuer.token(id, { tx_code: txCode })
    const now = new Date()
    await sql('UPDATE offerings SET claims_due_at = $2 WHERE id = $1', id, now)
    // Each erasure waits for the test after it has locked the offering, so that the issuance begins in between.
    await sql(
      `CREATE FUNCTION wait_for_test() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM pg_advisory_xact_lock(1); RETURN NEW; END';
       CREATE TRIGGER wait_for_test BEFORE UPDATE ON offerings FOR EACH ROW WHEN (NEW.claims_erased_at IS NOT NULL)
       EXECUTE FUNCTION wait_for_test()`,
    )
    const client = new pg.Client(issuer.service.databaseUrl)
    await client.connect()
    try {
      await client.query('SELECT pg_advisory_lock(1)')
      const erasing = issuer.service.platform.stores.erasure.eraseDueOfferings(now, 10)
      await waiting(1)
      const taking = issuer.take(token, JWT_VC)
      await waiting(2)
      await client.query('SELECT pg_advisory_unlock(1)')
      const [erased, taken] = await Promise.all([erasing, taking])
      expect(erased.count).toBe(1)
      expect(refusalOf(taken).slice(0, 2)).toEqual([400, 'credential_request_denied'])
    } finally {
      await client.end()
      await sql('DROP FUNCTION wait_for_test CASCADE')
    }
  })

  it('a code that is used twice at the same time as a resend', async () => {
    const { id, token } = await withAuthorization()
    const { authorizations } = issuer.service.platform.stores
    const [row] = await sql('SELECT id FROM authorizations WHERE offering_id = $1', id)
    const ended = async () => {
      await authorizations.end(String(row?.id), new Date())
      // The test reads only the status.
      return { status: 200 } as Answer
    }
    const [resent, end] = await holding('credential_offer_sessions', id, [() => again(id, 'resend'), ended])
    expect([resent?.status, end?.status]).toEqual([200, 200])
    expect((await issuer.take(token, JWT_VC)).status).toBe(401)
  })
})
