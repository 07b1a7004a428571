import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { readMdoc } from '../../../server/protocol/mdoc/mdoc.js'
import { runTask } from '../../support/maintenance.js'
import { query } from '../../support/postgres.js'
import type { Answer } from '../../support/service.js'
import { newWallet } from '../../support/wallet-actor.js'
import { credentialOf, type Issuer, movingClock, PRE_AUTHORIZED, payloadOf } from '../openid4vci/actors.js'
import { CLAIMS, licenceSchema, startMdocIssuer } from '../openid4vci/mdoc-actors.js'
import { newTypeName } from '../purchase.js'

const DAY = 86_400
const DAY_MS = DAY * 1000
const clock = movingClock()
let issuer: Issuer
let close: () => Promise<void>

beforeAll(async () => {
  ;({ issuer, close } = await startMdocIssuer({ clock: clock.now, maintenance: false }))
})
afterEach(() => {
  clock.ahead = 0
})
afterAll(() => close())

const rows = <Row>(sql: string, ...values: unknown[]) => query<Row & object>(issuer.service.databaseUrl, sql, values)

/** A moment so many days from now, in whole seconds. */
const inDays = (days: number) => new Date(Math.floor((Date.now() + days * DAY_MS) / 1000) * 1000)
const written = (moment: Date) => `${moment.toISOString().slice(0, 19)}Z`
const numeric = (moment: Date) => moment.getTime() / 1000

const posted = async (members: Record<string, unknown> = {}): Promise<Answer> =>
  issuer.service.request('POST', '/schemas', {
    authorization: await issuer.authorization(),
    body: licenceSchema({ name: newTypeName(), ...members }),
  })

async function typeWith(members: Record<string, unknown> = {}): Promise<string> {
  const answer = await posted(members)
  expect(answer.status, answer.text).toBe(201)
  return answer.json.name
}

const offered = async (type: string, members: Record<string, unknown> = {}): Promise<string> =>
  (
    await issuer.makeOffer({
      credentialConfigurationIds: [type, `${type}-sd-jwt`, `${type}-mdoc`],
      credentialSubject: CLAIMS,
      ...members,
    })
  ).credentialOfferSessionId

/** A wallet takes an offer in all three formats. */
async function taken(offer: string, type: string) {
  const token = await issuer.token(offer)
  const take = async (configuration: string) => credentialOf(await issuer.take(token, configuration))
  return { jwt: await take(type), sdJwt: await take(`${type}-sd-jwt`), mdoc: await take(`${type}-mdoc`) }
}

const verified = async (credential: string): Promise<Answer['json']> =>
  (
    await issuer.service.request('POST', '/credentials/verify', {
      authorization: await issuer.authorization(),
      body: { credential },
    })
  ).json

const listed = async (filters: string): Promise<Answer['json'][]> =>
  (await issuer.service.request('GET', `/api/v1/credentials?${filters}`, { client: true })).json.items

const statusOf = async (id: string): Promise<Answer['json']> =>
  (await issuer.service.request('GET', `/api/v1/credentials/${id}/status`, { client: true })).json

const sign = (type: string): Promise<Answer> => signWith({ type })
const signWith = async (body: Record<string, unknown>): Promise<Answer> =>
  issuer.service.request('POST', '/credentials/sign', {
    authorization: await issuer.authorization(),
    body: { credential_subject: CLAIMS, format: 'dc+sd-jwt', ...body },
  })

