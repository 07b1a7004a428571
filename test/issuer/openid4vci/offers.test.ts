import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { query } from '../../support/postgres.js'
import { TWO_READINGS } from '../../support/two-readings.js'
import { type Issuer, JWT_VC, movingClock, PRE_AUTHORIZED, refusalOf, SD_JWT, SUBJECT, startIssuer } from './actors.js'

const clock = movingClock()
let issuer: Issuer

beforeAll(async () => {
  issuer = await startIssuer({ clock: clock.now })
})
afterAll(() => issuer.service.close())

const fetchOffer = (id: string) => issuer.service.request('GET', `/openid4vci/offers/${id}`)

describe('a credential offer by reference (OpenID4VCI 1.0 §4.1.3)', () => {
  it('is JSON that is not cached, and names one grant and all offered configurations', async () => {
    const offering = await issuer.makeOffering()
    const offer = await fetchOffer(offering.id)
    expect(offer.status).toBe(200)
    expect(offer.headers.get('content-type')).toBe('application/json')
    expect(offer.headers.get('cache-control')).toBe('no-store')
    expect(offer.json).toEqual({
      credential_issuer: issuer.service.url,
      credential_configuration_ids: [JWT_VC, SD_JWT],
      grants: { [PRE_AUTHORIZED]: { 'pre-authorized_code': expect.stringMatching(/^[\w-]{80,}$/) } },
    })
  })

  it('has the address that the offering and its QR code name', async () => {
    const offering = await issuer.makeOffering()
    expect(offering.offering_full_url).toBe(
      `openid-credential-offer://?credential_offer_uri=${encodeURIComponent(`${issuer.service.url}/openid4vci/offers/${offering.id}`)}`,
    )
  })

  it('is repeatable: each time a fresh code, all of them valid, none stored', async () => {
    const { credentialOfferSessionId: id } = await issuer.makeOffer()
    const codes = await Promise.all([issuer.code(id), issuer.code(id), issuer.code(id)])
    expect(new Set(codes).size).toBe(3)
    for (const code of codes) {
      const answer = await issuer.requestToken({ grant_type: PRE_AUTHORIZED, 'pre-authorized_code': code })
      expect(answer.status, answer.text).toBe(200)
    }
    const stored = await query(issuer.service.databaseUrl, 'SELECT 1 FROM used_nonces WHERE hash = ANY($1)', [codes])
    expect(stored).toEqual([])
  })

  it('that does not exist is a 404, with an id of any form', async () => {
    for (const id of ['nobody', crypto.randomUUID(), "'; DROP TABLE offerings; --"]) {
      expect(refusalOf(await fetchOffer(encodeURIComponent(id)))).toEqual([
        404,
        'invalid_request',
        'The credential offer does not exist.',
      ])
    }
  })

  it('that has expired or was used up gives this reason', async () => {
    const expiring = await issuer.makeOffering({ expires_at: new Date(Date.now() + 60_000).toISOString() })
    clock.ahead = 61
    expect(refusalOf(await fetchOffer(expiring.id))).toEqual([
      400,
      'invalid_request',
      'The credential offer has expired.',
    ])
    clock.ahead = 0
    const limited = await issuer.makeOffering({ redemption_limit: 1 })
    expect((await issuer.take(await issuer.token(limited.id), JWT_VC)).status).toBe(200)
    expect(refusalOf(await fetchOffer(limited.id))).toEqual([
      400,
      'invalid_request',
      'The credential offer has been used up.',
    ])
  })
})

it('an expired offer does not change its session when it is fetched', async () => {
  const { credentialOfferSessionId: id } = await issuer.makeOffer({ expiresInSeconds: 60 })
  clock.ahead = 61
  const refused = await Promise.all([fetchOffer(id), fetchOffer(id)])
  clock.ahead = 0
  for (const answer of refused) {
    expect(refusalOf(answer)).toEqual([400, 'invalid_request', 'The credential offer has expired.'])
  }
  expect((await issuer.events(id)).map(({ data }) => data.state)).not.toContain('OfferRetrieved')
})

describe('the Offering resource of the interface', () => {
  it('keeps its shape, and no pre-authorized code ever appears in it', async () => {
    const { id } = await issuer.makeOffering()
    const answers = [
      await issuer.service.request('GET', `/api/v1/offerings/${id}`, { client: true }),
      await issuer.service.request('GET', '/api/v1/offerings', { client: true }),
    ]
    expect(answers[0]?.json.grants).toEqual({ authorization_code: { issuer_state: expect.any(String) } })
    for (const answer of answers) expect(answer.text).not.toContain('pre-authorized')
  })

  it('does not show credential offers, which only wallets can take', async () => {
    const { credentialOfferSessionId: id } = await issuer.makeOffer()
    const authorization = await issuer.authorization()
    const claimed = await issuer.service.request('POST', `/api/v1/offerings/${id}/claim`, { authorization })
    const read = await issuer.service.request('GET', `/api/v1/offerings/${id}`, { client: true })
    const list = await issuer.service.request('GET', '/api/v1/offerings', { client: true })
    expect([claimed.status, read.status]).toEqual([404, 404])
    expect(list.text).not.toContain(id)
  })
})

