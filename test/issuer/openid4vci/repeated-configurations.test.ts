import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { query } from '../../support/postgres.js'
import type { Answer } from '../../support/service.js'
import { newWallet, type WalletActor } from '../../support/wallet-actor.js'
import {
  type Issuer,
  JWT_VC,
  movingClock,
  PRE_AUTHORIZED,
  payloadOf,
  refusalOf,
  SD_JWT,
  startIssuer,
} from './actors.js'

const DAY = 86_400
const clock = movingClock()
let issuer: Issuer
let wallets: readonly WalletActor[]

beforeAll(async () => {
  issuer = await startIssuer({ clock: clock.now, maintenance: false })
  wallets = await Promise.all(Array.from({ length: 20 }, () => newWallet()))
})
afterEach(() => {
  clock.ahead = 0
})
afterAll(() => issuer.service.close())

/**
 * Returns an access token that may take a configuration several times, and a function that gets a new token with the
 * refresh token.
 */
async function authorized() {
  const { credentialOfferSessionId: id } = await issuer.makeOffer({ deferred: true, expiresInSeconds: 3 * DAY })
  await issuer.decide(id, 'approve')
  const first = await issuer.requestToken({
    grant_type: PRE_AUTHORIZED,
    'pre-authorized_code': await issuer.code(id),
  })
  let refreshToken: string = first.json.refresh_token
  const refreshed = async (): Promise<string> => {
    const { json } = await issuer.requestToken({ grant_type: 'refresh_token', refresh_token: refreshToken })
    refreshToken = json.refresh_token
    return json.access_token
  }
  return { token: first.json.access_token as string, refreshed }
}

const payloadsOf = (answer: Answer) => {
  expect(answer.status, answer.text).toBe(200)
  return answer.json.credentials.map(({ credential }: { credential: string }) => payloadOf(credential))
}

const MANY = [400, 'credential_request_denied', 'An authorization gives at most 100 instances a day.']

/** Makes a request whose proofs have the time of the test's clock. */
async function take(token: string, by: readonly WalletActor[], nonce?: string): Promise<Answer> {
  const fresh = nonce ?? (await issuer.nonce())
  const payload = { iat: Math.floor(clock.now().getTime() / 1000) }
  const jwt = await Promise.all(by.map((wallet) => wallet.proof(issuer.service.url, fresh, { payload })))
  return issuer.requestCredential(token, { credential_configuration_id: SD_JWT, proofs: { jwt } })
}

/** Takes as many instances as are allowed in a day. */
async function takeAll(token: string): Promise<void> {
  const answers = await Promise.all(Array.from({ length: 5 }, () => take(token, wallets)))
  expect(answers.map(({ status }) => status)).toEqual(Array(5).fill(200))
}

describe('a configuration that is taken again (OpenID4VCI 1.0 §14.3)', () => {
  it('has no id in common with earlier copies (§15.4.1), and belongs to the record with the id of the first', async () => {
    const { token, refreshed } = await authorized()
    const first = payloadsOf(await issuer.take(token, JWT_VC, ...wallets.slice(0, 2)))
    const again = payloadsOf(await issuer.take(token, JWT_VC, ...wallets.slice(2, 4)))
    const later = payloadsOf(await issuer.take(await refreshed(), JWT_VC))
    const ids: string[] = [...first, ...again, ...later].map(({ jti }) => jti)
    expect(new Set(ids).size).toBe(5)
    const records = await query(
      issuer.service.databaseUrl,
      `SELECT c.id, c.vc ->> 'id' AS shown, count(*)::int AS instances FROM credentials c
       JOIN credential_instances i ON i.credential_id = c.id WHERE 'urn:uuid:' || c.id = ANY($1) GROUP BY c.id`,
      [ids],
    )
    expect(records).toEqual([{ id: ids[0]?.slice('urn:uuid:'.length), shown: ids[0], instances: 5 }])
  })

  it('after another format: only the first signed copy has the id of the record', async () => {
    const { token } = await authorized()
    payloadsOf(await issuer.take(token, SD_JWT))
    const [{ jti: first }] = payloadsOf(await issuer.take(token, JWT_VC))
    const [{ jti: second }] = payloadsOf(await issuer.take(token, JWT_VC))
    const [record] = await query<{ id: string }>(
      issuer.service.databaseUrl,
      "SELECT id FROM credentials WHERE 'urn:uuid:' || id = ANY($1)",
      [[first, second]],
    )
    expect(first).toBe(`urn:uuid:${record?.id}`)
    expect(second).not.toBe(first)
  })
})