describe('a credential that is valid later', () => {
  it.each(['type', 'offer'])('has its beginning in all three formats, if the %s names it', async (named) => {
    const validFrom = inDays(10)
    const members = { validFrom: validFrom.toISOString(), expiresInDays: 20 }
    const type = await typeWith(named === 'type' ? members : { validFrom: inDays(5).toISOString(), expiresInDays: 7 })
    const { jwt, sdJwt, mdoc } = await taken(await offered(type, named === 'offer' ? members : {}), type)
    const payload = payloadOf(jwt)
    expect(payload).toMatchObject({ nbf: numeric(validFrom), vc: { issuanceDate: written(validFrom) } })
    expect([payload.iat < payload.nbf, payload.exp - payload.iat]).toEqual([true, 20 * DAY])
    expect(payloadOf(sdJwt)).toMatchObject({ nbf: numeric(validFrom), exp: payload.exp, iat: payload.iat })
    const { validityInfo } = await readMdoc(mdoc)
    expect([validityInfo.validFrom, validityInfo.signed.getTime() < validFrom.getTime()]).toEqual([validFrom, true])
  })

  it('is refused before that time by verification, and valid afterwards', async () => {
    const type = await typeWith({ validFrom: inDays(10).toISOString(), expiresInDays: 20 })
    const { jwt, sdJwt } = await taken(await offered(type), type)
    for (const credential of [jwt, sdJwt]) {
      expect(await verified(credential)).toEqual({
        isValid: false,
        error: expect.stringMatching(/^Credential is not valid yet: nbf lies in the future/),
      })
    }
    clock.ahead = 11 * DAY
    for (const credential of [jwt, sdJwt]) expect((await verified(credential)).isValid).toBe(true)
  })

  it('is made by an offering, claimed and shown with its beginning, also after its claims were erased', async () => {
    const type = await typeWith()
    const validFrom = inDays(3)
    const { id } = await issuer.makeOffering({
      credential_type: type,
      credential_subject: CLAIMS,
      validFrom: validFrom.toISOString(),
      expiresInDays: 9,
    })
    const authorization = await issuer.service.bearer('alice')
    const { json } = await issuer.service.request('POST', `/api/v1/offerings/${id}/claim`, { authorization })
    expect(json.vc.issuanceDate).toBe(written(validFrom))
    const { expirationDate } = json.vc
    await rows('SELECT erase_claims($1, NULL, now(), NULL)', json.id)
    const erased = await issuer.service.request('GET', `/api/v1/credentials/${json.id}`, { authorization })
    expect(erased.json).toMatchObject({
      vc: { issuanceDate: written(validFrom), expirationDate },
      claimsErasedAt: expect.any(String),
    })
  })

  it('has no beginning of its own if the time has passed', async () => {
    const type = await typeWith({ validFrom: '2020-01-01T00:00:00Z' })
    const { jwt, sdJwt } = await taken(await offered(type), type)
    const { nbf, iat } = payloadOf(jwt)
    expect(nbf).toBe(iat)
    expect(payloadOf(sdJwt)).not.toHaveProperty('nbf')
  })

  const ENDS = 'validFrom must lie before the end of the validity: a credential expires 5 days after its issuance'

  it('cannot expire before its beginning', async () => {
    const late = { validFrom: inDays(6).toISOString(), expiresInDays: 5 }
    const type = await typeWith({ expiresInDays: 5 })
    const ofOffer = { credentialConfigurationIds: [type], credentialSubject: CLAIMS, validFrom: late.validFrom }
    const authorization = await issuer.authorization()
    const answers = [
      await posted(late),
      await issuer.service.request('POST', '/credential-offers', { authorization, body: ofOffer }),
      await issuer.service.request('POST', '/api/v1/offerings', {
        client: true,
        body: { credential_type: type, credential_subject: CLAIMS, validFrom: late.validFrom },
      }),
    ]
    for (const { status, json } of answers) expect([status, json.message]).toEqual([400, [ENDS]])
  })

  it.each(['tomorrow', '2027-13-01T00:00:00Z', '+12027-01-01T00:00:00Z', 5])(
    'cannot begin at %j',
    async (validFrom) => {
      const answer = await posted({ validFrom })
      expect([answer.status, answer.text]).toEqual([400, expect.stringContaining('validFrom')])
    },
  )

  it('cannot outlive its record', async () => {
    const type = await typeWith({ expiresInDays: 5, retention: { claims: 'never', record: { days: 6 } } })
    const answer = await issuer.service.request('POST', '/credential-offers', {
      authorization: await issuer.authorization(),
      body: { credentialConfigurationIds: [type], credentialSubject: CLAIMS, expiresInDays: 7 },
    })
    expect([answer.status, answer.json.message]).toEqual([400, [expect.stringContaining('retention.record.days (6)')]])
  })
})

