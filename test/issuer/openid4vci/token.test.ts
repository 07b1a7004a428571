import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { query } from '../../support/postgres.js'
import { type Issuer, JWT_VC, movingClock, PRE_AUTHORIZED, refusalOf, SD_JWT, startIssuer } from './actors.js'

const clock = movingClock()
let issuer: Issuer

beforeAll(async () => {
  issuer = await startIssuer({ clock: clock.now })
})
afterAll(() => issuer.service.close())

const grantOf = (code: string, more: Record<string, string> = {}) => ({
  grant_type: PRE_AUTHORIZED,
  'pre-authorized_code': code,
  ...more,
})
const newOffer = async (members?: Record<string, unknown>) => {
  const made = await issuer.makeOffer(members)
  return { id: made.credentialOfferSessionId as string, txCode: made.txCode as string }
}
const attemptsOf = async (id: string) => {
  const [row] = await query<{ attempts: number }>(
    issuer.service.databaseUrl,
    'SELECT tx_code_attempts AS attempts FROM credential_offer_sessions WHERE id = $1',
    [id],
  )
  return row?.attempts
}
const details = (...ids: string[]) => ids.map((id) => ({ type: 'openid_credential', credential_configuration_id: id }))

describe('the token endpoint (OpenID4VCI 1.0 §6)', () => {
  it('gives a Bearer token of five minutes, without members of drafts', async () => {
    const answer = await issuer.requestToken(grantOf(await issuer.code((await newOffer()).id)))
    expect(answer.status).toBe(200)
    expect(answer.headers.get('cache-control')).toBe('no-store')
    expect(answer.headers.get('content-type')).toBe('application/json')
    expect(answer.json).toEqual({
      access_token: expect.stringMatching(/^[\w-]{43}$/),
      token_type: 'Bearer',
      expires_in: 300,
    })
  })

  it('ignores unknown parameters, and the whole query (§6.1)', async () => {
    const code = await issuer.code((await newOffer()).id)
    const answer = await issuer.requestToken(
      grantOf(code, { client_id: 'wallet', resource: issuer.service.url, scope: 'x', user_pin: '1' }),
    )
    expect([answer.status, answer.json.token_type]).toEqual([200, 'Bearer'])
    const inQuery = await issuer.service.request('POST', `/openid4vci/token?${new URLSearchParams(grantOf(code))}`)
    expect(refusalOf(inQuery)).toEqual([400, 'invalid_request', 'grant_type is missing.'])
  })

  it('stores no token and no code that could be used', async () => {
    const { id } = await newOffer()
    const token = await issuer.token(id)
    const rows = await query(issuer.service.databaseUrl, 'SELECT * FROM issuance_tokens WHERE offering_id = $1', [id])
    expect(rows).toHaveLength(1)
    expect(JSON.stringify(rows)).not.toContain(token)
  })

  it.each([
    ['no grant_type', 'pre-authorized_code=x', 'invalid_request', 'grant_type is missing.'],
    ['a grant_type without a value', 'grant_type=&pre-authorized_code=x', 'invalid_request', 'grant_type is missing.'],
    [
      'another grant',
      'grant_type=password&username=x',
      'unsupported_grant_type',
      `The grant_type is not supported; use authorization_code, ${PRE_AUTHORIZED}, refresh_token.`,
    ],
    ['no code', `grant_type=${PRE_AUTHORIZED}`, 'invalid_request', 'pre-authorized_code is missing.'],
    [
      'a repeated parameter (RFC 6749 §3.2)',
      `grant_type=${PRE_AUTHORIZED}&pre-authorized_code=x&pre-authorized_code=y`,
      'invalid_request',
      'Parameter pre-authorized_code is given more than once.',
    ],
    [
      'a code that was never issued',
      `grant_type=${PRE_AUTHORIZED}&pre-authorized_code=x`,
      'invalid_grant',
      'The pre-authorized code is unknown or has expired.',
    ],
  ])('refuses %s', async (_, form, error, description) => {
    const answer = await issuer.requestToken(form)
    expect(refusalOf(answer)).toEqual([400, error, description])
    expect(Object.keys(answer.json)).toEqual(['error', 'error_description'])
    expect(answer.headers.get('cache-control')).toBe('no-store')
    expect(answer.headers.get('content-type')).toBe('application/json')
  })

  it('accepts only a form (RFC 6749 §4.1.3)', async () => {
    const body = grantOf(await issuer.code((await newOffer()).id))
    const answer = await issuer.service.request('POST', '/openid4vci/token', { body })
    expect(refusalOf(answer)).toEqual([415, 'invalid_request', 'Content type application/json is not supported.'])
    expect((await issuer.requestToken(body)).status).toBe(200)
  })

  it('accepts no other sealed value: a nonce is not a code', async () => {
    const answer = await issuer.requestToken(grantOf(await issuer.nonce()))
    expect(answer.json.error).toBe('invalid_grant')
  })
})

