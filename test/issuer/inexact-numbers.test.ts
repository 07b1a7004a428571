import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type OpenidProvider, startOpenidProvider } from '../support/openid-provider.js'
import { query } from '../support/postgres.js'
import type { Answer } from '../support/service.js'
import { type Issuer, startIssuer } from './openid4vci/actors.js'
import { newBrowser, openPage, responseOf } from './openid4vci/browser.js'
import { newRequest, signedIn } from './openid4vci/sign-in-actors.js'

const SCHEMA = {
  type: 'object',
  properties: {
    account: { type: 'number' },
    list: { type: 'array', items: { type: 'number' } },
    person: { type: 'object', properties: { number: { type: 'integer' } } },
  },
}

let issuer: Issuer
beforeAll(async () => {
  issuer = await startIssuer({ env: { AUTH_DISABLED: 'true' } })
  expect((await json('/schemas', `{"name":"Account","version":1,"schema":${JSON.stringify(SCHEMA)}}`)).status).toBe(201)
})
afterAll(() => issuer.service.close())

/** Sends the text unchanged, because JavaScript cannot write such numbers. */
const json = (path: string, body: string): Promise<Answer> =>
  issuer.service.request('POST', path, { client: true, body, headers: { 'content-type': 'application/json' } })

const WORDS = 'must be an integer up to 9007199254740991, or a text'

/** Every operation that receives claims as JSON: its name in this test, its path, its member for the claims, and a body. */
const DOORS: readonly (readonly [string, string, string, (subject: string) => string])[] = [
  [
    'an offering',
    '/api/v1/offerings',
    'credential_subject',
    (s) => `{"credential_type":"Account","credential_subject":${s}}`,
  ],
  [
    'an offer',
    '/credential-offers',
    'credentialSubject',
    (s) => `{"credentialConfigurationIds":["Account"],"credentialSubject":${s}}`,
  ],
  [
    'a standalone credential',
    '/api/v1/credentials',
    'credential_subject',
    (s) => `{"type":"Account","credential_subject":${s}}`,
  ],
  [
    'direct signing',
    '/credentials/sign',
    'credential_subject',
    (s) => `{"type":"Account","format":"dc+sd-jwt","credential_subject":${s}}`,
  ],
]

/** The same operations as above, with the requests that the typed client sends. */
const TYPED_DOORS: typeof DOORS = [
  ['an offering', 'offerings.create'],
  ['an offer', 'credentialOffers.create'],
  ['a standalone credential', 'credentials.create'],
  ['direct signing', 'credentials.sign'],
].map(([door = '', procedure = '']) => {
  const [, , member = '', bodyOf = String] = DOORS.find(([name]) => name === door) ?? []
  return [`${door}, by the typed client`, `/trpc/${procedure}`, member, (s) => `{"json":${bodyOf(s)}}`]
})

const textOf = ({ text }: Answer): string => text

describe.each([...DOORS, ...TYPED_DOORS])(
  'integers beyond 2^53 in claims are refused by name, because readers round them (RFC 7493 §2.2): %s',
  (_, path, member, bodyOf) => {
    it.each([
      ['{"account":9007199254740993}', 'account'],
      ['{"account":9007199254740992}', 'account'],
      ['{"account":-9007199254740993}', 'account'],
      ['{"account":1e400}', 'account'],
      ['{"account":-1E400}', 'account'],
      ['{"account":123456789012345678901234567890}', 'account'],
      ['{"account":9007199254740993.0}', 'account'],
      ['{"account":90071992547409930e-1}', 'account'],
      ['{"list":[1,2,18446744073709551615]}', 'list.2'],
      ['{"person":{"number":1e17}}', 'person.number'],
      ['{"undeclared":9007199254740993}', 'undeclared'],
    ])('%s', async (subject, place) => {
      const answer = await json(path, bodyOf(subject))
      expect(answer.status, answer.text.slice(0, 300)).toBe(400)
      expect(textOf(answer)).toContain(`${member}.${place} ${WORDS}`)
    })

    it.each([
      '{"account":9007199254740991}',
      '{"account":-9007199254740991}',
      '{"account":-0}',
      '{"account":1e3}',
      '{"account":0.1234567890123456789012345678901234567890}',
      '{"account":1e-400}',
      '{"account":1.5}',
      '{"undeclared":"9007199254740993"}',
    ])('%s is accepted as before', async (subject) => {
      const answer = await json(path, bodyOf(subject))
      expect([200, 201], answer.text.slice(0, 300)).toContain(answer.status)
    })
  },
)

