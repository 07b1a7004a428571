import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { type OpenidProvider, startOpenidProvider } from '../../support/openid-provider.js'
import { query } from '../../support/postgres.js'
import { credentialOf, type Issuer, movingClock, payloadOf, startIssuer } from './actors.js'
import { responseOf } from './browser.js'
import { newRequest, redeem, signedIn } from './sign-in-actors.js'

const KEY = Buffer.alloc(32, 9).toString('base64url')
const SCHEMA = {
  name: 'Person',
  version: 1,
  schema: {
    type: 'object',
    properties: {
      givenName: { type: 'string', title: 'Given name' },
      city: { type: 'string' },
      birthDate: { type: 'string', format: 'date' },
    },
    required: ['givenName'],
    additionalProperties: false,
  },
  claimsFrom: { givenName: '/given_name', city: '/address/locality', birthDate: '/birthdate' },
}
const ALICE = {
  sub: 'alice',
  name: 'Alice Liddell',
  given_name: 'Alice',
  address: { locality: 'Oxford' },
  secret: 'kept from the credential',
}

const clock = movingClock()
let provider: OpenidProvider
let issuer: Issuer
beforeAll(async () => {
  provider = await startOpenidProvider()
  issuer = await startIssuer({ env: { ...provider.env(), KEY_ENCRYPTION_KEY: KEY }, clock: clock.now })
  await provider.register(issuer.service.url)
  expect((await post(SCHEMA)).status).toBe(201)
  provider.user = ALICE
})
afterEach(() => {
  provider.user = ALICE
  clock.ahead = 0
})
afterAll(async () => {
  await issuer.service.close()
  await provider.close()
})

const post = async (body: unknown) =>
  issuer.service.request('POST', '/schemas', { authorization: await issuer.authorization(), body })
const rows = (text: string, ...values: unknown[]) => query(issuer.service.databaseUrl, text, values)
const byScope = () => newRequest({ scope: 'Person-sd-jwt' })
const open = (address: string) => signedIn(issuer, provider, address)

describe('claimsFrom of a schema', () => {
  it('is stored with the schema', async () => {
    const created = await post({ ...SCHEMA, name: 'PersonKept' })
    expect(created.json.claimsFrom).toEqual(SCHEMA.claimsFrom)
    const { json } = await issuer.service.request('GET', `/schemas/${created.json.id}`, {
      authorization: await issuer.authorization(),
    })
    expect(json.claimsFrom).toEqual(SCHEMA.claimsFrom)
  })

  it.each([
    [{ givenName: 'given_name' }, ['claimsFrom.givenName must be a JSON pointer such as /given_name']],
    [{ givenName: '/given~2name' }, ['claimsFrom.givenName must be a JSON pointer such as /given_name']],
    [{ givenName: '' }, ['claimsFrom.givenName must be a JSON pointer such as /given_name']],
    [{ surname: '/family_name' }, ['claimsFrom.surname must be a property of the schema']],
    [{}, ['claimsFrom must name a claim']],
  ])('is refused as %o', async (claimsFrom, messages) => {
    const { status, json } = await post({ ...SCHEMA, name: 'PersonRefused', claimsFrom })
    expect([status, json.message]).toEqual([400, messages])
  })
})

