import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { connectDatabase, type Database, UNHURRIED_MS } from '../../../server/database/connect.js'
import {
  type Admission,
  admission,
  admissionColumns,
  type Refusal,
  refusalOf,
  zAdmission,
} from '../../../server/issuer/openid4vci/admission-store.js'
import { sha256 } from '../../../server/keys/secret-hash.js'
import { query } from '../../support/postgres.js'
import { type Issuer, JWT_VC, startIssuer } from './actors.js'

let issuer: Issuer
let database: Database

beforeAll(async () => {
  issuer = await startIssuer({ maintenance: false })
  database = connectDatabase(issuer.service.databaseUrl, { waitMs: UNHURRIED_MS })
})
afterAll(async () => {
  await database.close()
  await issuer.service.close()
})

/** Admits a wallet and records no credential. */
async function admit(request: Admission): Promise<Refusal | 'admitted'> {
  const [row] = await database.sql(zAdmission)`SELECT ${admissionColumns(admission(request))}`
  return refusalOf(row, request) ?? 'admitted'
}

let nonces = 0

async function requestFor(token: string, offeringId: string, more: Partial<Admission> = {}): Promise<Admission> {
  nonces += 1
  return {
    tokenHash: sha256(token),
    offeringId,
    hasSession: false,
    linkNumber: 0,
    configurationId: JWT_VC,
    earlierId: null,
    counted: (more.earlierId ?? null) !== null,
    authorizationId: null,
    generation: null,
    instances: 1,
    transactionHash: null,
    claimsDueAt: null,
    nonces: [{ hash: `nonce ${nonces}`, expiresAt: new Date(Date.now() + 60_000) }],
    now: new Date(),
    ...more,
  }
}

const rows = (sql: string, ...values: unknown[]) => query(issuer.service.databaseUrl, sql, values)

describe('an admission without a record', () => {
  it('counts the redemption and uses up the nonce, but records no credential and marks no configuration as taken', async () => {
    const { id } = await issuer.makeOffering({ redemption_limit: 1 })
    const token = await issuer.token(id)
    const request = await requestFor(token, id)
    expect(await admit(request)).toBe('admitted')
    expect(
      await rows(
        `SELECT o.redemption_count AS counted, t.issued_count, t.credential_id,
           (SELECT count(*)::int FROM redemptions WHERE offering_id = o.id) AS redemptions,
           (SELECT count(*)::int FROM used_nonces WHERE hash = $2) AS nonces
         FROM offerings o JOIN issuance_tokens t ON t.offering_id = o.id WHERE o.id = $1`,
        id,
        request.nonces[0]?.hash,
      ),
    ).toEqual([{ counted: 1, issued_count: 0, credential_id: null, redemptions: 0, nonces: 1 }])
  })

  it('is refused if the limit is reached over any endpoint', async () => {
    const { id } = await issuer.makeOffering({ redemption_limit: 1 })
    const [first, second] = [await issuer.token(id), await issuer.token(id)]
    expect(await admit(await requestFor(first, id))).toBe('admitted')
    expect(await admit(await requestFor(second, id))).toEqual({ kind: 'refused' })
    expect((await issuer.take(second, JWT_VC)).status).toBe(400)
  })

  it('is refused with its reason', async () => {
    const { id } = await issuer.makeOffering({ redemption_limit: 5 })
    const token = await issuer.token(id)
    const request = await requestFor(token, id)
    expect(await admit(request)).toBe('admitted')
    expect(await admit(request)).toEqual({ kind: 'nonce-used' })
    expect((await issuer.take(token, JWT_VC)).status).toBe(200)
    const [{ earlierId }] = (await rows(
      'SELECT credential_id AS "earlierId" FROM issuance_tokens WHERE token_hash = $1',
      sha256(token),
    )) as [{ earlierId: string }]
    const again = (more: Partial<Admission>) => requestFor(token, id, more)
    expect(await admit(await again({ earlierId, instances: 100 }))).toEqual({ kind: 'too-many' })
    expect(await admit(await again({}))).toEqual({ kind: 'overtaken', now: { earlierId, counted: true } })
    expect(await admit(await again({ earlierId, instances: 99 }))).toBe('admitted')
    expect(await rows('SELECT redemption_count AS counted FROM offerings WHERE id = $1', id)).toEqual([{ counted: 2 }])
    await issuer.service.request('POST', `/api/v1/credentials/${earlierId}/revoke`, { client: true })
    expect(await admit(await again({ earlierId }))).toEqual({ kind: 'refused' })
  })

  it('is refused if its session has ended meanwhile', async () => {
    const { credentialOfferSessionId: id } = await issuer.makeOffer()
    const token = await issuer.token(id)
    const moved = (state: string, message: string | null) =>
      rows('UPDATE credential_offer_sessions SET state = $2, error_message = $3 WHERE id = $1', id, state, message)
    await moved('Error', 'Ended.')
    expect(await admit(await requestFor(token, id, { hasSession: true }))).toEqual({ kind: 'refused' })
    await moved('TokenIssued', null)
    expect(await admit(await requestFor(token, id, { hasSession: true }))).toBe('admitted')
  })

  it('is refused under an authorization that has ended meanwhile, even if its token exists', async () => {
    const { credentialOfferSessionId: id } = await issuer.makeOffer({ deferred: true })
    const token = await issuer.token(id)
    const [{ authorizationId }] = (await rows(
      'SELECT authorization_id AS "authorizationId" FROM issuance_tokens WHERE token_hash = $1',
      sha256(token),
    )) as [{ authorizationId: string }]
    const request = () => requestFor(token, id, { hasSession: true, authorizationId })
    await rows("UPDATE authorizations SET expires_at = now() - interval '1 minute' WHERE id = $1", authorizationId)
    expect(await admit(await request())).toEqual({ kind: 'too-many' })
    await rows("UPDATE authorizations SET expires_at = now() + interval '1 hour' WHERE id = $1", authorizationId)
    expect(await admit(await request())).toBe('admitted')
  })
})
