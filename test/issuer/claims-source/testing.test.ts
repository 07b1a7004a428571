import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { CLAIMS, type ClaimsWorld, startClaimsWorld } from './actors.js'
import { claims, json } from './source.js'

let world: ClaimsWorld
beforeAll(async () => {
  world = await startClaimsWorld()
})
afterEach(() => world.forget())
afterAll(() => world.close())

describe('a test of a source', () => {
  it('shows the answer once, and stores and issues nothing', async () => {
    world.source.answers(claims({ degree: 'Chemistry' }))
    const counts = () =>
      world.rows(
        'SELECT (SELECT count(*) FROM credentials) AS credentials, (SELECT count(*) FROM offerings) AS offerings',
      )
    const before = await counts()
    const answer = await world.testSource(world.schemaId)
    expect(answer.json).toEqual({
      outcome: 'claims',
      credentialSubject: { degree: 'Chemistry' },
      milliseconds: expect.any(Number),
      problems: [],
    })
    expect(world.source.asked[0]?.json.data).toMatchObject({ reference: 'made-up', test: true })
    expect(await counts()).toEqual(before)
    expect(world.lines.join('')).not.toContain('Chemistry')
  })

  it('attack: shows no claims of a real person without a trace. The audit event has neither person nor claims', async () => {
    const { json: schema } = await world.postType('Traced', world.sourceOf())
    const ask = async (sub: string, body: object) =>
      world.issuer.service.request('POST', `/api/v1/schemas/${schema.id}/claims-source/test`, {
        authorization: await world.issuer.service.bearer(sub, { roles: ['admin'] }),
        body,
      })
    const events = () =>
      world.rows(
        `SELECT * FROM audit_events WHERE subject_id = $1 AND action LIKE 'schema.claims_source%' ORDER BY id`,
        schema.id,
      )
    world.source.answers((_, response) => json(response, 404, {}))
    await ask('curious', { reference: 'M-2026-0042' })
    expect(await events()).toEqual([])
    world.source.answers(claims({ degree: 'Chemistry' }))
    await ask('curious', { reference: 'M-2026-0042' })
    await ask('boss', { subject: 'ada.lovelace' })
    const recorded = await events()
    expect(recorded.map(({ actor, action, subject }) => [actor, action, subject])).toEqual([
      ['curious', 'schema.claims_source_claims_shown', 'schema'],
      ['boss', 'schema.claims_source_claims_shown', 'schema'],
    ])
    expect(JSON.stringify(recorded)).not.toMatch(/M-2026-0042|ada.lovelace|degree|Chemistry/)
  })

  it('is counted, and its outcome is stored for the checklist', async () => {
    const { json: schema } = await world.postType('Watched', world.sourceOf())
    const ask = () => world.testSource(schema.id)
    const health = async () =>
      (await world.issuer.service.platform.stores.claimsSources.health()).find(({ name }) => name === 'Watched')
    world.source.answers((_, response) => json(response, 400, {}))
    await ask()
    expect(await health()).toMatchObject({ failing: true, lastFailure: expect.stringContaining('status 400') })
    world.clock.ahead = 1
    world.source.answers(claims(CLAIMS))
    await ask()
    expect(await health()).toMatchObject({ failing: false })
    const counted = await world.issuer.service.service.operated.metrics.registry.metrics()
    expect(counted).toMatch(/credence_claims_source_requests_total\{outcome="claims"\} \d+/)
  })

  it('is for admins too', async () => {
    world.source.answers(claims(CLAIMS))
    const { status, json: body } = await world.issuer.service.request(
      'POST',
      `/api/v1/schemas/${world.schemaId}/claims-source/test`,
      {
        authorization: await world.issuer.service.bearer('root', { roles: ['admin'] }),
        body: { reference: 'made-up' },
      },
    )
    expect([status, body.outcome]).toEqual([200, 'claims'])
  })

  it('has at most three problems, whatever the source sends', async () => {
    world.source.answers(
      claims(Object.fromEntries(Array.from({ length: 50 }, (_, at) => [`${at}${'x'.repeat(500)}`, 'secret value']))),
    )
    const { json: body } = await world.testSource(world.schemaId)
    expect(body.outcome).toBe('refused')
    expect(body.problems).toHaveLength(3)
    for (const problem of body.problems) expect(problem.length).toBeLessThanOrEqual(200)
    expect(JSON.stringify(body) + world.lines.join('')).not.toContain('secret value')
  })
})