describe('the expiry of a credential', () => {
  const task = () => {
    const found = issuer.service.features.credentials.tasks.find(({ name }) => name === 'expire credentials')
    if (found === undefined) throw new Error('There is no such task.')
    return found
  }
  const events = (id: string) =>
    rows("SELECT 1 FROM audit_events WHERE subject_id = $1 AND action = 'credential.expired'", id)

  it('is recorded once, by several processes at once, and shown in lists, status and history', async () => {
    const type = await typeWith({ expiresInDays: 2 })
    const ids: string[] = []
    for (let at = 0; at < 30; at += 1) ids.push((await sign(type)).json.id)
    const { id: lasting } = (await sign(await typeWith())).json
    const [revoked = '', ...others] = ids
    await issuer.service.request('POST', `/api/v1/credentials/${revoked}/revoke`, { client: true })
    await runTask(task(), clock.now())
    expect(await statusOf(others[0] ?? '')).toEqual({ status: 'active' })
    clock.ahead = 3 * DAY
    await Promise.all(
      Array.from({ length: 8 }, async () => {
        while ((await task().run(clock.now(), 7)).more);
      }),
    )
    await runTask(task(), clock.now())
    for (const id of others) expect(await events(id)).toHaveLength(1)
    for (const id of [revoked, lasting]) expect(await events(id)).toEqual([])
    const found = async (status: string) =>
      (await listed(`schema=${type}&status=${status}&limit=100`)).map(({ id }) => id)
    expect((await found('expired')).sort()).toEqual([...others].sort())
    expect([await found('active'), await found('revoked')]).toEqual([[], [revoked]])
    expect(await listed(`schema=${type}&limit=100`)).toHaveLength(30)
    const [id = ''] = others
    expect(await statusOf(id)).toEqual({ status: 'expired' })
    const history = await issuer.service.request('GET', `/api/v1/credentials/${id}/history`, { client: true })
    expect(history.json).toMatchObject({
      credential: { status: 'expired', expiresAt: expect.any(String) },
      events: [{ action: 'credential.expired' }, { action: 'credential.signed' }],
    })
    // A revocation is final, also after the expiry.
    await issuer.service.request('POST', `/api/v1/credentials/${id}/revoke`, { client: true })
    expect(await statusOf(id)).toEqual({ status: 'revoked' })
  })

  it('moves with later instances of a refresh, and is recorded for the last one', async () => {
    const type = await typeWith({ expiresInDays: 2 })
    const offer = await offered(type, { deferred: true })
    await issuer.decide(offer, 'approve')
    const { json: tokens } = await issuer.requestToken({
      grant_type: PRE_AUTHORIZED,
      'pre-authorized_code': await issuer.code(offer),
    })
    credentialOf(await issuer.take(tokens.access_token, `${type}-sd-jwt`))
    const [{ id }] = await listed(`offeringId=${offer}`)
    const refreshed = async (refreshToken: string) => {
      const { json } = await issuer.requestToken({ grant_type: 'refresh_token', refresh_token: refreshToken })
      const wallet = await newWallet()
      const proof = await wallet.proof(issuer.service.config.issuerBaseUrl, await issuer.nonce(), {
        payload: { iat: Math.floor(clock.now().getTime() / 1000) },
      })
      credentialOf(
        await issuer.requestCredential(json.access_token, {
          credential_configuration_id: `${type}-sd-jwt`,
          proofs: { jwt: [proof] },
        }),
      )
      return json.refresh_token as string
    }
    clock.ahead = DAY
    const next = await refreshed(tokens.refresh_token)
    clock.ahead = 2.5 * DAY
    await runTask(task(), clock.now())
    expect([await statusOf(id), await events(id)]).toEqual([{ status: 'active' }, []])
    clock.ahead = 3.5 * DAY
    await runTask(task(), clock.now())
    expect([await statusOf(id), (await events(id)).length]).toEqual([{ status: 'expired' }, 1])
    await refreshed(next)
    expect(await statusOf(id)).toEqual({ status: 'active' })
  })
})
