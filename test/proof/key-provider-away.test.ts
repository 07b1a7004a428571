import { setTimeout } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Issuer, JWT_VC, payloadOf, SD_JWT, SUBJECT, startIssuer } from '../issuer/openid4vci/actors.js'
import { verifiedByJose } from '../keys/providers/foreign.js'
import { makeToken, type Token, WITHOUT_TOKEN } from '../keys/providers/softhsm.js'
import { query } from '../support/postgres.js'
import { newWallet, type WalletActor } from '../support/wallet-actor.js'
import { inParallel, scaled } from './parallel.js'

const SECONDS = scaled(60, 9)
const WALLETS = 8
/** How often the token is taken away, and for how long. */
const OUTAGES = scaled(6, 1)
const AWAY_MS = 1_500
/** A wallet that got a 503 tries again sooner than it was told, so that the load stays high. */
const AGAIN_MS = 100

const skipped = WITHOUT_TOKEN === undefined ? '' : ` (left out: ${WITHOUT_TOKEN})`

/** The answers that wallets got, and what they hold at the end. */
interface Tally {
  readonly credentials: string[]
  readonly offers: string[]
  claimed: number
  refused: number
  readonly unexpected: string[]
}

/**
 * Takes one credential. If signing is unavailable, the wallet sends the same request again, with the same proof and nonce.
 */
async function take(issuer: Issuer, wallet: WalletActor, id: string, tally: Tally): Promise<void> {
  const { config } = issuer.service
  const access = await issuer.token(id)
  const body = {
    credential_configuration_id: SD_JWT,
    proofs: { jwt: [await wallet.proof(config.issuerBaseUrl, await issuer.nonce())] },
  }
  for (;;) {
    const { status, json, headers, text } = await issuer.requestCredential(access, body)
    if (status === 200) {
      tally.credentials.push(json.credentials[0].credential)
      return
    }
    const isAway = status === 503 && json.error === 'temporarily_unavailable' && headers.get('retry-after') === '5'
    if (!isAway) {
      tally.unexpected.push(`${status} ${text}`)
      return
    }
    tally.refused += 1
    await setTimeout(AGAIN_MS)
  }
}

describe.skipIf(WITHOUT_TOKEN !== undefined)(`a token of PKCS#11 under load${skipped}`, () => {
  let token: Token
  let issuer: Issuer

  beforeAll(async () => {
    token = await makeToken()
    issuer = await startIssuer({ env: { ...token.env, ISSUER_KEY_PROVIDER: 'hsm' } })
  })
  afterAll(async () => {
    await issuer.service.close()
    await token.remove()
  })

  it(`is taken away ${OUTAGES} times in ${SECONDS} s of ${WALLETS} wallets: each answer is a success or a 503, and nothing is half issued`, async () => {
    const { service } = issuer
    const { id: offering } = await issuer.makeOffering({ redemption_limit: 1_000_000 })
    const tally: Tally = { credentials: [], offers: [], claimed: 0, refused: 0, unexpected: [] }
    const end = performance.now() + SECONDS * 1_000
    let over = false
    const actor = async (number: number) => {
      const wallet = await newWallet()
      while (!over) {
        // Every second wallet takes an offer of its own. The others share one offering, so all of them change one row.
        if (number % 2 === 1) tally.claimed += 1
        const id = number % 2 === 1 ? offering : (await issuer.makeOffer()).credentialOfferSessionId
        if (number % 2 === 0) tally.offers.push(id)
        await take(issuer, wallet, id, tally)
      }
    }
    const actors = Promise.all(Array.from({ length: WALLETS }, (_, number) => actor(number)))
    try {
      for (let outage = 0; outage < OUTAGES; outage += 1) {
        await setTimeout((SECONDS * 1_000) / (OUTAGES + 1) / 2)
        const refusedBefore = tally.refused
        await token.takeAway()
        // On a busy machine the first 503 may take longer than the outage would.
        await expect.poll(() => tally.refused, { timeout: 60_000 }).toBeGreaterThan(refusedBefore)
        await setTimeout(AWAY_MS)
        await token.bringBack()
        // Issuance goes on without a restart.
        const taken = tally.credentials.length
        await expect.poll(() => tally.credentials.length, { timeout: 60_000 }).toBeGreaterThan(taken + WALLETS)
      }
      await setTimeout(Math.max(0, end - performance.now()))
    } finally {
      over = true
      await actors
    }
    expect(tally.unexpected).toEqual([])

    const issued = tally.credentials.length
    expect(issued).toBe(tally.offers.length + tally.claimed)
    const places = tally.credentials.map((credential) => JSON.stringify(payloadOf(credential).status.status_list))
    expect(new Set(places).size).toBe(issued)
    for (const credential of tally.credentials) await verifiedByJose(credential)
    const [sums] = await query(
      service.databaseUrl,
      `SELECT (SELECT count(*)::int FROM used_nonces) AS nonces,
         (SELECT count(*)::int FROM credentials) AS credentials,
         (SELECT count(*)::int FROM credential_instances) AS instances,
         (SELECT count(DISTINCT (status_list_id, status_index))::int FROM credential_instances) AS places,
         (SELECT count(*)::int FROM redemptions) AS redemptions,
         (SELECT sum(redemption_count)::int FROM offerings) AS counted,
         (SELECT redemption_count FROM offerings WHERE id = $1) AS shared`,
      [offering],
    )
    expect(sums).toEqual({
      // The nonce of the wallet, and its proof.
      nonces: 2 * issued,
      credentials: issued,
      instances: issued,
      places: issued,
      redemptions: issued,
      counted: issued,
      shared: tally.claimed,
    })
    // Indices of failed signatures were given back: exactly the reserved indices can still be used, without a new block.
    const reserved = async () => {
      const [row] = await query<{ allotted: number; unused: number }>(
        service.databaseUrl,
        `SELECT sum(allotted)::int AS allotted,
           (sum(allotted) - (SELECT count(*) FROM credential_instances))::int AS unused FROM status_lists`,
      )
      return row ?? { allotted: 0, unused: -1 }
    }
    const { allotted, unused } = await reserved()
    const authorization = await issuer.authorization()
    const body = { type: JWT_VC, credential_subject: SUBJECT, format: 'dc+sd-jwt' }
    const statuses = await inParallel(
      unused,
      WALLETS,
      async () => (await service.request('POST', '/credentials/sign', { authorization, body })).status,
    )
    expect(statuses.every((status) => status === 201)).toBe(true)
    expect(await reserved()).toEqual({ allotted, unused: 0 })
    process.stdout.write(`${issued} credentials, ${tally.refused} answers with 503\n`)
  }, 300_000)
})
