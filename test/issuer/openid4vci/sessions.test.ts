import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { createCredenceClient } from '../../../client/index.js'
import { runTask } from '../../support/maintenance.js'
import { query } from '../../support/postgres.js'
import { type Issuer, JWT_VC, movingClock, refusalOf, SD_JWT, startIssuer } from './actors.js'
import { readEvents } from './event-reader.js'
import { issuanceTasks } from './issuance-tasks.js'

const DAY = 86_400
const clock = movingClock()
let issuer: Issuer

beforeAll(async () => {
  issuer = await startIssuer({ clock: clock.now, maintenance: false })
})
afterAll(() => issuer.service.close())

const newSession = async (members?: Record<string, unknown>): Promise<string> =>
  (await issuer.makeOffer(members)).credentialOfferSessionId
const stateOf = async (id: string) => (await issuer.session(id)).state
const eventsOf = async (id: string) => {
  const events = await issuer.events(id)
  return events.map(({ seq, data }) => [seq, data.state])
}
/** Runs every maintenance task of issuing at the current time. */
const maintain = async () => {
  for (const task of issuanceTasks(issuer.service)) await runTask(task, clock.now())
}
/** Makes a session whose credential a wallet has taken. Also returns the data for a notification. */
const redeemed = async () => {
  const id = await newSession()
  const token = await issuer.token(id)
  const taken = await issuer.take(token, JWT_VC)
  return { id, token, notificationId: taken.json.notification_id as string }
}

describe('a credential-offer session', () => {
  it('changes from Created to Accepted, with an event for each state', async () => {
    const id = await newSession()
    expect(await issuer.session(id)).toEqual({
      id,
      state: 'Created',
      issuerId: expect.any(String),
      credentialConfigurationIds: [JWT_VC, SD_JWT],
      createdAt: expect.stringMatching(/Z$/),
      expiresAt: expect.stringMatching(/Z$/),
    })
    await issuer.code(id)
    expect(await stateOf(id)).toBe('OfferRetrieved')
    const token = await issuer.token(id)
    expect(await stateOf(id)).toBe('TokenIssued')
    const taken = await issuer.take(token, JWT_VC)
    expect(await stateOf(id)).toBe('CredentialIssued')
    await issuer.notify(token, { notification_id: taken.json.notification_id, event: 'credential_accepted' })
    expect(await stateOf(id)).toBe('Accepted')
    expect(await eventsOf(id)).toEqual([
      [1, 'Created'],
      [2, 'OfferRetrieved'],
      [3, 'TokenIssued'],
      [4, 'CredentialIssued'],
      [5, 'Accepted'],
    ])
  })

  it('expires one day after its creation by default', async () => {
    const { createdAt, expiresAt } = await issuer.session(await newSession())
    expect(Date.parse(expiresAt) - Date.parse(createdAt)).toBe(DAY * 1000)
    const short = await issuer.session(await newSession({ expiresInSeconds: 90 }))
    expect(Date.parse(short.expiresAt) - Date.parse(short.createdAt)).toBe(90_000)
  })

  it('is written only at the first fetch of its offer', async () => {
    const id = await newSession()
    await Promise.all(Array.from({ length: 10 }, () => issuer.code(id)))
    expect(await eventsOf(id)).toEqual([
      [1, 'Created'],
      [2, 'OfferRetrieved'],
    ])
  })

  it('of an offer by value skips OfferRetrieved', async () => {
    const made = await issuer.makeOffer()
    const [grant] = Object.values<{ 'pre-authorized_code': string }>(made.credentialOffer.grants)
    const [type = ''] = Object.keys(made.credentialOffer.grants)
    const code = grant?.['pre-authorized_code'] ?? ''
    expect((await issuer.requestToken({ grant_type: type, 'pre-authorized_code': code })).status).toBe(200)
    expect(await eventsOf(made.credentialOfferSessionId)).toEqual([
      [1, 'Created'],
      [2, 'TokenIssued'],
    ])
  })

  it('does not go back when its offer is fetched or a token given again', async () => {
    const id = await newSession()
    await issuer.token(id)
    await issuer.token(id)
    expect(await stateOf(id)).toBe('TokenIssued')
  })

  it('belongs to its creator: for other callers it is unknown', async () => {
    const id = await newSession()
    for (const path of [`/credential-offer-sessions/${id}`, `/credential-offer-sessions/${id}/events`]) {
      const answer = await issuer.service.request('GET', path, {
        authorization: await issuer.service.bearer('mallory'),
      })
      expect([answer.status, answer.json.message]).toEqual([500, 'Credential offer session not found.'])
      expect((await issuer.service.request('GET', path)).status).toBe(401)
    }
    const offering = await issuer.makeOffering()
    for (const unknown of [offering.id, 'nobody']) {
      const answer = await issuer.service.request('GET', `/credential-offer-sessions/${unknown}`, {
        authorization: await issuer.authorization(),
      })
      expect(answer.status).toBe(500)
    }
  })
})

