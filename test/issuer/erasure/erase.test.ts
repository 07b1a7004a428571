import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { during } from '../../support/during.js'
import { query } from '../../support/postgres.js'
import {
  credentialOf,
  type Issuer,
  JWT_VC,
  PRE_AUTHORIZED,
  refusalOf,
  SD_JWT,
  startIssuer,
} from '../openid4vci/actors.js'

const KEK = Buffer.alloc(32, 7).toString('base64url')
const ERASED = 'The claims of this credential were erased.'

let issuer: Issuer

beforeAll(async () => {
  issuer = await startIssuer({ maintenance: false, env: { KEY_ENCRYPTION_KEY: KEK } })
})
afterAll(() => issuer.service.close())

const rows = <Row>(sql: string, ...values: unknown[]) => query<Row & object>(issuer.service.databaseUrl, sql, values)

const asIssuer = async () => ({ authorization: await issuer.authorization() })
const erase = async (path: string, options?: object) =>
  issuer.service.request('POST', `${path}/erase`, options ?? { client: true })

const redeemed = async (offerId: string): Promise<string> => {
  const [row] = await rows<{ id: string }>(
    'SELECT credential_id AS id FROM redemptions WHERE offering_id = $1',
    offerId,
  )
  return row?.id ?? ''
}

const keysOf = async (...ids: string[]) =>
  (await rows('SELECT 1 FROM content_keys WHERE row_id = ANY($1::text[])', ids)).length

const actionsOf = async (id: string) =>
  (await rows<{ action: string }>('SELECT action FROM audit_events WHERE subject_id = $1 ORDER BY id', id)).map(
    ({ action }) => action,
  )

/** A credential that a wallet took from an offer of its own, with the tokens of the wallet. */
async function taken(members: Record<string, unknown> = {}) {
  const offer = await issuer.makeOffer(members)
  const offerId: string = offer.credentialOfferSessionId
  const { json: tokens } = await issuer.requestToken({
    grant_type: PRE_AUTHORIZED,
    'pre-authorized_code': await issuer.code(offerId),
  })
  credentialOf(await issuer.take(tokens.access_token, SD_JWT))
  return { offerId, id: await redeemed(offerId), token: tokens.access_token as string }
}

const created = async (sub = 'issuer') =>
  issuer.service.request('POST', '/api/v1/credentials', {
    authorization: await issuer.service.bearer(sub),
    body: { type: JWT_VC, credential_subject: { product: 'Grinder' } },
  })

