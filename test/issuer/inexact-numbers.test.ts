import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { query } from '../support/postgres.js'
import type { Answer } from '../support/service.js'
import { type Issuer, startIssuer } from './openid4vci/actors.js'
import { newBrowser, openPage } from './openid4vci/browser.js'
import { newRequest } from './openid4vci/sign-in-actors.js'

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

/** Sends the very text, since JavaScript cannot write such numbers. */
const json = (path: string, body: string): Promise<Answer> =>
  issuer.service.request('POST', path, { client: true, body, headers: { 'content-type': 'application/json' } })

const WORDS = 'must be an integer up to 9007199254740991, or a text'

/** Every door through which claims come as JSON, and what it calls them. */
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
  [
    'the typed client',
    '/trpc/credentials.create',
    'credential_subject',
    (s) => `{"json":{"type":"Account","credential_subject":${s}}}`,
  ],
]

const textOf = ({ text }: Answer): string => text

describe.each(DOORS)(
  'integers beyond 2^53 in claims are refused by name, since readers round them (RFC 7493 §2.2): %s',
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
    ])('%s is as good as ever', async (subject) => {
      const answer = await json(path, bodyOf(subject))
      expect([200, 201], answer.text.slice(0, 300)).toContain(answer.status)
    })
  },
)

describe('integers beyond 2^53 elsewhere', () => {
  it('in a correction of a deferred offer', async () => {
    const { json: offer } = await json(
      '/credential-offers',
      '{"credentialConfigurationIds":["Account"],"credentialSubject":{"account":1},"deferred":true}',
    )
    const session = offer.credentialOfferSessionId
    await issuer.take(await issuer.token(session), 'Account')
    const path = `/credential-offer-sessions/${session}/approve`
    const answer = await json(path, '{"credentialSubject":{"account":9007199254740993}}')
    expect([answer.status, answer.json.message]).toEqual([400, [`credentialSubject.account ${WORDS}`]])
    expect((await json(path, '{"credentialSubject":{"account":2}}')).status).toBe(200)
  })

  it('in a row of a batch of offers', async () => {
    const row = (account: string) =>
      `{"key":"a${account}","credentialConfigurationIds":["Account"],"credentialSubject":{"account":${account}}}`
    const batch = (account: string) => json('/api/v1/credential-offers/batch', `{"rows":[${row('1')},${row(account)}]}`)
    const answer = await batch('9007199254740993')
    expect([answer.status, answer.json.message]).toEqual([400, [`rows.1.credentialSubject.account ${WORDS}`]])
    expect((await batch('2')).status).toBe(200)
  })

  it('in the form of the local admin', async () => {
    const browser = newBrowser(issuer.service)
    const { id, page } = await openPage(browser, newRequest({ scope: 'Account' }).address)
    const answer = await browser.decide(page, id, 'accept', { '/account': '9007199254740993' })
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
  ])('in a schema, where it would decide other claims than were written: %s', async (schema, place) => {
    const answer = await json('/schemas', `{"name":"Rounded","version":1,"schema":${schema}}`)
    expect([answer.status, answer.json.message]).toEqual([400, [`schema.${place} ${WORDS}`]])
  })
})