describe('a notification (OpenID4VCI 1.0 §11)', () => {
  it('is always answered without content, and changes the session once', async () => {
    const { id, token, notificationId } = await redeemed()
    for (let time = 0; time < 3; time += 1) {
      const answer = await issuer.notify(token, { notification_id: notificationId, event: 'credential_accepted', x: 1 })
      expect([answer.status, answer.text]).toEqual([204, ''])
    }
    expect((await eventsOf(id)).at(-1)).toEqual([5, 'Accepted'])
  })

  it.each([
    ['credential_failure', undefined, 'The wallet could not take the credential.'],
    ['credential_failure', 'Out of storage', 'The wallet could not take the credential: Out of storage'],
    ['credential_deleted', undefined, 'The wallet deleted the credential.'],
    ['credential_deleted', 'a\u0000b\u001b[31m"ä\\', "The wallet deleted the credential: a'b'[31m'''"],
  ])('%s with the description %j ends the session in Error', async (event, description, errorMessage) => {
    const { id, token, notificationId } = await redeemed()
    const more = description === undefined ? {} : { event_description: description }
    const answer = await issuer.notify(token, { notification_id: notificationId, event, ...more })
    expect(answer.status).toBe(204)
    expect(await issuer.session(id)).toMatchObject({ state: 'Error', errorMessage })
  })

  it('after a failure nothing more is issued under the token', async () => {
    const { id, token, notificationId } = await redeemed()
    await issuer.notify(token, { notification_id: notificationId, event: 'credential_failure' })
    expect(refusalOf(await issuer.take(token, SD_JWT))).toEqual([
      400,
      'credential_request_denied',
      'The credential offer has ended.',
    ])
    expect(await eventsOf(id)).toHaveLength(5)
  })

  it.each<[string, Record<string, unknown>, string, string]>([
    ['no id', { event: 'credential_accepted' }, 'invalid_notification_request', 'notification_id must be defined'],
    ['no event', { notification_id: 'x' }, 'invalid_notification_request', 'event must be defined'],
    [
      'an unknown event',
      { notification_id: 'x', event: 'credential_eaten' },
      'invalid_notification_request',
      'event must be one of credential_accepted, credential_failure, credential_deleted',
    ],
    [
      'an unknown id',
      { notification_id: 'x', event: 'credential_accepted' },
      'invalid_notification_id',
      'The notification_id was not given under this access token.',
    ],
  ])('is refused with %s', async (_, body, error, description) => {
    const { token } = await redeemed()
    const answer = await issuer.notify(token, body)
    expect(refusalOf(answer)).toEqual([400, error, description])
    expect(answer.headers.get('cache-control')).toBe('no-store')
  })

  it('needs the token with which the credential was issued', async () => {
    const { id, notificationId } = await redeemed()
    const other = await redeemed()
    const answer = await issuer.notify(other.token, { notification_id: notificationId, event: 'credential_deleted' })
    expect(answer.json.error).toBe('invalid_notification_id')
    expect(await stateOf(id)).toBe('CredentialIssued')
  })
})