describe('POST /api/v1/credentials/{id}/erase', () => {
  it('erases claims and proof at once; the record, its status and its times stay', async () => {
    const { json } = await created()
    expect(await keysOf(json.id)).toBe(1)
    const answer = await erase(`/api/v1/credentials/${json.id}`)
    expect(answer.status, answer.text).toBe(200)
    expect(answer.json).toEqual({ id: json.id, claimsErasedAt: expect.stringMatching(/Z$/) })
    expect(await keysOf(json.id)).toBe(0)
    const read = await issuer.service.request('GET', `/api/v1/credentials/${json.id}`, await asIssuer())
    const { credentialSubject: _, proof, ...left } = json.vc
    expect(proof).toBeDefined()
    expect(read.json).toEqual({
      id: json.id,
      vc: { ...left, issuer: typeof left.issuer === 'string' ? left.issuer : left.issuer.id },
      claimsErasedAt: answer.json.claimsErasedAt,
    })
    const [stored] = await rows<{ vc: unknown }>('SELECT vc FROM credentials WHERE id = $1', json.id)
    expect(stored?.vc).toBeNull()
    expect(await actionsOf(json.id)).toEqual(['credential.issued', 'credential.claims_erased'])
  })

  it('again changes nothing and answers the same', async () => {
    const { json } = await created()
    const first = await erase(`/api/v1/credentials/${json.id}`)
    const second = await erase(`/api/v1/credentials/${json.id}`)
    expect(second.json).toEqual(first.json)
    expect(await actionsOf(json.id)).toEqual(['credential.issued', 'credential.claims_erased'])
  })

  it('is for the owner and for operators; for others the credential is unknown', async () => {
    const { json } = await created('alice')
    const path = `/api/v1/credentials/${json.id}`
    const bob = await erase(path, { authorization: await issuer.service.bearer('bob') })
    expect([bob.status, bob.json.message]).toEqual([404, 'Credential not found.'])
    expect((await erase(path, {})).status).toBe(401)
    expect((await erase(path, { authorization: await issuer.service.bearer('alice') })).status).toBe(200)
    const other = await created('alice')
    const admin = { authorization: await issuer.service.bearer('root', { roles: ['admin'] }) }
    expect((await erase(`/api/v1/credentials/${other.json.id}`, admin)).status).toBe(200)
    expect((await erase(`/api/v1/credentials/${crypto.randomUUID()}`)).status).toBe(404)
  })

  it('erases the subject of its offer too; the wallet gets no further copy', async () => {
    const { offerId, id, token } = await taken()
    expect(await keysOf(offerId, id)).toBe(2)
    await erase(`/api/v1/credentials/${id}`)
    expect(await keysOf(offerId, id)).toBe(0)
    const [offer] = await rows<{ subject: unknown; at: Date }>(
      'SELECT credential_subject AS subject, claims_erased_at AS at FROM offerings WHERE id = $1',
      offerId,
    )
    expect(offer).toEqual({ subject: null, at: expect.any(Date) })
    const again = await issuer.take(token, JWT_VC)
    expect(refusalOf(again)).toEqual([400, 'credential_request_denied', ERASED])
    expect(await actionsOf(offerId)).toContain('offering.claims_erased')
  })

  it('ends the refresh of the credential with invalid_grant', async () => {
    const offer = await issuer.makeOffer({ deferred: true })
    const offerId: string = offer.credentialOfferSessionId
    await issuer.decide(offerId, 'approve')
    const { json: tokens } = await issuer.requestToken({
      grant_type: PRE_AUTHORIZED,
      'pre-authorized_code': await issuer.code(offerId),
    })
    credentialOf(await issuer.take(tokens.access_token, SD_JWT))
    const refresh = (token: string) => issuer.requestToken({ grant_type: 'refresh_token', refresh_token: token })
    const before = await refresh(tokens.refresh_token)
    expect(before.status, before.text).toBe(200)
    await erase(`/api/v1/credentials/${await redeemed(offerId)}`)
    expect(refusalOf(await refresh(before.json.refresh_token))).toEqual([400, 'invalid_grant', ERASED])
    const copy = await issuer.take(before.json.access_token, SD_JWT)
    expect(refusalOf(copy)).toEqual([400, 'credential_request_denied', ERASED])
  })

  it('leaves revocation, status list, lists, history and statistics as they were', async () => {
    const { id } = await taken()
    await erase(`/api/v1/credentials/${id}`)
    const { service } = issuer
    const revoked = await service.request('POST', `/api/v1/credentials/${id}/revoke`, { client: true })
    expect(revoked.status, revoked.text).toBe(200)
    const history = await service.request('GET', `/api/v1/credentials/${id}/history`, { client: true })
    expect(history.json).toMatchObject({
      credential: { id, status: 'revoked', claimsErasedAt: expect.any(String) },
      instances: [{ status: 'revoked' }],
    })
    const list = await service.request('GET', `/api/v1/credentials?idPrefix=${id.slice(0, 8)}`, { client: true })
    expect(list.json.items).toMatchObject([{ id, status: 'revoked', claimsErasedAt: expect.any(String) }])
    const published = await service.request('GET', `/status-lists/${history.json.instances[0].statusListId}`)
    expect(published.status).toBe(200)
  })
})

