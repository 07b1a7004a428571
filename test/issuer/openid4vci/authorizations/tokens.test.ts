import { createHash, randomBytes } from 'node:crypto'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { atOnce } from '../../../support/at-once.js'
import { query } from '../../../support/postgres.js'
import { newWallet } from '../../../support/wallet-actor.js'
import { type Issuer, movingClock, refusalOf, SD_JWT, startIssuer } from '../actors.js'
import { authorizationCodeFlow, type Parameters } from './flow.js'

const clock = movingClock()
let issuer: Issuer
const { tokensFor } = authorizationCodeFlow(() => issuer)
beforeAll(async () => {
  issuer = await startIssuer({ clock: clock.now })
})
afterEach(() => {
  clock.ahead = 0
})
afterAll(() => issuer.service.close())

describe('tokens of an authorization (OpenID4VCI 1.0 §14.3, RFC 6749 §6)', () => {
  const refresh = (token: string, more: Parameters = {}) =>
    issuer.requestToken({ grant_type: 'refresh_token', refresh_token: token, ...more })

  it('can take a configuration again: instances of one record, with one redemption', async () => {
    const tokens = await tokensFor()
    for (let time = 0; time < 3; time += 1) expect((await issuer.take(tokens.access_token, SD_JWT)).status).toBe(200)
    const refreshed = await refresh(tokens.refresh_token)
    expect((await issuer.take(refreshed.json.access_token, SD_JWT)).status).toBe(200)
    const [row] = await query<{ records: number; instances: number; count: number }>(
      issuer.service.databaseUrl,
      `SELECT count(DISTINCT r.credential_id)::int AS records, count(i.*)::int AS instances, max(o.redemption_count)::int AS count
       FROM offerings o JOIN redemptions r ON r.offering_id = o.id
       JOIN credential_instances i ON i.credential_id = r.credential_id WHERE o.id = $1`,
      [tokens.offerId],
    )
    expect(row).toEqual({ records: 1, instances: 4, count: 1 })
  })

  it('two tokens at once, before a credential was taken, are still one redemption', async () => {
    const tokens = await tokensFor()
    const second = (await refresh(tokens.refresh_token)).json.access_token
    const answers = await Promise.all([tokens.access_token, second].map((token) => issuer.take(token, SD_JWT)))
    expect(answers.map(({ status }) => status)).toEqual([200, 200])
    const rows = await query(issuer.service.databaseUrl, 'SELECT id FROM redemptions WHERE offering_id = $1', [
      tokens.offerId,
    ])
    expect(rows).toHaveLength(1)
  })

  it('give at most 100 instances a day, for any number of simultaneous requests', async () => {
    const tokens = await tokensFor()
    const wallets = await Promise.all(Array.from({ length: 20 }, () => newWallet()))
    const taken = await Promise.all(
      Array.from({ length: 6 }, () => issuer.take(tokens.access_token, SD_JWT, ...wallets)),
    )
    expect(taken.map(({ status }) => status).sort()).toEqual([200, 200, 200, 200, 200, 400])
    const refused = await issuer.take(tokens.access_token, SD_JWT)
    expect(refusalOf(refused).slice(0, 2)).toEqual([400, 'credential_request_denied'])
  })

  it('accept key proofs of their own client, or without a client (Appendix F.1); under a pre-authorized code iss is ignored', async () => {
    const wallet = await newWallet()
    const takeAs = async (token: string, iss: string | undefined) => {
      const jwt = [await wallet.proof(issuer.service.url, await issuer.nonce(), { payload: { iss } })]
      return issuer.requestCredential(token, { credential_configuration_id: SD_JWT, proofs: { jwt } })
    }
    const { access_token: token } = await tokensFor()
    expect(refusalOf(await takeAs(token, 'another')).slice(0, 2)).toEqual([400, 'invalid_proof'])
    for (const iss of ['wallet', undefined]) expect((await takeAs(token, iss)).status).toBe(200)
    const preAuthorized = await issuer.token((await issuer.makeOffer()).credentialOfferSessionId)
    expect((await takeAs(preAuthorized, 'anybody')).status).toBe(200)
  })

  it('a refresh token without a key is valid once; a second use ends all tokens of its authorization', async () => {
    const tokens = await tokensFor()
    const first = await refresh(tokens.refresh_token)
    expect(first.json).toMatchObject({ token_type: 'Bearer', scope: SD_JWT, refresh_token: expect.any(String) })
    expect(refusalOf(await refresh(tokens.refresh_token)).slice(0, 2)).toEqual([400, 'invalid_grant'])
    expect(refusalOf(await refresh(first.json.refresh_token)).slice(0, 2)).toEqual([400, 'invalid_grant'])
    expect(refusalOf(await issuer.take(first.json.access_token, SD_JWT)).slice(0, 2)).toEqual([401, 'invalid_token'])
  })

  it('twenty simultaneous uses of one refresh token give at most one token, and end all tokens of its authorization', async () => {
    const tokens = await tokensFor()
    const answers = await atOnce(issuer.service.platform.stores.openid4vci, 'refreshToken', 20, () =>
      Promise.all(Array.from({ length: 20 }, () => refresh(tokens.refresh_token))),
    )
    const given = answers.filter(({ status }) => status === 200)
    expect(given.length).toBeLessThanOrEqual(1)
    for (const { json } of given)
      expect(refusalOf(await refresh(json.refresh_token)).slice(0, 2)).toEqual([400, 'invalid_grant'])
    expect(refusalOf(await issuer.take(tokens.access_token, SD_JWT)).slice(0, 2)).toEqual([401, 'invalid_token'])
  })

  it('a token that is issued while its authorization ends is invalid afterwards', async () => {
    const tokens = await tokensFor()
    const first = await refresh(tokens.refresh_token)
    expect((await refresh(tokens.refresh_token)).status).toBe(400)
    // Inserts the rows that a late request leaves: its statement began before the statement that ends the
    // authorization.
    const [late, lateRefresh] = [randomBytes(32), randomBytes(32)].map((bytes) => bytes.toString('base64url'))
    const hashed = (value = '') => createHash('sha256').update(value).digest('base64url')
    const [authorization] = await query<{ id: string }>(
      issuer.service.databaseUrl,
      'SELECT id FROM authorizations WHERE offering_id = $1',
      [tokens.offerId],
    )
    await query(
      issuer.service.databaseUrl,
      `WITH late AS (
         INSERT INTO issuance_tokens (token_hash, offering_id, expires_at, authorization_id)
         VALUES ($1, $3, now() + interval '1 hour', $4))
       INSERT INTO refresh_tokens (token_hash, authorization_id, expires_at) VALUES ($2, $4, now() + interval '1 day')`,
      [hashed(late), hashed(lateRefresh), tokens.offerId, authorization?.id],
    )
    expect(refusalOf(await issuer.take(late ?? '', SD_JWT)).slice(0, 2)).toEqual([401, 'invalid_token'])
    for (const token of [lateRefresh ?? '', first.json.refresh_token])
      expect(refusalOf(await refresh(token)).slice(0, 2)).toEqual([400, 'invalid_grant'])
  })

  it('are invalid after their authorization has ended', async () => {
    const tokens = await tokensFor()
    await query(
      issuer.service.databaseUrl,
      'DELETE FROM refresh_tokens r USING authorizations a WHERE a.id = r.authorization_id AND a.offering_id = $1',
      [tokens.offerId],
    )
    await query(issuer.service.databaseUrl, 'DELETE FROM authorizations WHERE offering_id = $1', [tokens.offerId])
    expect(refusalOf(await issuer.take(tokens.access_token, SD_JWT)).slice(0, 2)).toEqual([401, 'invalid_token'])
    expect(refusalOf(await refresh(tokens.refresh_token)).slice(0, 2)).toEqual([400, 'invalid_grant'])
  })

  it('end when the first refresh token expires, also if it has successors', async () => {
    const tokens = await tokensFor()
    expect((await issuer.take(tokens.access_token, SD_JWT)).status).toBe(200)
    clock.ahead = 90 * 86_400 - 100
    const next = await refresh(tokens.refresh_token)
    expect(next.json.expires_in).toBeLessThanOrEqual(100)
    clock.ahead = 90 * 86_400 + 1
    expect(refusalOf(await refresh(next.json.refresh_token)).slice(0, 2)).toEqual([400, 'invalid_grant'])
    expect(refusalOf(await issuer.take(next.json.access_token, SD_JWT)).slice(0, 2)).toEqual([401, 'invalid_token'])
  })

  it('a refresh token belongs to one client and ends after 90 days; an access token cannot replace it', async () => {
    const tokens = await tokensFor()
    expect(refusalOf(await refresh(tokens.refresh_token, { client_id: 'thief' })).slice(0, 2)).toEqual([
      400,
      'invalid_grant',
    ])
    expect(refusalOf(await refresh(tokens.access_token)).slice(0, 2)).toEqual([400, 'invalid_grant'])
    clock.ahead = 90 * 86_400 + 1
    expect(refusalOf(await refresh(tokens.refresh_token)).slice(0, 2)).toEqual([400, 'invalid_grant'])
  })
})