describe('a configuration that is taken again under the token of a pre-authorized code (OpenID4VCI 1.0 §14.3)', () => {
  /**
   * Gets a token for an offer. Also returns a function that reads the counters in the database that an issuance with
   * the token changes.
   */
  const offered = async () => {
    const { credentialOfferSessionId: id } = await issuer.makeOffer()
    const counters = async () => {
      const [row] = await query(
        issuer.service.databaseUrl,
        `SELECT o.redemption_count AS redemptions, count(DISTINCT r.credential_id)::int AS records, count(i.*)::int AS instances
         FROM offerings o JOIN redemptions r ON r.offering_id = o.id
         JOIN credential_instances i ON i.credential_id = r.credential_id WHERE o.id = $1 GROUP BY o.id`,
        [id],
      )
      return row
    }
    return { token: await issuer.token(id), counters, id }
  }

  it.each([SD_JWT, JWT_VC])(
    'gives new instances of the same record of %s, without another redemption',
    async (configuration) => {
      const { token, counters } = await offered()
      const [first] = payloadsOf(await issuer.take(token, configuration))
      const [second] = payloadsOf(await issuer.take(token, configuration))
      expect(await counters()).toEqual({ redemptions: 1, records: 1, instances: 2 })
      const statusOf = ({ status, vc }: typeof first) => status?.status_list?.idx ?? vc.credentialStatus.statusListIndex
      expect(statusOf(first)).not.toBe(statusOf(second))
    },
  )

  it('alternately with another configuration, and in batches', async () => {
    const { token, counters } = await offered()
    for (const [configuration, copies] of [
      [SD_JWT, 2],
      [JWT_VC, 1],
      [SD_JWT, 3],
      [JWT_VC, 2],
    ] as const)
      payloadsOf(await issuer.take(token, configuration, ...wallets.slice(0, copies)))
    expect(await counters()).toEqual({ redemptions: 1, records: 1, instances: 8 })
  })

  it('by simultaneous requests, which count no further redemption', async () => {
    const { token, counters } = await offered()
    const answers = await Promise.all(Array.from({ length: 8 }, () => issuer.take(token, SD_JWT)))
    expect(answers.map(({ status }) => status)).toEqual(Array(8).fill(200))
    expect(await counters()).toEqual({ redemptions: 1, records: 1, instances: 8 })
  })

  it('gives at most 100 instances, over both configurations and by simultaneous requests', async () => {
    const { token, counters } = await offered()
    const answers = await Promise.all(
      Array.from({ length: 7 }, (_, index) => issuer.take(token, index % 2 === 0 ? SD_JWT : JWT_VC, ...wallets)),
    )
    const refused = answers.filter(({ status }) => status !== 200)
    expect(refused.map(refusalOf)).toEqual([MANY, MANY])
    expect(refusalOf(await issuer.take(token, SD_JWT))).toEqual(MANY)
    expect(await counters()).toEqual({ redemptions: 1, records: 1, instances: 100 })
  })

  it('gives nothing after the revocation of the credential', async () => {
    const { token, counters } = await offered()
    const [{ jti }] = payloadsOf(await issuer.take(token, JWT_VC))
    const path = `/api/v1/credentials/${jti.slice('urn:uuid:'.length)}/revoke`
    expect((await issuer.service.request('POST', path, { client: true })).status).toBe(200)
    expect(refusalOf(await issuer.take(token, JWT_VC))).toEqual([
      400,
      'credential_request_denied',
      'The credential of this access token is no longer valid.',
    ])
    expect(await counters()).toEqual({ redemptions: 1, records: 1, instances: 1 })
  })
})

describe('a request that is refused after its copies were signed', () => {
  it('returns its status indices: another request gets them', async () => {
    const { token } = await authorized()
    const nonce = await issuer.nonce()
    expect((await take(token, wallets.slice(0, 1), nonce)).status).toBe(200)
    const allotted = async () => {
      const [row] = await query<{ sum: number }>(
        issuer.service.databaseUrl,
        'SELECT sum(allotted)::int AS sum FROM status_lists',
      )
      return row?.sum ?? 0
    }
    const before = await allotted()
    for (let time = 0; time < 4; time += 1)
      expect(refusalOf(await take(token, wallets, nonce))[1]).toBe('invalid_nonce')
    // Indices are reserved 32 at a time.
    expect((await allotted()) - before).toBeLessThanOrEqual(32)
  })
})

describe('100 instances a day', () => {
  it('count over both configurations and all tokens; a batch that is too large uses none of them', async () => {
    const { token, refreshed } = await authorized()
    for (let batch = 0; batch < 4; batch += 1) payloadsOf(await issuer.take(token, SD_JWT, ...wallets))
    payloadsOf(await issuer.take(await refreshed(), JWT_VC, ...wallets.slice(1)))
    expect(refusalOf(await issuer.take(token, SD_JWT, ...wallets.slice(0, 2)))).toEqual(MANY)
    payloadsOf(await issuer.take(token, SD_JWT))
    expect(refusalOf(await issuer.take(token, SD_JWT))).toEqual(MANY)
    expect(refusalOf(await issuer.take(await refreshed(), JWT_VC))).toEqual(MANY)
  })

  it('begin again on the next day', async () => {
    const { token, refreshed } = await authorized()
    await takeAll(token)
    clock.ahead = DAY
    const next = await refreshed()
    await takeAll(next)
    expect(refusalOf(await take(next, wallets.slice(0, 1)))).toEqual(MANY)
  })

  it('do not begin again if another process, whose clock is behind, is still in the previous day', async () => {
    const { refreshed } = await authorized()
    // Clocks of processes may differ by a few minutes. Here one clock shows the next day, and the other still shows the
    // day before.
    const midnight = DAY - (Math.floor(Date.now() / 1000) % DAY)
    clock.ahead = midnight + 60
    const token = await refreshed()
    await takeAll(token)
    for (const ahead of [midnight - 60, midnight + 60]) {
      clock.ahead = ahead
      expect(refusalOf(await take(token, wallets.slice(0, 1)))).toEqual(MANY)
    }
  })
})