describe('POST /api/v1/credential-offers/{id}/erase', () => {
  it('of an open offer: no wallet can take it any more, whatever it holds', async () => {
    const offer = await issuer.makeOffer()
    const id: string = offer.credentialOfferSessionId
    const code = await issuer.code(id)
    const token = await issuer.token(id)
    const answer = await erase(`/api/v1/credential-offers/${id}`, await asIssuer())
    expect(answer.status, answer.text).toBe(200)
    expect((await issuer.session(id)).claimsErasedAt).toBe(answer.json.claimsErasedAt)
    expect(refusalOf(await issuer.take(token, SD_JWT))).toEqual([400, 'credential_request_denied', ERASED])
    const late = await issuer.requestToken({ grant_type: PRE_AUTHORIZED, 'pre-authorized_code': code })
    expect(refusalOf(late).slice(0, 2)).toEqual([400, 'invalid_grant'])
    const fetched = await issuer.service.request('GET', `/openid4vci/offers/${id}`)
    expect(refusalOf(fetched)).toEqual([400, 'invalid_request', ERASED])
    const list = await issuer.service.request('GET', '/api/v1/credential-offer-sessions?limit=1', { client: true })
    expect(list.json.items[0]).toMatchObject({ id, claimsErasedAt: answer.json.claimsErasedAt })
  })

  it('of a taken offer erases its credential too', async () => {
    const { offerId, id } = await taken()
    await erase(`/api/v1/credential-offers/${offerId}`)
    expect(await keysOf(offerId, id)).toBe(0)
    expect(await actionsOf(id)).toEqual(['credential.issued', 'credential.claims_erased'])
  })

  it('is for its creator and for operators', async () => {
    const { credentialOfferSessionId: id } = await issuer.makeOffer()
    const path = `/api/v1/credential-offers/${id}`
    const other = await erase(path, { authorization: await issuer.service.bearer('bob') })
    expect([other.status, other.json.message]).toEqual([404, 'Offering not found.'])
    expect((await erase(path, await asIssuer())).status).toBe(200)
    const offering = await issuer.makeOffering()
    expect((await erase(`/api/v1/credential-offers/${offering.id}`)).status).toBe(404)
    expect((await erase(`/api/v1/offerings/${id}`)).status).toBe(404)
  })

  it('ends the waiting of a deferred offer: at refresh with invalid_grant', async () => {
    const offer = await issuer.makeOffer({ deferred: true })
    const id: string = offer.credentialOfferSessionId
    const { json: tokens } = await issuer.requestToken({
      grant_type: PRE_AUTHORIZED,
      'pre-authorized_code': await issuer.code(id),
    })
    const { json: waiting } = await issuer.take(tokens.access_token, SD_JWT)
    await erase(`/api/v1/credential-offers/${id}`)
    const collected = await issuer.collect(tokens.access_token, waiting.transaction_id)
    expect(refusalOf(collected)).toEqual([400, 'credential_request_denied', ERASED])
    const refreshed = await issuer.requestToken({ grant_type: 'refresh_token', refresh_token: tokens.refresh_token })
    expect(refusalOf(refreshed)).toEqual([400, 'invalid_grant', ERASED])
    await issuer.decide(id, 'approve', { credentialSubject: { product: 'Mill' } })
    expect(await keysOf(id)).toBe(0)
    const later = await issuer.collect(tokens.access_token, waiting.transaction_id)
    expect(refusalOf(later)).toEqual([400, 'credential_request_denied', ERASED])
  })

  it('erases the texts of its page', async () => {
    const { credentialOfferSessionId } = await issuer.makeOffer()
    const page = await issuer.service.request('POST', '/pages', {
      ...(await asIssuer()),
      body: { credentialOfferSessionId, title: 'For Erika', text: 'Your machine' },
    })
    expect(page.status, page.text).toBe(201)
    await erase(`/api/v1/credential-offers/${credentialOfferSessionId}`)
    const pages = await rows('SELECT texts FROM pages WHERE offering_id = $1', credentialOfferSessionId)
    expect(pages).toEqual([{ texts: null }])
  })
})

describe('POST /api/v1/offerings/{id}/erase', () => {
  it('ends an offering for claims; its credentials stay unless it has one redemption', async () => {
    const { id } = await issuer.makeOffering({ redemption_limit: 5 })
    const alice = { authorization: await issuer.service.bearer('alice') }
    const { json: claimed } = await issuer.service.request('POST', `/api/v1/offerings/${id}/claim`, alice)
    const answer = await erase(`/api/v1/offerings/${id}`)
    expect(answer.status, answer.text).toBe(200)
    const read = await issuer.service.request('GET', `/api/v1/offerings/${id}`, { client: true })
    expect(read.json.claimsErasedAt).toBe(answer.json.claimsErasedAt)
    expect(read.json).not.toHaveProperty('credential_subject')
    const again = await issuer.service.request('POST', `/api/v1/offerings/${id}/claim`, alice)
    expect([again.status, again.json.message]).toEqual([410, 'Claims of the offering were erased.'])
    expect(await keysOf(claimed.id)).toBe(1)
    await erase(`/api/v1/credentials/${claimed.id}`)
    const list = await issuer.service.request('GET', '/api/v1/offerings', { client: true })
    const listed = list.json.find((offering: { id: string }) => offering.id === id)
    expect(listed.redemptions[0].credential).toMatchObject({ id: claimed.id, claimsErasedAt: expect.any(String) })
    expect(listed.redemptions[0].credential.vc).not.toHaveProperty('credentialSubject')
  })

  it('an open offering for everybody is no longer listed for the public', async () => {
    const { id } = await issuer.makeOffering()
    const listed = async () => (await issuer.service.request('GET', '/api/v1/offerings')).text.includes(id)
    expect(await listed()).toBe(true)
    await erase(`/api/v1/offerings/${id}`)
    expect(await listed()).toBe(false)
  })
})

/** Runs `run` while the erasure of an offering is not committed yet, and commits it as soon as `run` waits for it. */
const duringErasure = <Done>(offeringId: string, run: () => Promise<Done>): Promise<Done> =>
  during(issuer.service.databaseUrl, [`SELECT erase_claims(NULL, '${offeringId}', now(), NULL)`], run)