describe('POST /credential-offers', () => {
  const post = async (members: Record<string, unknown>) =>
    issuer.service.request('POST', '/credential-offers', {
      authorization: await issuer.authorization(),
      body: { credentialConfigurationIds: [JWT_VC], credentialSubject: SUBJECT, ...members },
    })

  it('returns the session, the address of its offer and the offer by value, with a code that is valid for ten minutes', async () => {
    const made = await issuer.makeOffer()
    expect(Object.keys(made).sort()).toEqual(['credentialOffer', 'credentialOfferSessionId', 'credentialOfferUri'])
    expect(made.credentialOfferUri).toBe(
      `openid-credential-offer://?credential_offer_uri=${encodeURIComponent(`${issuer.service.url}/openid4vci/offers/${made.credentialOfferSessionId}`)}`,
    )
    const byReference = (await fetchOffer(made.credentialOfferSessionId)).json
    const { 'pre-authorized_code': code } = made.credentialOffer.grants[PRE_AUTHORIZED]
    byReference.grants[PRE_AUTHORIZED]['pre-authorized_code'] = code
    expect(made.credentialOffer).toEqual(byReference)
    clock.ahead = 570
    const request = { grant_type: PRE_AUTHORIZED, 'pre-authorized_code': code }
    expect((await issuer.requestToken(request)).status).toBe(200)
    clock.ahead = 601
    expect(refusalOf(await issuer.requestToken(request))).toEqual([
      400,
      'invalid_grant',
      'The pre-authorized code is unknown or has expired.',
    ])
    clock.ahead = 0
  })

  it.each(['haip-vci://', 'https://wallet.example/offer?from=shop', 'com.example.wallet:/take'])(
    'begins the address with the walletUrl %s (OpenID4VCI 1.0 §4.1)',
    async (walletUrl) => {
      const { credentialOfferUri, credentialOfferSessionId: id } = await issuer.makeOffer({ walletUrl })
      expect(credentialOfferUri.startsWith(walletUrl)).toBe(true)
      const query = credentialOfferUri.slice(credentialOfferUri.indexOf('?'))
      const reference = `${issuer.service.url}/openid4vci/offers/${id}`
      expect(new URLSearchParams(query).get('credential_offer_uri')).toBe(reference)
    },
  )

  it('describes the transaction code in the offer, and gives the code itself only to the creator', async () => {
    const made = await issuer.makeOffer({ txCode: { input_mode: 'text', length: 8, description: 'By letter' } })
    expect(made.txCode).toMatch(/^[A-HJ-NP-Z2-9]{8}$/)
    expect(made.credentialOffer.grants[PRE_AUTHORIZED].tx_code).toEqual({
      input_mode: 'text',
      length: 8,
      description: 'By letter',
    })
    const offer = await fetchOffer(made.credentialOfferSessionId)
    expect(offer.text).not.toContain(made.txCode)
    const rows = await query(issuer.service.databaseUrl, 'SELECT * FROM credential_offer_sessions WHERE id = $1', [
      made.credentialOfferSessionId,
    ])
    expect(JSON.stringify(rows)).not.toContain(made.txCode)
  })

  it('makes a numeric code of six digits by default', async () => {
    expect((await issuer.makeOffer({ txCode: true })).txCode).toMatch(/^\d{6}$/)
  })

  it.each([
    [{ grants: {} }, 'property grants should not exist'],
    [{ grant: 'authorization_code', txCode: {} }, 'txCode must not be given with grant authorization_code'],
    [{ forSubject: 'someone' }, 'forSubject needs an identity provider at which users can sign in'],
    [{ deferred: 'yes' }, 'deferred must be a boolean'],
    [{ profile: 'draft9' }, 'profile must be one of final, haip, draft15, draft13, draft11'],
    ...[
      'javascript:alert(1)',
      'data:text/html,x',
      'http://wallet.example/',
      'wallet',
      'haip-vci://#x',
      'blob:x',
      ...TWO_READINGS,
    ].map((walletUrl): [Record<string, unknown>, string] => [
      { walletUrl },
      'walletUrl must be an https address or begin with the scheme of an app',
    ]),
    [{ credentialConfigurationIds: [] }, 'credentialConfigurationIds must not be empty'],
    [
      { credentialConfigurationIds: ['Nothing'] },
      'credentialConfigurationIds names Nothing, which is not a credential configuration',
    ],
    [
      { credentialConfigurationIds: [`${JWT_VC}-sd-jwt-legacy`] },
      'credentialConfigurationIds names ProofOfPurchase-sd-jwt-legacy, which is not a credential configuration',
    ],
    [{ credentialConfigurationIds: [JWT_VC, JWT_VC] }, 'credentialConfigurationIds must not repeat itself'],
    [{ credentialSubject: {} }, 'credentialSubject.product must be present'],
    [{ expiresInSeconds: 0 }, 'expiresInSeconds must be at least 1'],
    [{ expiresInSeconds: 2_592_001 }, 'expiresInSeconds must be at most 2592000'],
    [{ txCode: { length: 3 } }, 'txCode.length must be at least 4'],
    [{ txCode: { description: 'x'.repeat(301) } }, 'txCode.description must contain at most 300 characters'],
  ])('refuses %j', async (members: Record<string, unknown>, message) => {
    const answer = await post(members)
    expect([answer.status, answer.json.message]).toEqual([400, [message]])
  })

  it('needs a Bearer token', async () => {
    const body = { credentialConfigurationIds: [JWT_VC], credentialSubject: SUBJECT }
    const answer = await issuer.service.request('POST', '/credential-offers', { body })
    expect(answer.status).toBe(401)
  })
})
