import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { runTask } from '../../support/maintenance.js'
import { query } from '../../support/postgres.js'
import { startService, type TestService } from '../../support/service.js'
import { newWallet } from '../../support/wallet-actor.js'
import { type Issuer, JWT_VC, movingClock, PRE_AUTHORIZED, refusalOf, startIssuer } from './actors.js'
import { issuanceTasks } from './issuance-tasks.js'

const HOUR = 3_600
const clock = movingClock()
/** The clock of a second process of the installation. It does not move. */
let elsewhere = new Date()
let issuer: Issuer
let other: TestService

beforeAll(async () => {
  issuer = await startIssuer({ clock: clock.now, maintenance: false })
  const { databaseUrl, identityProvider } = issuer.service
  other = await startService({ databaseUrl, identityProvider, clock: () => elsewhere, maintenance: false })
})
afterAll(async () => {
  await other.close()
  await issuer.service.close()
})
afterEach(() => {
  clock.ahead = 0
})

const run = (sql: string, values: unknown[] = []) => query(issuer.service.databaseUrl, sql, values)
const maintain = async (service = issuer.service) => {
  for (const task of issuanceTasks(service)) await runTask(task, service.platform.clock())
}
const partitions = async () =>
  (await run("SELECT inhrelid::regclass::text AS name FROM pg_inherits WHERE inhparent = 'used_nonces'::regclass")).map(
    ({ name }) => name,
  )
/** Returns the partitions in which the table has rows. */
const places = async () =>
  (await run('SELECT DISTINCT tableoid::regclass::text AS name FROM used_nonces ORDER BY 1')).map(({ name }) => name)

/** Seconds until the end of the hour by the issuer's clock. */
const untilTheHour = () => HOUR - (Math.floor(clock.now().getTime() / 1000) % HOUR)

const newToken = async () => issuer.token((await issuer.makeOffering()).id)

/** Makes a credential request whose proof contains the nonce. */
async function take(token: string, nonce: string, at: TestService = issuer.service) {
  const proof = await (await newWallet()).proof(issuer.service.url, nonce, {
    payload: { iat: Math.floor(at.platform.clock().getTime() / 1000), aud: at.platform.config.issuerBaseUrl },
  })
  return at.request('POST', '/openid4vci/credential', {
    authorization: `Bearer ${token}`,
    body: { credential_configuration_id: JWT_VC, proofs: { jwt: [proof] } },
  })
}

const USED = [400, 'invalid_nonce', 'The nonce of the proof has been used already.']

describe('a nonce (OpenID4VCI 1.0 §13.8) that was used', () => {
  it('is refused in every later hour, because its row is in the hour of its expiry', async () => {
    clock.ahead = untilTheHour() - 60
    const [first, second] = [await newToken(), await newToken()]
    const nonce = await issuer.nonce()
    expect((await take(first, nonce)).status).toBe(200)
    clock.ahead += 120
    await maintain()
    expect(refusalOf(await take(second, nonce))).toEqual(USED)
  })

  it('is refused if its row is in the default partition, also after partitions were made', async () => {
    clock.ahead = 60 * 24 * HOUR
    await run('TRUNCATE used_nonces')
    const [first, second] = [await newToken(), await newToken()]
    const nonce = await issuer.nonce()
    expect((await take(first, nonce)).status).toBe(200)
    expect(await places()).toEqual(['used_nonces_default'])
    expect(refusalOf(await take(second, nonce))).toEqual(USED)
    await maintain()
    expect((await partitions()).length).toBeGreaterThan(20)
    expect(refusalOf(await take(second, nonce))).toEqual(USED)
    expect(await places()).toEqual(['used_nonces_default'])
  })

  it('is refused by a process whose clock is five minutes behind the maintaining process', async () => {
    clock.ahead = 90 * 24 * HOUR
    await maintain()
    clock.ahead += 5 * HOUR
    const hour = clock.now().getTime() / 1000 + untilTheHour()
    const setClock = (seconds: number) => {
      clock.ahead += seconds - clock.now().getTime() / 1000
    }
    // It expires some seconds before the end of the hour.
    setClock(hour - 305)
    const nonce = await issuer.nonce()
    const [first, second] = [await newToken(), await newToken()]
    expect((await take(first, nonce)).status).toBe(200)
    const [place] = (await places()).slice(-1)
    elsewhere = new Date((hour - 10) * 1000)
    setClock(hour + 285)
    await maintain()
    expect(await partitions()).toContain(place)
    expect(refusalOf(await take(second, nonce, other))).toEqual(USED)
  })

  it('is removed with the partition of its hour, and no single row is deleted', async () => {
    clock.ahead = 120 * 24 * HOUR
    await maintain()
    await run('TRUNCATE used_nonces')
    // At this time of the hour, two nonces that are made shortly after each other expire in the same hour.
    clock.ahead += 3 * HOUR + untilTheHour() + 60
    for (let round = 0; round < 5; round += 1)
      expect((await take(await newToken(), await issuer.nonce())).status).toBe(200)
    const [place, ...others] = await places()
    expect(others).toEqual([])
    expect(place).not.toBe('used_nonces_default')
    clock.ahead += 2 * HOUR
    const rows: number[] = []
    for (const task of issuanceTasks(issuer.service)) {
      const { count } = await task.run(clock.now(), 200)
      if (task.name === 'remove used nonces') rows.push(count)
    }
    expect(rows).toEqual([0])
    expect(await partitions()).not.toContain(place)
    expect(await places()).toEqual([])
  })
})

describe('a pre-authorized code (OpenID4VCI 1.0 §3.5) that was used', () => {
  it('is refused until its own expiry, also after its token was removed', async () => {
    const { id } = await issuer.makeOffering()
    const form = { grant_type: PRE_AUTHORIZED, 'pre-authorized_code': await issuer.code(id) }
    expect((await issuer.requestToken(form)).status).toBe(200)
    await run('DELETE FROM issuance_tokens')
    clock.ahead = 595
    await maintain()
    expect(refusalOf(await issuer.requestToken(form))).toEqual([
      400,
      'invalid_grant',
      'The pre-authorized code has been used already.',
    ])
    clock.ahead = 601
    expect(refusalOf(await issuer.requestToken(form))[2]).toBe('The pre-authorized code is unknown or has expired.')
  })
})
