import { describe, expect, it } from 'vitest'
import { query as sql } from '../../support/postgres.js'
import { type Asked, answer, ask, dcql, fetchRequest, ITEM, present } from '../actors.js'
import { useWorld } from '../world.js'

const world = useWorld()

const checksOf = async ({ verificationSessionId }: Pick<Asked, 'verificationSessionId'>) => {
  const path = `/api/v1/verification-sessions/${verificationSessionId}/checks`
  const { status, json, text } = await world.service.request('GET', path, { client: true })
  expect(status, text).toBe(200)
  return json
}

/** The failed check of a session in the list of sessions. */
async function listedCheckOf({
  verificationSessionId,
}: Pick<Asked, 'verificationSessionId'>): Promise<string | undefined> {
  const { json } = await world.service.request('GET', '/api/v1/verification-sessions', { client: true })
  return json.items.find(({ id }: { id: string }) => id === verificationSessionId).failedCheck
}

async function presented(options: { nonce?: string } = {}) {
  const asked = await ask(world.service, { query: [ITEM], responseMode: 'direct_post' })
  const payload = await fetchRequest(asked)
  const presentation = await present(world.held['dc+sd-jwt'], world.wallet, payload, options)
  const reply = await answer(payload, { 'item-0-sd-jwt': [presentation] })
  return { asked, reply }
}

describe('GET /api/v1/verification-sessions/{sessionId}/checks', () => {
  it('names every passed check of a presentation, with its sentence and without claims', async () => {
    const { asked } = await presented()
    const { checks, asks, ...session } = await checksOf(asked)
    expect(session).toEqual({
      createdBy: 'verifier',
      verificationSessionId: asked.verificationSessionId,
      state: 'ResponseVerified',
    })
    expect(
      checks.map(({ check, outcome }: { check: string; outcome: string }) => `${check} ${outcome}`).sort(),
    ).toEqual(
      ['format', 'holder-binding', 'issuer-key', 'issuer-trust', 'query', 'revoked', 'signature', 'validity'].map(
        (check) => `${check} passed`,
      ),
    )
    for (const one of checks)
      expect(one).toMatchObject({ credentialQueryId: 'item-0-sd-jwt', message: expect.stringMatching(/^\S.*\.$/) })
    expect(JSON.stringify(checks)).not.toContain('Espresso')
    expect(asks).toContainEqual({
      credentialQueryId: 'item-0-sd-jwt',
      format: 'dc+sd-jwt',
      types: ['ProofOfPurchase'],
      claims: expect.any(Array),
    })
  })

  it('names what the request asks for before a wallet answers, without the values that it requires', async () => {
    const { asked } = await world.asked('dc+sd-jwt', {
      dcqlQuery: dcql(world.service, 'dc+sd-jwt', { claims: [{ path: ['productName'], values: ['Secret machine'] }] }),
    })
    const { asks, checks, state } = await checksOf(asked)
    expect(checks).toEqual([])
    expect(state).not.toBe('Error')
    expect(asks).toEqual([
      { credentialQueryId: 'purchase', format: 'dc+sd-jwt', types: ['ProofOfPurchase'], claims: [['productName']] },
    ])
    expect(JSON.stringify(asks)).not.toContain('Secret machine')
  })

  it('has the transactions of an open request as they were asked for, and none after the end (OpenID4VP 1.0 §5.1)', async () => {
    const payment = {
      type: 'payment',
      credential_ids: ['purchase'],
      amount: '12.50',
      currency: 'EUR',
      payee: 'Corner Shop',
    }
    const { asked, payload } = await world.asked('dc+sd-jwt', {
      dcqlQuery: dcql(world.service, 'dc+sd-jwt'),
      transactionData: [payment],
    })
    const open = await checksOf(asked)
    expect(open.transactionData).toEqual([payment])
    expect(JSON.stringify(open)).not.toContain(payload.nonce)
    await answer(payload, { purchase: ['x~'] })
    const ended = await checksOf(asked)
    expect(ended.state).toBe('Error')
    expect(ended).not.toHaveProperty('transactionData')
  })

  it('names the failed check with the sentence of the session', async () => {
    const { asked, reply } = await presented({ nonce: 'another' })
    expect(reply.status).toBe(400)
    const { checks, state, errorMessage } = await checksOf(asked)
    expect(state).toBe('Error')
    expect(checks.filter(({ outcome }: { outcome: string }) => outcome === 'failed')).toEqual([
      { credentialQueryId: 'item-0-sd-jwt', check: 'holder-binding', outcome: 'failed', message: errorMessage },
    ])
    expect(await listedCheckOf(asked)).toBe('holder-binding')
  })

  it('gives the reason for a discarded presentation, beside the valid presentations (OpenID4VP 1.0 §8.6)', async () => {
    const { asked, payload } = await world.asked('dc+sd-jwt', {
      dcqlQuery: dcql(world.service, 'dc+sd-jwt', { multiple: true }),
    })
    const good = await present(world.held['dc+sd-jwt'], world.wallet, payload)
    const bad = await present(world.held['dc+sd-jwt'], world.wallet, payload, { nonce: 'another' })
    expect((await answer(payload, { purchase: [good, bad] })).status).toBe(200)
    // The session is verified, so its list entry has no failed check.
    expect(await listedCheckOf(asked)).toBeUndefined()
    const { checks } = await checksOf(asked)
    const outcomes = checks.map(({ check, outcome }: Record<string, string>) => `${check} ${outcome}`)
    expect(outcomes.slice(0, 8)).toEqual([
      ...['format', 'validity', 'issuer-trust', 'issuer-key', 'signature'].map((check) => `${check} passed`),
      'holder-binding failed',
      'revoked not-reached',
      'query not-reached',
    ])
    expect(outcomes.slice(8)).toHaveLength(8)
    expect(outcomes.slice(8).every((outcome: string) => outcome.endsWith(' passed'))).toBe(true)
  })

  it('is limited for any number of presentations', async () => {
    const { asked, payload } = await world.asked('dc+sd-jwt', {
      dcqlQuery: dcql(world.service, 'dc+sd-jwt', { multiple: true }),
    })
    const purchase = Array.from({ length: 60 }, () => 'x~')
    expect((await answer(payload, { purchase })).status).toBe(400)
    const [row] = await sql<{ size: number; kept: number }>(
      world.service.databaseUrl,
      'SELECT octet_length(checks::text) AS size, json_array_length(checks) AS kept FROM verification_sessions WHERE id = $1',
      [asked.verificationSessionId],
    )
    expect(row?.kept).toBe(20)
    expect(row?.size).toBeLessThan(10_000)
  })

  it('is empty without a presentation, and is for operators and the caller that made the session', async () => {
    const asked = await ask(world.service, { query: [ITEM], responseMode: 'direct_post' })
    expect(await checksOf(asked)).toMatchObject({ state: 'RequestCreated', checks: [] })
    const path = `/api/v1/verification-sessions/${asked.verificationSessionId}/checks`
    const status = async (sub: string) =>
      (await world.service.request('GET', path, { authorization: await world.service.bearer(sub) })).status
    expect([await status('verifier'), await status('stranger')]).toEqual([200, 500])
    const unknown = await world.service.request('GET', path.replace(/[^/]+\/checks$/, 'unknown/checks'), {
      client: true,
    })
    expect([unknown.status, unknown.json.message]).toEqual([500, 'Verification session not found.'])
  })
})