describe('an erasure beside wallets', () => {
  it.each([
    ['with one redemption', 1],
    ['with a higher limit', 7],
    ['without a limit', null],
  ])('of an offering %s: a wallet that was admitted before it, and stores after it, gets nothing', async (_, limit) => {
    const { id } = await issuer.makeOffering({ redemption_limit: limit })
    const token = await issuer.token(id)
    const answer = await duringErasure(id, () => issuer.take(token, SD_JWT))
    expect(answer.status, answer.text).toBe(400)
    expect(await rows('SELECT 1 FROM redemptions WHERE offering_id = $1', id)).toEqual([])
  })

  it('of an offering erases the credential of an issuance that began before it and ends after it', async () => {
    const { id } = await issuer.makeOffering({ redemption_limit: 1 })
    const credentialId = crypto.randomUUID()
    const issuance = [
      `UPDATE offerings SET redemption_count = 1 WHERE id = '${id}'`,
      `INSERT INTO credentials (id, schema_id, issuer_id, vc)
       SELECT '${credentialId}', schema_id, issuer_id, '"x"' FROM offerings WHERE id = '${id}'`,
      `INSERT INTO content_keys (row_id, column_name, wrapped) VALUES ('${credentialId}', 'credentials.vc', 'x')`,
      `INSERT INTO redemptions (id, offering_id, credential_id) VALUES ('r', '${id}', '${credentialId}')`,
    ]
    expect((await during(issuer.service.databaseUrl, issuance, () => erase(`/api/v1/offerings/${id}`))).status).toBe(
      200,
    )
    expect(await rows('SELECT vc FROM credentials WHERE id = $1', credentialId)).toEqual([{ vc: null }])
    expect(await keysOf(id, credentialId)).toBe(0)
  })

  it('a waiting wallet gets nothing after an erasure that began before its request', async () => {
    const offer = await issuer.makeOffer({ deferred: true })
    const id: string = offer.credentialOfferSessionId
    const { json: tokens } = await issuer.requestToken({
      grant_type: PRE_AUTHORIZED,
      'pre-authorized_code': await issuer.code(id),
    })
    const { json: waiting } = await issuer.take(tokens.access_token, SD_JWT)
    await issuer.decide(id, 'approve')
    const answer = await duringErasure(id, () => issuer.collect(tokens.access_token, waiting.transaction_id))
    expect(answer.status, answer.text).toBe(400)
    expect(await rows('SELECT 1 FROM redemptions WHERE offering_id = $1', id)).toEqual([])
  })

  it('a further copy after an erasure that began before its request stores no claims', async () => {
    const { offerId, id, token } = await taken()
    const answer = await duringErasure(offerId, () => issuer.take(token, JWT_VC))
    expect(answer.status, answer.text).toBe(400)
    expect(await rows('SELECT vc FROM credentials WHERE id = $1', id)).toEqual([{ vc: null }])
    expect(await keysOf(offerId, id)).toBe(0)
  })

  it.each([
    ['of an offer with one redemption', 1],
    ['of an offering without a limit', null],
  ])('%s: 50 at once, and no claims are stored after it', async (_, limit) => {
    const offers = await Promise.all(
      Array.from({ length: 50 }, async () => {
        const { id } = await issuer.makeOffering({ redemption_limit: limit })
        return { id, token: await issuer.token(id) }
      }),
    )
    const outcomes = await Promise.all(
      offers.flatMap(({ id, token }, at) => {
        const both = [
          () => issuer.take(token, SD_JWT).then(({ status }) => `taken ${status}`),
          () => erase(`/api/v1/offerings/${id}`).then(({ status }) => `erased ${status}`),
        ]
        return (at % 2 === 0 ? both : both.reverse()).map((run) => run())
      }),
    )
    expect(outcomes.filter((outcome) => outcome === 'erased 200')).toHaveLength(50)
    expect(outcomes.filter((outcome) => !/^(?:erased 200|taken (?:200|400))$/.test(outcome))).toEqual([])
    const ids = offers.map(({ id }) => id)
    const left = await rows<{ late: number; kept: number; subjects: number }>(
      `SELECT count(*) FILTER (WHERE c.vc IS NOT NULL AND c.created_at > o.claims_erased_at)::int AS late,
         count(*) FILTER (WHERE c.vc IS NOT NULL AND o.redemption_limit = 1)::int AS kept,
         count(*) FILTER (WHERE o.credential_subject IS NOT NULL)::int AS subjects
       FROM offerings o LEFT JOIN redemptions r ON r.offering_id = o.id LEFT JOIN credentials c ON c.id = r.credential_id
       WHERE o.id = ANY($1::text[])`,
      ids,
    )
    expect(left).toEqual([{ late: expect.any(Number), kept: 0, subjects: 0 }])
    const keys = await rows(
      `SELECT 1 FROM content_keys k LEFT JOIN credentials c ON c.id = k.row_id LEFT JOIN offerings o ON o.id = k.row_id
       WHERE c.claims_erased_at IS NOT NULL OR o.claims_erased_at IS NOT NULL`,
    )
    expect(keys).toEqual([])
  })
})
