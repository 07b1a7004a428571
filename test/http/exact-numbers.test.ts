import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Answer, startService, type TestService } from '../support/service.js'

let service: TestService
let session: string
let made = 0
beforeAll(async () => {
  service = await startService({ env: { AUTH_DISABLED: 'true' } })
  const schema = '{"name":"Account","version":1,"schema":{"type":"object","properties":{"a":{"type":"number"}}}}'
  expect((await post('/schemas', schema)).status).toBe(201)
  const offer = '{"credentialConfigurationIds":["Account"],"credentialSubject":{"a":1},"deferred":true}'
  session = (await post('/credential-offers', offer)).json.credentialOfferSessionId
})
afterAll(() => service.close())

/** Sends the text unchanged, because JavaScript cannot write such numbers. */
const post = (path: string, body: string): Promise<Answer> =>
  service.request('POST', path, { client: true, body, headers: { 'content-type': 'application/json' } })

const WORDS = 'must be an integer up to 9007199254740991, or a text'
const DCQL = '"dcqlQuery":{"credentials":[{"id":"c","format":"dc+sd-jwt","meta":{"vct_values":["urn:x"]}}]}'
const request = (members: string) => `{${DCQL},${members}}`

/** Each operation with a number: its path, the name of the member in messages, and the body with the number. */
type Door = readonly [door: string, path: string, place: string, bodyOf: (number: string) => string]

const DOORS: readonly Door[] = [
  [
    'transaction data',
    '/authorization-requests',
    'transactionData.0.amount',
    (n) => request(`"transactionData":[{"type":"pay","credential_ids":["c"],"amount":${n}}]`),
  ],
  [
    'transaction data, further down',
    '/authorization-requests',
    'transactionData.1.payees.0.account',
    (n) =>
      request(
        `"transactionData":[{"type":"a","credential_ids":["c"]},{"type":"b","credential_ids":["c"],"payees":[{"account":${n}}]}]`,
      ),
  ],
  [
    'attestations about the verifier',
    '/authorization-requests',
    'verifierInfo.0.data.n',
    (n) => request(`"verifierInfo":[{"format":"jwt","data":{"n":${n}}}]`),
  ],
  [
    'the filter of a request',
    '/authorization-requests',
    'query.0.fields.0.filter.const',
    (n) => `{"query":[{"fields":[{"path":["$.a"],"filter":{"const":${n}}}]}]}`,
  ],
  [
    'the filter of a stored query',
    '/api/v1/verifier/vp-queries',
    'query.0.fields.0.filter.const',
    (n) => `{"query":[{"fields":[{"path":["$.a"],"filter":{"const":${n}}}]}]}`,
  ],
  [
    'a limit in the filter of a stored query',
    '/api/v1/verifier/vp-queries',
    'query.0.fields.0.filter.maximum',
    (n) => `{"query":[{"fields":[{"path":["$.a"],"filter":{"type":"number","maximum":${n}}}]}]}`,
  ],
  [
    'a list in the filter of a stored query',
    '/api/v1/verifier/vp-queries',
    'query.0.fields.0.filter.enum.1',
    (n) => `{"query":[{"fields":[{"path":["$.a"],"filter":{"enum":[1,${n}]}}]}]}`,
  ],
  [
    'a schema',
    '/schemas',
    'schema.properties.a.examples.0',
    (n) => `{"name":"Other${++made}","version":1,"schema":{"properties":{"a":{"examples":[${n}]}}}}`,
  ],
]

/** The same operations as above, called with the typed client. */
const TYPED = new Map([
  ['/authorization-requests', 'authorizationRequests.create'],
  ['/api/v1/verifier/vp-queries', 'vpQueries.create'],
  ['/schemas', 'schemas.create'],
])
const ALL_DOORS: readonly Door[] = [
  ...DOORS,
  ...DOORS.map(
    ([door, path, place, bodyOf]): Door => [
      `${door}, by the typed client`,
      `/trpc/${TYPED.get(path)}`,
      place,
      (n) => `{"json":${bodyOf(n)}}`,
    ],
  ),
]

describe.each(ALL_DOORS)(
  'numbers that JSON readers change are refused with their path (RFC 7493 §2.2): %s',
  (_, path, place, bodyOf) => {
    const refusal = async (number: string) => {
      const { status, json } = await post(path, bodyOf(number))
      return [status, json.message ?? json.error.json.data.messages]
    }

    it.each(['9007199254740993', '-9007199254740992', '18446744073709551615'])('%s', async (number) => {
      expect(await refusal(number)).toEqual([400, [`${place} ${WORDS}`]])
    })

    it('1e400, which readers turn into infinity', async () => {
      const named = expect.stringMatching(/ must be (a JSON value|an integer up to 9007199254740991, or a text)$/)
      expect(await refusal('1e400')).toEqual([400, [named]])
      expect(String((await refusal('1e400'))[1])).toContain(`${place} must be`)
    })

    it('and the largest integer that all readers know is accepted', async () => {
      const { status, text } = await post(path, bodyOf('9007199254740991'))
      expect([200, 201], text.slice(0, 300)).toContain(status)
    })
  },
)

describe('numbers that JSON readers change elsewhere', () => {
  it('in the correction of a deferred offer', async () => {
    const path = `/credential-offer-sessions/${session}/approve`
    const { status, json } = await post(path, '{"credentialSubject":{"a":9007199254740993}}')
    expect([status, json.message]).toEqual([400, [`credentialSubject.a ${WORDS}`]])
  })

  it('are reported after the refusals of the contract, whose messages stay the same', async () => {
    const { status, json } = await post('/authorization-requests', request('"validity":9007199254740993'))
    expect([status, json.message]).toEqual([400, ['validity must be at most 86400']])
  })

  it('of requests of wallets (OpenID4VCI §8.2) are ignored like all unknown members', async () => {
    const { json } = await post('/openid4vci/credential', '{"credential_configuration_id":"Account","x":1e400}')
    expect(JSON.stringify(json)).not.toContain(WORDS)
  })
})