describe('a pre-authorized code', () => {
  it('is valid once', async () => {
    const code = await issuer.code((await newOffer()).id)
    expect((await issuer.requestToken(grantOf(code))).status).toBe(200)
    expect(refusalOf(await issuer.requestToken(grantOf(code)))).toEqual([
      400,
      'invalid_grant',
      'The pre-authorized code has been used already.',
    ])
  })

  it('is valid once, also if 20 requests use it at the same time', async () => {
    const { id } = await issuer.makeOffering()
    const code = await issuer.code(id)
    const answers = await Promise.all(Array.from({ length: 20 }, () => issuer.requestToken(grantOf(code))))
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(19).fill(400)])
  })

  it('of an offer that expired meanwhile, or was used up, is no longer valid', async () => {
    const expiring = await newOffer({ expiresInSeconds: 60 })
    const code = await issuer.code(expiring.id)
    clock.ahead = 60
    expect(refusalOf(await issuer.requestToken(grantOf(code)))).toEqual([
      400,
      'invalid_grant',
      'The credential offer has expired.',
    ])
    clock.ahead = 0
    const used = await newOffer()
    const late = await issuer.code(used.id)
    expect((await issuer.take(await issuer.token(used.id), JWT_VC)).status).toBe(200)
    const before = await issuer.session(used.id)
    expect(refusalOf(await issuer.requestToken(grantOf(late)))).toEqual([
      400,
      'invalid_grant',
      'The credential offer has been used up.',
    ])
    expect(await issuer.session(used.id)).toEqual(before)
  })
})

describe('authorization_details (§6.1.1, §6.2, RFC 9396)', () => {
  it('restrict the offer; the answer names the allowed credentials', async () => {
    const code = await issuer.code((await newOffer()).id)
    const answer = await issuer.requestToken(grantOf(code, { authorization_details: JSON.stringify(details(SD_JWT)) }))
    expect(answer.json.authorization_details).toEqual([
      { type: 'openid_credential', credential_configuration_id: SD_JWT, credential_identifiers: [SD_JWT] },
    ])
  })

  it.each([
    ['not json', 'authorization_details must be a JSON array of openid_credential objects.'],
    ['[]', 'authorization_details must be a JSON array of openid_credential objects.'],
    ['[{"type":"payment"}]', 'authorization_details must be a JSON array of openid_credential objects.'],
    [JSON.stringify(details('Other')), 'authorization_details name Other, which is not offered.'],
    [
      JSON.stringify([{ ...details(JWT_VC)[0], locations: ['https://other.example'] }]),
      'The locations of authorization_details must hold the credential issuer identifier.',
    ],
  ])('are refused if they are wrong, and the code stays valid: %s', async (sent, description) => {
    const code = await issuer.code((await newOffer()).id)
    const answer = await issuer.requestToken(grantOf(code, { authorization_details: sent }))
    expect(refusalOf(answer)).toEqual([400, 'invalid_authorization_details', description])
    const locations = [issuer.service.url]
    const again = grantOf(code, { authorization_details: JSON.stringify([{ ...details(JWT_VC)[0], locations }]) })
    expect((await issuer.requestToken(again)).status).toBe(200)
  })

  it('without a value count as not sent', async () => {
    const code = await issuer.code((await newOffer()).id)
    const answer = await issuer.requestToken(grantOf(code, { authorization_details: '', tx_code: '' }))
    expect([answer.status, answer.json.authorization_details]).toEqual([200, undefined])
  })
})

