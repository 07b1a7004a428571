import { describe, expect, it } from 'vitest'
import { query as sql } from '../../support/postgres.js'
import { startService } from '../../support/service.js'
import { answer, ask, dcql, encrypt, fetchRequest, ITEM, postForm, present, sessionOf } from '../actors.js'
import { useWorld } from '../world.js'

const world = useWorld()

const eventsOf = async (id: string) => {
  const events = await world.service.platform.stores.events.after([{ sessionId: id, after: 0 }])
  return events.map(({ data }) => data)
}

describe('the life of a session', () => {
  it('each of its events equals the session that GET shows at that moment', async () => {
    const asked = await ask(world.service, { query: [ITEM], redirectUri: 'https://shop.example/done' })
    const shown = [await sessionOf(world.service, asked)]
    const payload = await fetchRequest(asked)
    shown.push(await sessionOf(world.service, asked))
    const vpToken = { 'item-0-sd-jwt': [await present(world.held['dc+sd-jwt'], world.wallet, payload)] }
    expect((await answer(payload, vpToken)).status).toBe(200)
    shown.push(await sessionOf(world.service, asked))
    expect(shown.map(({ state }) => state)).toEqual(['RequestCreated', 'RequestUriRetrieved', 'ResponseVerified'])
    expect(await eventsOf(asked.verificationSessionId)).toEqual(shown)
  })

  it('has no secrets after its end', async () => {
    const { asked, payload } = await world.asked('dc+sd-jwt', { responseMode: 'direct_post.jwt' })
    const vpToken = { purchase: [await present(world.held['dc+sd-jwt'], world.wallet, payload)] }
    expect((await answer(payload, vpToken)).status).toBe(200)
    const rows = await sql(world.service.databaseUrl, 'SELECT secrets FROM verification_sessions WHERE id = $1', [
      asked.verificationSessionId,
    ])
    expect(rows).toEqual([{ secrets: null }])
  })

  it('is recorded in audit events, never with claims', async () => {
    const { asked, payload } = await world.asked('dc+sd-jwt')
    await answer(payload, { purchase: ['x~'] })
    const rows = await sql(
      world.service.databaseUrl,
      'SELECT actor, action FROM audit_events WHERE subject_id = $1 ORDER BY id',
      [asked.verificationSessionId],
    )
    expect(rows).toEqual([
      { actor: 'verifier', action: 'authorization-request.created' },
      { actor: null, action: 'presentation.refused' },
    ])
  })

  it('after the end, the request is a 410 and answers are refused', async () => {
    const { asked, payload } = await world.asked('dc+sd-jwt')
    await answer(payload, { purchase: ['x~'] })
    const gone = await fetch(asked.request_uri)
    expect([gone.status, await gone.json()]).toEqual([
      410,
      { error: 'invalid_request', error_description: 'Authorization request was answered.' },
    ])
    expect((await postForm(asked.request_uri, {})).status).toBe(410)
    const late = await postForm(payload.response_uri, { error: 'access_denied', state: payload.state })
    expect([late.status, late.json.error_description]).toEqual([400, 'Authorization request was answered already.'])
  })
})

describe("a wallet's own error answer (OpenID4VP 1.0 §8.5)", () => {
  it.each([
    [{ error: 'access_denied' }, 'Wallet answered access_denied.'],
    [
      { error: 'vp_formats_not_supported', error_description: 'Kein "Format" — bedaure' },
      "Wallet answered vp_formats_not_supported: Kein 'Format' ' bedaure",
    ],
    [{ error: '<script>' }, 'Wallet answered an unknown error.'],
    [
      { error: 'invalid_request', error_description: 'x'.repeat(10_000) },
      `Wallet answered invalid_request: ${'x'.repeat(200)}`,
    ],
  ])('%j is accepted with 200 {} and ends the session', async (form, errorMessage) => {
    const { asked, payload } = await world.asked('dc+sd-jwt')
    const reply = await postForm(payload.response_uri, { ...form, state: payload.state })
    expect([reply.status, reply.json, reply.headers.get('content-type')]).toEqual([200, {}, 'application/json'])
    expect(await sessionOf(world.service, asked)).toMatchObject({ state: 'Error', errorMessage })
  })

  it.each(['in the clear, as a wallet may that cannot encrypt (§8.3.1)', 'encrypted'])('%s', async (how) => {
    const { asked, payload } = await world.asked('dc+sd-jwt', { responseMode: 'direct_post.jwt' })
    const parameters = { error: 'access_denied', state: payload.state }
    const form = how === 'encrypted' ? { response: await encrypt(payload, parameters) } : parameters
    expect((await postForm(payload.response_uri, form)).status).toBe(200)
    expect((await sessionOf(world.service, asked)).errorMessage).toBe('Wallet answered access_denied.')
  })
})