describe('a credential that was revoked', () => {
  it('does not change its session: nothing more is issued, and no notification changes it', async () => {
    const { id, token, notificationId } = await redeemed()
    const [row] = await query<{ credential_id: string }>(
      issuer.service.databaseUrl,
      'SELECT credential_id FROM redemptions WHERE offering_id = $1',
      [id],
    )
    await issuer.service.request('POST', `/api/v1/credentials/${row?.credential_id}/revoke`, { client: true })
    expect(refusalOf(await issuer.take(token, SD_JWT))).toEqual([
      400,
      'credential_request_denied',
      'The credential of this access token is no longer valid.',
    ])
    const answer = await issuer.notify(token, { notification_id: notificationId, event: 'credential_accepted' })
    expect([answer.status, await stateOf(id)]).toEqual([204, 'CredentialIssued'])
  })
})

describe('the events of a session', () => {
  const eventsPath = (id: string) => `/credential-offer-sessions/${id}/events`

  it('are its current state, then every later one, as Server-Sent Events', async () => {
    const id = await newSession()
    const authorization = await issuer.authorization()
    await using events = await readEvents(issuer.service, eventsPath(id), { authorization })
    expect([events.status, events.headers.get('content-type')]).toEqual([200, 'text/event-stream'])
    const first = await events.next()
    expect([first.id, first.event, JSON.parse(first.data ?? '')]).toEqual(['1', 'session', await issuer.session(id)])
    const token = await issuer.token(id)
    await issuer.take(token, JWT_VC)
    const seen = [await events.next(), await events.next(), await events.next()]
    expect(seen.map(({ id: seq, data }) => [seq, JSON.parse(data ?? '').state])).toEqual([
      ['2', 'OfferRetrieved'],
      ['3', 'TokenIssued'],
      ['4', 'CredentialIssued'],
    ])
    expect(JSON.parse(seen[2]?.data ?? '')).toEqual(await issuer.session(id))
  })

  it('begin after Last-Event-ID', async () => {
    const id = await newSession()
    await issuer.token(id)
    const headers = { authorization: await issuer.authorization(), 'last-event-id': '1' }
    await using events = await readEvents(issuer.service, eventsPath(id), headers)
    expect([(await events.next()).id, (await events.next()).id]).toEqual(['2', '3'])
  })

  it('reach a subscription of the typed client, too', async () => {
    const id = await newSession()
    const accessToken = (await issuer.authorization()).slice('Bearer '.length)
    const { credentialOffers } = createCredenceClient({ url: issuer.service.url, accessToken })
    const states: string[] = []
    const subscription = credentialOffers.events.subscribe(
      { id },
      { onData: ({ data }) => void states.push(data.state) },
    )
    await vi.waitFor(() => expect(states).toEqual(['Created']), { timeout: 60_000 })
    await issuer.token(id)
    await vi.waitFor(() => expect(states).toEqual(['Created', 'OfferRetrieved', 'TokenIssued']), { timeout: 60_000 })
    subscription.unsubscribe()
  })

  it('show that the offer expired, without any request', async () => {
    const id = await newSession({ expiresInSeconds: 60 })
    const headers = { authorization: await issuer.authorization(), 'last-event-id': '1' }
    await using events = await readEvents(issuer.service, eventsPath(id), headers)
    await events.next()
    clock.ahead = 61
    await maintain()
    clock.ahead = 0
    const { data } = await events.next()
    expect(JSON.parse(data ?? '')).toMatchObject({ id, state: 'Error', errorMessage: 'Credential offer expired.' })
  })
})

