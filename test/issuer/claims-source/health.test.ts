import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { CLAIMS, type ClaimsWorld, SCHEMA, startClaimsWorld } from './actors.js'
import { claims, json, type Source } from './source.js'

let world: ClaimsWorld
beforeAll(async () => {
  world = await startClaimsWorld()
})
afterEach(() => world.forget())
afterAll(() => world.close())

describe('the health of a source', () => {
  const asked = async (id: string, handler: Parameters<Source['answers']>[0]) => {
    world.source.answers(handler)
    await world.testSource(id)
  }
  const fails: Parameters<Source['answers']>[0] = (_, response) => json(response, 400, {})
  const healthOf = async (type: string) =>
    (await world.issuer.service.platform.stores.claimsSources.health()).filter(({ name }) => name === type)

  it('is the health of the newest version that is not withdrawn', async () => {
    const { json: first } = await world.postType('Healed', world.sourceOf())
    await asked(first.id, fails)
    expect(await healthOf('Healed')).toMatchObject([{ failing: true }])
    const posted = await world.issuer.service.request('POST', '/schemas', {
      authorization: await world.issuer.authorization(),
      body: { name: 'Healed', version: 2, schema: SCHEMA, claimsSource: { url: world.source.url } },
    })
    expect(await healthOf('Healed')).toMatchObject([{ failing: false }])
    for (const { id } of [posted.json, first])
      await world.issuer.service.request('DELETE', `/schemas/${id}`, {
        authorization: await world.issuer.authorization(),
      })
    expect(await healthOf('Healed')).toEqual([])
  })

  it('is stored at most once a minute while it stays the same, and at once when it changes', async () => {
    const { json: schema } = await world.postType('Steady', world.sourceOf())
    const noted = async () => {
      const [row] = await world.rows('SELECT last_success_at AS at FROM claims_sources WHERE schema_id = $1', schema.id)
      return row?.at
    }
    await asked(schema.id, claims(CLAIMS))
    const first = await noted()
    world.clock.ahead = 30
    await asked(schema.id, claims(CLAIMS))
    expect(await noted()).toEqual(first)
    await asked(schema.id, fails)
    expect(await healthOf('Steady')).toMatchObject([{ failing: true }])
    world.clock.ahead = 31
    await asked(schema.id, claims(CLAIMS))
    expect(await healthOf('Steady')).toMatchObject([{ failing: false }])
    world.clock.ahead = 100
    const before = await noted()
    await asked(schema.id, claims(CLAIMS))
    expect(await noted()).not.toEqual(before)
  })
})