describe('an encrypted answer (§8.3)', () => {
  it.each(['A128GCM', 'A256GCM'])('by %s', async (enc) => {
    const { asked, payload } = await world.asked('dc+sd-jwt', { responseMode: 'direct_post.jwt' })
    const vp_token = { purchase: [await present(world.held['dc+sd-jwt'], world.wallet, payload)] }
    const response = await encrypt(payload, { vp_token, state: payload.state }, { enc })
    const reply = await postForm(payload.response_uri, { response })
    expect([reply.status, reply.json, reply.headers.get('cache-control')]).toEqual([200, {}, 'no-store'])
    expect((await sessionOf(world.service, asked)).state).toBe('ResponseVerified')
  })
})

describe('a query without holder binding (§6.1)', () => {
  it('accepts a credential without a proof, and still checks a proof if there is one', async () => {
    const unbound = { require_cryptographic_holder_binding: false }
    for (const format of ['dc+sd-jwt', 'jwt_vc_json'] as const) {
      const bare = world.held[format].credential
      const first = await world.asked(format, { dcqlQuery: dcql(world.service, format, unbound) })
      expect((await answer(first.payload, { purchase: [bare] })).json).toEqual({})
      const second = await world.asked(format, { dcqlQuery: dcql(world.service, format, unbound) })
      const wrong = await present(world.held[format], world.wallet, second.payload, { nonce: 'another' })
      expect((await answer(second.payload, { purchase: [wrong] })).status).toBe(400)
    }
  })
})

describe('callers who may read a session', () => {
  it('are all callers with a token; an unknown session is a 500', async () => {
    const asked = await ask(world.service, { query: [ITEM] }, 'alice')
    const authorization = await world.service.bearer('bob')
    const path = `/verification-sessions/${asked.verificationSessionId}`
    expect((await world.service.request('GET', path, { authorization })).status).toBe(200)
    expect((await world.service.request('GET', path)).json.message).toBe('Unauthorized')
    expect((await world.service.request('GET', path, { client: true })).status).toBe(401)
    for (const suffix of ['', '/events', '/result']) {
      const unknown = await world.service.request('GET', `/verification-sessions/unknown${suffix}`, { authorization })
      expect([unknown.status, unknown.json]).toEqual([
        500,
        {
          statusCode: 500,
          message: 'Verification session not found.',
          path: `/verification-sessions/unknown${suffix}`,
          timestamp: expect.any(String),
        },
      ])
    }
  })

  it('with VERIFIER_ROLE are only callers with this role', async () => {
    await using service = await startService({ env: { VERIFIER_ROLE: 'verifier' } })
    const [without, withRole] = [await service.bearer('a'), await service.bearer('a', { roles: ['verifier'] })]
    const created = await service.request('POST', '/authorization-requests', {
      authorization: withRole,
      body: { dcqlQuery: dcql(service, 'dc+sd-jwt') },
    })
    const path = `/verification-sessions/${created.json.verificationSessionId}`
    for (const suffix of ['', '/events', '/result']) {
      const refused = await service.request('GET', `${path}${suffix}`, { authorization: without })
      expect([refused.status, refused.json.message]).toEqual([403, 'Insufficient role.'])
    }
    expect((await service.request('GET', path, { authorization: withRole })).status).toBe(200)
  })

  it('in production get only the generic text', async () => {
    await using service = await startService({ env: { NODE_ENV: 'production' } })
    const authorization = await service.bearer('a')
    const unknown = await service.request('GET', '/verification-sessions/unknown', { authorization })
    expect([unknown.status, unknown.json.message]).toEqual([500, 'Internal server error'])
  })
})