describe('a transaction code (§6.3)', () => {
  const wrong = 'wrong!'

  it('that is right is accepted after any number of fetches of the offer, and costs no attempt', async () => {
    const { id, txCode } = await newOffer({ txCode: true })
    for (let time = 0; time < 6; time += 1) expect(await issuer.token(id, { tx_code: txCode })).toHaveLength(43)
    expect(await attemptsOf(id)).toBe(0)
  })

  it('that is missing is an invalid request, and costs neither attempt nor code', async () => {
    const { id, txCode } = await newOffer({ txCode: true })
    const code = await issuer.code(id)
    for (const form of [grantOf(code), grantOf(code, { tx_code: '' })]) {
      expect(refusalOf(await issuer.requestToken(form))).toEqual([400, 'invalid_request', 'tx_code is missing.'])
    }
    expect(await attemptsOf(id)).toBe(0)
    expect((await issuer.requestToken(grantOf(code, { tx_code: txCode }))).status).toBe(200)
  })

  it('that the offer does not require is an invalid request', async () => {
    for (const id of [(await newOffer()).id, (await issuer.makeOffering()).id]) {
      const answer = await issuer.requestToken(grantOf(await issuer.code(id), { tx_code: '123456' }))
      expect(refusalOf(answer)).toEqual([400, 'invalid_request', 'tx_code is not expected for this offer.'])
    }
  })

  it('that is wrong gives the number of attempts left; a new fetch of the offer does not reset the number', async () => {
    const { id, txCode } = await newOffer({ txCode: true })
    for (const left of [4, 3, 2, 1]) {
      const answer = await issuer.requestToken(grantOf(await issuer.code(id), { tx_code: wrong }))
      expect(refusalOf(answer)).toEqual([
        400,
        'invalid_grant',
        `The transaction code is wrong. Attempts left: ${left}.`,
      ])
    }
    expect(await issuer.token(id, { tx_code: txCode })).toHaveLength(43)
  })

  it('that is wrong five times is locked: the session ends, and the right code is no longer accepted', async () => {
    const locked = 'The transaction code is locked after 5 wrong attempts.'
    const { id, txCode } = await newOffer({ txCode: true })
    const code = await issuer.code(id)
    for (let attempt = 0; attempt < 4; attempt += 1) await issuer.requestToken(grantOf(code, { tx_code: wrong }))
    expect(refusalOf(await issuer.requestToken(grantOf(code, { tx_code: wrong })))).toEqual([
      400,
      'invalid_grant',
      locked,
    ])
    expect(await issuer.session(id)).toMatchObject({ state: 'Error', errorMessage: locked })
    expect(refusalOf(await issuer.requestToken(grantOf(code, { tx_code: txCode })))).toEqual([
      400,
      'invalid_grant',
      locked,
    ])
    expect(refusalOf(await issuer.service.request('GET', `/openid4vci/offers/${id}`))).toEqual([
      400,
      'invalid_request',
      locked,
    ])
  })

  it('that is guessed 50 times at once counts only five guesses', async () => {
    const { id, txCode } = await newOffer({ txCode: true })
    const code = await issuer.code(id)
    const guesses = Array.from({ length: 50 }, (_, guess) => `guess-${guess}`)
    const answers = await Promise.all(guesses.map((guess) => issuer.requestToken(grantOf(code, { tx_code: guess }))))
    const told = answers.map(({ json }) => json.error_description)
    for (const left of [1, 2, 3, 4]) {
      expect(told.filter((text) => text.endsWith(`Attempts left: ${left}.`))).toHaveLength(1)
    }
    expect(told.filter((text) => text.includes('is locked'))).toHaveLength(46)
    expect(await attemptsOf(id)).toBe(5)
    expect((await issuer.requestToken(grantOf(code, { tx_code: txCode }))).json.error).toBe('invalid_grant')
    const events = await issuer.events(id)
    expect(events.map(({ seq, data }) => ({ seq, state: data.state }))).toEqual([
      { seq: 1, state: 'Created' },
      { seq: 2, state: 'OfferRetrieved' },
      { seq: 3, state: 'Error' },
    ])
  })

  it('that is right is not accepted among wrong codes after five were counted', async () => {
    const { id, txCode } = await newOffer({ txCode: true })
    const code = await issuer.code(id)
    const wrongOnes = Array.from({ length: 30 }, () => grantOf(code, { tx_code: wrong }))
    const requests = [...wrongOnes, grantOf(code, { tx_code: txCode })]
    const answers = await Promise.all(requests.map((form) => issuer.requestToken(form)))
    const right = answers.at(-1)
    const session = await issuer.session(id)
    // The order of the requests does not matter: if the right code came first, its token is useless after the session
    // is locked.
    expect(session.state).toBe('Error')
    if (right?.status !== 200) return
    expect((await issuer.take(right.json.access_token, JWT_VC)).json.error).toBe('credential_request_denied')
  })
})
