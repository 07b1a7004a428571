import { describe, expect, it } from 'vitest'
import { runTask } from '../../support/maintenance.js'
import { query as sql } from '../../support/postgres.js'
import { startService } from '../../support/service.js'
import { type Asked, answer, ask, dcql, fetchRequest, ITEM, makeWorld, present } from '../actors.js'
import { useWorld } from '../world.js'

const world = useWorld()

const resultOf = async (
  asked: Pick<Asked, 'verificationSessionId'>,
  options: { sub?: string; roles?: string[]; client?: boolean },
) => {
  const { sub, roles = [], client = false } = options
  const path = `/verification-sessions/${asked.verificationSessionId}/result`
  const headers = sub === undefined ? {} : { authorization: await world.service.bearer(sub, { roles }) }
  return world.service.request('GET', path, { ...headers, client })
}

async function verified(sub = 'verifier') {
  const asked = await ask(world.service, { query: [ITEM], responseMode: 'direct_post' }, sub)
  const payload = await fetchRequest(asked)
  const presentation = await present(world.held['dc+sd-jwt'], world.wallet, payload)
  const reply = await answer(payload, { 'item-0-sd-jwt': [presentation] })
  expect(reply.status).toBe(200)
  return asked
}

describe('GET /verification-sessions/{sessionId}/result', () => {
  it('returns the disclosed claims by query item, with their issuer', async () => {
    const asked = await verified()
    const result = await resultOf(asked, { sub: 'verifier' })
    expect(result.json).toEqual({
      verificationSessionId: asked.verificationSessionId,
      verifiedAt: expect.stringMatching(/Z$/),
      credentials: [
        {
          credentialQueryId: 'item-0-sd-jwt',
          queryItem: 0,
          format: 'dc+sd-jwt',
          issuer: expect.stringMatching(/^did:jwk:/),
          type: [`${world.service.url}/vct/ProofOfPurchase`],
          subject: world.wallet.did,
          claims: { product: 'Espresso machine' },
        },
      ],
      discarded: [],
    })
  })

  it('is for the client secret, an admin and the creator; other callers are denied', async () => {
    const asked = await verified('alice')
    expect((await resultOf(asked, { client: true })).status).toBe(200)
    expect((await resultOf(asked, { sub: 'boss', roles: ['admin'] })).status).toBe(200)
    expect((await resultOf(asked, { sub: 'alice' })).status).toBe(200)
    const denied = await resultOf(asked, { sub: 'bob' })
    expect([denied.status, denied.json.message]).toEqual([403, 'Access to result denied.'])
    const nobody = await resultOf(asked, {})
    expect([nobody.status, nobody.json.message]).toEqual([401, 'Unauthorized'])
  })

  it('of a session of the client secret cannot be read by ordinary callers', async () => {
    const made = await world.service.request('POST', '/api/v1/verifier/vp-queries', {
      client: true,
      body: { query: [ITEM] },
    })
    const path = `/api/v1/verifier/vp-queries/${made.json.id}/authorization-request`
    const { json: asked } = await world.service.request('POST', path, {
      client: true,
      body: { redirect_uri: 'https://shop.example/done' },
    })
    expect((await resultOf(asked, { sub: 'verifier' })).status).toBe(403)
    expect((await resultOf(asked, { client: true })).status).toBe(409)
  })

  it('is a 409 before the verification, and after a refusal', async () => {
    const { asked, payload } = await world.asked('dc+sd-jwt')
    const early = await resultOf(asked, { sub: 'verifier' })
    expect([early.status, early.json.message]).toEqual([409, 'Verification session has no result.'])
    await answer(payload, { purchase: ['x~'] })
    expect((await resultOf(asked, { sub: 'verifier' })).status).toBe(409)
  })
})

describe('retention', () => {
  it('claims are no longer returned exactly after SESSION_RESULT_TTL_SECONDS, and are then deleted from the database too', async () => {
    let now = new Date()
    await using service = await startService({
      clock: () => now,
      maintenance: false,
      env: { SESSION_RESULT_TTL_SECONDS: '60', SESSION_RETENTION_DAYS: '1' },
    })
    const { wallet, held } = await makeWorld(service)
    const asked = await ask(service, { dcqlQuery: dcql(service, 'dc+sd-jwt'), responseMode: 'direct_post' })
    const payload = await fetchRequest(asked)
    expect((await answer(payload, { purchase: [await present(held['dc+sd-jwt'], wallet, payload)] })).status).toBe(200)
    const path = `/verification-sessions/${asked.verificationSessionId}`
    const read = async (suffix: string) =>
      service.request('GET', `${path}${suffix}`, {
        authorization: await service.bearer('verifier', { expiresIn: 200_000 }),
      })
    const stored = () =>
      sql(service.databaseUrl, 'SELECT result IS NULL AND discarded IS NULL AS gone FROM verification_sessions')
    const [, forget, remove] = service.features.verificationSessions.tasks
    if (forget === undefined || remove === undefined) throw new Error('Tasks are missing.')

    now = new Date(now.getTime() + 59_000)
    await runTask(forget, now)
    expect((await read('/result')).status).toBe(200)

    now = new Date(now.getTime() + 2_000)
    const gone = await read('/result')
    expect([gone.status, gone.json.message]).toEqual([410, 'Verification result has expired.'])
    expect(await stored()).toEqual([{ gone: false }])
    await runTask(forget, now)
    expect(await stored()).toEqual([{ gone: true }])
    expect((await read('')).json.state).toBe('ResponseVerified')

    now = new Date(now.getTime() + 86_400_000)
    await runTask(remove, now)
    expect((await read('')).json.message).toBe('Verification session not found.')
    const [events] = service.features.sessionEvents.tasks
    // Events are removed later than the session, because all events of a day are removed together.
    if (events !== undefined) await runTask(events, new Date(now.getTime() + 2 * 86_400_000))
    expect(await sql(service.databaseUrl, 'SELECT 1 FROM session_events')).toEqual([])
    expect((await service.request('GET', new URL(asked.qr_code_url).pathname)).status).toBe(404)
  })
})