describe('a credential of the identity provider’s claims about the user', () => {
  it('is shown, and after consent is made from exactly the claims that the schema names', async () => {
    const { address, verifier } = byScope()
    const { browser, id, page } = await open(address)
    expect(page.status, page.text).toBe(200)
    for (const shown of ['Alice Liddell', 'Given name', 'Alice', 'Oxford']) expect(page.text).toContain(shown)
    expect(page.text).not.toContain('kept from')
    const [before] = await rows('SELECT user_claims FROM authorizations WHERE id = $1', id)
    expect(before?.user_claims).toMatch(/^ey/)
    expect(await rows('SELECT id FROM offerings WHERE of_authorization')).toEqual([])

    const { code = '' } = responseOf(await browser.decide(page, id, 'accept'))
    const [after] = await rows('SELECT user_claims FROM authorizations WHERE id = $1', id)
    expect(after?.user_claims).toBeNull()
    const token = await redeem(issuer, code, verifier)
    expect(token.json.scope).toBe('Person-sd-jwt')
    const answer = await issuer.take(token.json.access_token, 'Person-sd-jwt')
    const disclosed = credentialOf(answer).split('~').slice(1, -1)
    const claims = disclosed.map((text) => JSON.parse(Buffer.from(text, 'base64url').toString()).slice(1))
    expect(Object.fromEntries(claims)).toEqual({ givenName: 'Alice', city: 'Oxford' })
    expect(payloadOf(credentialOf(answer).split('~')[0] ?? '').vct).toContain('/vct/Person')
    // The same authorization gives the same record again, without another redemption.
    expect((await issuer.take(token.json.access_token, 'Person-sd-jwt')).status).toBe(200)
    const [offering] = await rows('SELECT id, redemption_count, for_subject FROM offerings WHERE of_authorization')
    expect(offering).toMatchObject({ redemption_count: 1, for_subject: 'alice' })
    const audit = await rows(
      'SELECT actor, action FROM audit_events WHERE subject_id = $1 ORDER BY action',
      offering?.id,
    )
    expect(audit).toEqual([
      { actor: 'alice', action: 'authorization.granted' },
      { actor: 'alice', action: 'offering.created' },
    ])
  })

  it('is private: REST does not show it, it has no page, and no other request finds it', async () => {
    provider.user = { ...ALICE, sub: 'carol', given_name: 'Carol' }
    const { browser, id, page: consent } = await open(byScope().address)
    responseOf(await browser.decide(consent, id, 'accept'))
    const [made] = await rows("SELECT id FROM offerings WHERE of_authorization AND for_subject = 'carol'")
    const at = `/api/v1/offerings/${made?.id}`
    expect((await issuer.service.request('GET', at, { client: true })).status).toBe(404)
    const claim = { authorization: await issuer.service.bearer('carol') }
    expect((await issuer.service.request('POST', `${at}/claim`, claim)).status).toBe(404)
    const page = await issuer.service.request('POST', '/pages', { ...claim, body: { offeringId: made?.id } })
    expect([page.status, page.json.message]).toEqual([404, 'offeringId is unknown.'])
    const { json } = await issuer.service.request('GET', '/api/v1/offerings', { client: true })
    expect(JSON.stringify(json)).not.toContain(String(made?.id))
    provider.user = { ...ALICE, sub: 'carol', given_name: 'Caroline' }
    expect((await open(byScope().address)).page.text).toContain('Caroline')
  })

  it('is denied if the schema does not accept the claims of the provider, and no record stays', async () => {
    const before = await rows('SELECT id FROM offerings')
    const unstorable = [{ given_name: 'Al\0ice' }, { given_name: '\ud800' }, { address: { locality: 'Ox\udc00ford' } }]
    const unfit = [{ birthdate: 'long ago' }, { given_name: 7 }, ...unstorable]
    for (const user of [{ sub: 'alice' }, ...unfit.map((claims) => ({ ...ALICE, ...claims }))]) {
      provider.user = user
      const { id, page } = await open(byScope().address)
      expect(responseOf(page)).toMatchObject({
        error: 'access_denied',
        error_description: 'The known claims of the user are not enough for this credential.',
      })
      const [row] = await rows('SELECT state, user_claims FROM authorizations WHERE id = $1', id)
      expect(row).toEqual({ state: 'Denied', user_claims: null })
    }
    expect(await rows('SELECT id FROM offerings')).toEqual(before)
  })

  it('is made only if there is no offer for the user', async () => {
    await issuer.makeOffer({
      credentialConfigurationIds: ['Person-sd-jwt'],
      credentialSubject: { givenName: 'Of the offer' },
      grant: 'authorization_code',
      forSubject: 'dora',
    })
    provider.user = { ...ALICE, sub: 'dora' }
    expect((await open(byScope().address)).page.text).toContain('Of the offer')
  })

  it('contains no claims that the wallet sends', async () => {
    const sent = [
      {
        type: 'openid_credential',
        credential_configuration_id: 'Person-sd-jwt',
        claims: [{ path: ['givenName'], value: 'Mallory', mandatory: true }],
        credentialSubject: { givenName: 'Mallory' },
      },
    ]
    const claims = { claims: JSON.stringify({ givenName: 'Mallory' }), givenName: 'Mallory', '/givenName': 'Mallory' }
    const { address, verifier } = newRequest({ scope: '', authorization_details: JSON.stringify(sent), ...claims })
    const { browser, id, page } = await open(address)
    expect(page.text).not.toContain('Mallory')
    const { code = '' } = responseOf(await browser.decide(page, id, 'accept', claims))
    const token = await redeem(issuer, code, verifier)
    const answer = await issuer.requestCredential(token.json.access_token, {})
    expect(answer.status).toBe(400)
    const [made] = await rows(
      `SELECT o.id, o.credential_subject, k.wrapped FROM offerings o JOIN authorizations a ON a.offering_id = o.id
       JOIN content_keys k ON k.row_id = o.id WHERE a.id = $1`,
      id,
    )
    const place = { column: 'offerings.credential_subject', id: made?.id } as const
    const claimsAtRest = issuer.service.platform.claims
    expect(claimsAtRest.reveal(place, made?.credential_subject, made?.wrapped)).toEqual({
      givenName: 'Alice',
      city: 'Oxford',
    })
  })

  it('is not made from another version than the page showed', async () => {
    const named = { ...SCHEMA, name: 'PersonVersioned' }
    await post(named)
    const { browser, id, page } = await open(newRequest({ scope: 'PersonVersioned' }).address)
    await post({ ...named, version: 2 })
    expect(responseOf(await browser.decide(page, id, 'accept'))).toMatchObject({
      error: 'access_denied',
      error_description: 'The credential is not issued any more.',
    })
  })

  it('is removed with its authorization if it was not redeemed', async () => {
    provider.user = { ...ALICE, sub: 'erin' }
    const { browser, id, page } = await open(byScope().address)
    responseOf(await browser.decide(page, id, 'accept'))
    const { authorizations } = issuer.service.platform.stores
    await authorizations.removeExpired(new Date(Date.now() + 3_600_000), 1_000)
    expect(await rows('SELECT id FROM authorizations WHERE id = $1', id)).toEqual([])
    expect(await rows("SELECT id FROM offerings WHERE of_authorization AND for_subject = 'erin'")).toEqual([])
    expect(await rows('SELECT id FROM offerings WHERE of_authorization AND redemption_count = 1')).not.toEqual([])
  })
})