describe('integers beyond 2^53 elsewhere', () => {
  it.each([
    ['REST', (session: string) => `/credential-offer-sessions/${session}/approve`, (_: string, body: string) => body],
    [
      'the typed client',
      () => '/trpc/credentialOffers.approve',
      (session: string, body: string) => `{"json":{"id":"${session}",${body.slice(1)}}`,
    ],
  ])('in a correction of a deferred offer, by %s', async (_, pathOf, bodyOf) => {
    const { json: offer } = await json(
      '/credential-offers',
      '{"credentialConfigurationIds":["Account"],"credentialSubject":{"account":1},"deferred":true}',
    )
    const session = offer.credentialOfferSessionId
    await issuer.take(await issuer.token(session), 'Account')
    const approve = (account: string) =>
      json(pathOf(session), bodyOf(session, `{"credentialSubject":{"account":${account}}}`))
    const answer = await approve('9007199254740993')
    expect([answer.status, textOf(answer)]).toEqual([
      400,
      expect.stringContaining(`credentialSubject.account ${WORDS}`),
    ])
    expect((await approve('2')).status).toBe(200)
  })

  it.each([
    ['REST', '/api/v1/credential-offers/batch', (body: string) => body],
    ['the typed client', '/trpc/credentialOffers.createMany', (body: string) => `{"json":${body}}`],
  ])('in a row of a batch of offers, by %s', async (door, path, bodyOf) => {
    const row = (account: string) =>
      `{"key":"${door} ${account}","credentialConfigurationIds":["Account"],"credentialSubject":{"account":${account}}}`
    const batch = (account: string) => json(path, bodyOf(`{"rows":[${row('1')},${row(account)}]}`))
    const answer = await batch('9007199254740993')
    expect([answer.status, textOf(answer)]).toEqual([
      400,
      expect.stringContaining(`rows.1.credentialSubject.account ${WORDS}`),
    ])
    expect((await batch('2')).status).toBe(200)
  })

  it.each([
    ['a number', { '/account': '9007199254740993' }],
    ['an integer of a group', { '/person/number': '-1e17' }],
    ['a line', { '/list': '1\r\n18446744073709551615' }],
  ])('in the form of the local admin: %s', async (_, filled) => {
    const browser = newBrowser(issuer.service)
    const { id, page } = await openPage(browser, newRequest({ scope: 'Account' }).address)
    const answer = await browser.decide(page, id, 'accept', filled)
    expect(answer.status).toBe(400)
    expect(answer.text).toContain(WORDS)
    const rows = await query(issuer.service.databaseUrl, 'SELECT state FROM authorizations WHERE id = $1', [id])
    expect(rows).toEqual([{ state: 'SignedIn' }])
  })

  it.each([
    ['{"properties":{"a":{"const":9007199254740993}}}', 'properties.a.const'],
    ['{"properties":{"a":{"enum":[1,9007199254740993]}}}', 'properties.a.enum.1'],
    ['{"properties":{"a":{"maximum":18446744073709551615}}}', 'properties.a.maximum'],
    ['{"properties":{"a":{"minimum":-1e20}}}', 'properties.a.minimum'],
    ['{"properties":{"a":{"multipleOf":1e300}}}', 'properties.a.multipleOf'],
    ['{"properties":{"a":{"exclusiveMaximum":1e400}}}', 'properties.a.exclusiveMaximum'],
  ])('in a schema, where it would apply to other claims than the author wrote: %s', async (schema, place) => {
    const answer = await json('/schemas', `{"name":"Rounded","version":1,"schema":${schema}}`)
    expect([answer.status, answer.json.message]).toEqual([400, [`schema.${place} ${WORDS}`]])
  })
})

describe('integers beyond 2^53 in the claims of the identity provider (claimsFrom)', () => {
  let provider: OpenidProvider
  let signing: Issuer
  beforeAll(async () => {
    provider = await startOpenidProvider()
    const env = { ...provider.env(), KEY_ENCRYPTION_KEY: Buffer.alloc(32, 9).toString('base64url') }
    signing = await startIssuer({ env })
    await provider.register(signing.service.url)
    const claimsFrom = { account: '/birthdate', list: '/secret', person: '/address' }
    const body = { name: 'Account', version: 1, schema: SCHEMA, claimsFrom }
    const authorization = await signing.authorization()
    expect((await signing.service.request('POST', '/schemas', { authorization, body })).status).toBe(201)
  })
  afterAll(async () => {
    await signing.service.close()
    await provider.close()
  })

  const open = (claims: Record<string, unknown>) => {
    provider.user = { sub: 'alice', name: 'Alice', ...claims }
    return signedIn(signing, provider, newRequest({ scope: 'Account' }).address)
  }

  it.each([{ birthdate: 2 ** 53 }, { birthdate: -(2 ** 60) }, { secret: [1, 2 ** 64] }, { address: { number: 1e17 } }])(
    'make no credential, and nothing is stored: %j',
    async (claims) => {
      const { id, page } = await open(claims)
      expect(responseOf(page)).toMatchObject({ error: 'access_denied' })
      const rows = await query(
        signing.service.databaseUrl,
        'SELECT state, user_claims FROM authorizations WHERE id = $1',
        [id],
      )
      expect(rows).toEqual([{ state: 'Denied', user_claims: null }])
    },
  )

  it('and the largest integer that all readers know is accepted', async () => {
    const { page } = await open({ birthdate: Number.MAX_SAFE_INTEGER, secret: [1], address: { number: -7 } })
    expect([page.status, page.text]).toEqual([200, expect.stringContaining('9007199254740991')])
  })
})