describe('expiry of sessions', () => {
  it('an offer that expired without a credential ends in Error, once; a redeemed offer does not', async () => {
    const ids = [await newSession({ expiresInSeconds: 60 }), await newSession({ expiresInSeconds: 60 })]
    const [created = '', tokenIssued = ''] = ids
    await issuer.token(tokenIssued)
    const issued = await newSession({ expiresInSeconds: 60 })
    await issuer.take(await issuer.token(issued), SD_JWT)
    const later = await newSession({ expiresInSeconds: 120 })
    clock.ahead = 61
    await maintain()
    await maintain()
    clock.ahead = 0
    for (const id of ids) {
      expect(await issuer.session(id)).toMatchObject({ state: 'Error', errorMessage: 'Credential offer expired.' })
    }
    expect(await eventsOf(created)).toEqual([
      [1, 'Created'],
      [2, 'Error'],
    ])
    expect([await stateOf(issued), await stateOf(later)]).toEqual(['CredentialIssued', 'Created'])
  })

  it('expiry is done in batches, which two processes may run at once', async () => {
    await Promise.all(Array.from({ length: 12 }, () => newSession({ expiresInSeconds: 60 })))
    const { offerSessions } = issuer.service.platform.stores
    const at = new Date(Date.now() + 61_000)
    const [left, right] = await Promise.all([offerSessions.expire(at, 5), offerSessions.expire(at, 5)])
    const rest = await offerSessions.expire(at, 100)
    expect([left, right, rest].map(({ count }) => count)).toEqual([5, 5, 2])
  })

  it('tokens and used nonces are removed, but not before their code or nonce has expired', async () => {
    const { databaseUrl } = issuer.service
    const id = await newSession()
    const count = async () => {
      const [row] = await query(
        databaseUrl,
        `SELECT (SELECT count(*)::int FROM issuance_tokens) AS tokens, (SELECT count(*)::int FROM used_nonces) AS nonces`,
      )
      return row
    }
    await query(databaseUrl, 'TRUNCATE issuance_tokens, used_nonces')
    const code = await issuer.code(id)
    const form = { grant_type: 'urn:ietf:params:oauth:grant-type:pre-authorized_code', 'pre-authorized_code': code }
    const token = (await issuer.requestToken(form)).json.access_token
    await issuer.take(token, JWT_VC)
    clock.ahead = 590
    await maintain()
    expect(await count()).toEqual({ tokens: 1, nonces: 2 })
    // The partition of a token covers four hours. It is dropped when its last token has expired, at any time of the day.
    clock.ahead = 5.5 * 3_600
    await maintain()
    expect(await count()).toEqual({ tokens: 0, nonces: 0 })
    expect((await issuer.requestToken(form)).json.error_description).toBe(
      'The pre-authorized code is unknown or has expired.',
    )
    clock.ahead = 0
  })

  it('sessions are removed when the retention time is over; offering, credential and audit rows stay', async () => {
    const { databaseUrl } = issuer.service
    const accepted = await redeemed()
    await issuer.notify(accepted.token, { notification_id: accepted.notificationId, event: 'credential_accepted' })
    const silent = await redeemed()
    const remaining = await newSession({ expiresInSeconds: 30 * DAY })
    const ids = [accepted.id, silent.id]
    clock.ahead = 29 * DAY
    await maintain()
    for (const id of ids) expect((await eventsOf(id)).length).toBeGreaterThan(0)
    clock.ahead = 31 * DAY + 60
    await maintain()
    clock.ahead = 0
    for (const id of ids) {
      const [row] = await query(
        databaseUrl,
        `SELECT (SELECT count(*)::int FROM credential_offer_sessions WHERE id = $1) AS sessions,
           (SELECT count(*)::int FROM offerings WHERE id = $1) AS offerings,
           (SELECT count(*)::int FROM redemptions WHERE offering_id = $1) AS redemptions,
           (SELECT count(*)::int FROM audit_events WHERE subject_id = $1) AS audit`,
        [id],
      )
      expect(row).toEqual({ sessions: 0, offerings: 1, redemptions: 1, audit: 1 })
    }
    expect(await stateOf(remaining)).toBe('Error')
    const gone = await issuer.service.request('GET', `/openid4vci/offers/${accepted.id}`)
    expect(gone.status).toBe(404)
  })
})

describe('with maintenance running', () => {
  it('a session ends without a request', async () => {
    await using running = (await startIssuer()).service
    const authorization = await running.bearer('issuer')
    const body = { credentialConfigurationIds: [JWT_VC], credentialSubject: { product: 'Kettle' }, expiresInSeconds: 1 }
    const made = await running.request('POST', '/credential-offers', { authorization, body })
    const path = `/credential-offer-sessions/${made.json.credentialOfferSessionId}/events`
    await using events = await readEvents(running, path, { authorization })
    // On a busy machine the session has ended before its events are read.
    const states: string[] = []
    while (states.at(-1) !== 'Error') states.push(JSON.parse((await events.next()).data ?? '').state)
    expect(['Created Error', 'Error']).toContain(states.join(' '))
  })
})
