import { describe, expect, it } from 'vitest'
import { query as sql } from '../../support/postgres.js'
import { answer, ask, dcql, type Format, fetchRequest, ITEM, issue, present, sessionOf } from '../actors.js'
import { useWorld } from '../world.js'

const world = useWorld()

const WRONG_NONCE = 'Key Binding JWT nonce is not that of the request.'

/** Makes a query. It has a credential query for the purchase for each of the ids, and the given sets. */
async function asked(ids: Readonly<Record<string, Format>>, members: Record<string, unknown> = {}) {
  const credentials = Object.entries(ids).map(([id, format]) => ({
    ...dcql(world.service, format).credentials[0],
    id,
  }))
  const request = await ask(world.service, { dcqlQuery: { credentials, ...members }, responseMode: 'direct_post' })
  return { request, payload: await fetchRequest(request) }
}
type Payload = Awaited<ReturnType<typeof asked>>['payload']

const good = (payload: Payload, format: Format = 'dc+sd-jwt') => present(world.held[format], world.wallet, payload)
const bad = (payload: Payload) => present(world.held['dc+sd-jwt'], world.wallet, payload, { nonce: 'another' })

describe('a presentation that fails a check is discarded (OpenID4VP 1.0 §8.6)', () => {
  const REQUIRED_AND_OPTIONAL = [{ options: [['needed']] }, { options: [['spare']], required: false }]

  it('if it answers an optional credential_set; the result names it with the reason', async () => {
    const { request, payload } = await asked(
      { needed: 'dc+sd-jwt', spare: 'dc+sd-jwt' },
      { credential_sets: REQUIRED_AND_OPTIONAL },
    )
    const reply = await answer(payload, { needed: [await good(payload)], spare: [await bad(payload)] })
    expect(reply.status).toBe(200)
    expect(await sessionOf(world.service, request)).toMatchObject({ state: 'ResponseVerified' })
    const { credentials, discarded } = await world.resultOf(request)
    expect(credentials.map((one: { credentialQueryId: string }) => one.credentialQueryId)).toEqual(['needed'])
    expect(discarded).toEqual([{ credentialQueryId: 'spare', reason: `Presentation for spare: ${WRONG_NONCE}` }])
  })

  it('if it is one of several under multiple', async () => {
    const { asked: request, payload } = await world.asked('dc+sd-jwt', {
      dcqlQuery: dcql(world.service, 'dc+sd-jwt', { multiple: true }),
    })
    const purchase = [await bad(payload), await good(payload), 'x~']
    expect((await answer(payload, { purchase })).status).toBe(200)
    const { credentials, discarded } = await world.resultOf(request)
    expect(credentials).toHaveLength(1)
    expect(discarded).toEqual([
      { credentialQueryId: 'purchase', reason: `Presentation 1 for purchase: ${WRONG_NONCE}` },
      { credentialQueryId: 'purchase', reason: expect.stringMatching(/^Presentation 3 for purchase: Credential is/) },
    ])
  })

  it('if another option of its set is answered too', async () => {
    const { request, payload } = await asked(
      { one: 'dc+sd-jwt', other: 'jwt_vc_json' },
      { credential_sets: [{ options: [['one'], ['other']] }] },
    )
    const reply = await answer(payload, { one: [await bad(payload)], other: [await good(payload, 'jwt_vc_json')] })
    expect(reply.status).toBe(200)
    expect((await world.resultOf(request)).discarded).toHaveLength(1)
  })

  it('if the credential does not match its query', async () => {
    const { request, payload } = await asked(
      { needed: 'dc+sd-jwt', spare: 'dc+sd-jwt' },
      { credential_sets: REQUIRED_AND_OPTIONAL },
    )
    const undisclosed = await present(world.held['dc+sd-jwt'], world.wallet, payload, { disclose: [] })
    expect((await answer(payload, { needed: [await good(payload)], spare: [undisclosed] })).status).toBe(200)
    expect((await world.resultOf(request)).discarded).toEqual([
      { credentialQueryId: 'spare', reason: 'Credential spare does not hold the claim product.' },
    ])
  })

  it('if the other format answers an item of a VP query', async () => {
    const dear = { path: ['$.credentialSubject.price'], filter: { type: 'number', maximum: 1 } }
    const cheap = await issue(world.service, world.wallet, 'jwt_vc_json', { product: 'Cup', price: 1 })
    const request = await ask(world.service, {
      query: [{ fields: [...ITEM.fields, dear] }],
      responseMode: 'direct_post',
    })
    const payload = await fetchRequest(request)
    const disclose = [['product'], ['price']]
    const reply = await answer(payload, {
      'item-0-sd-jwt': [await present(world.held['dc+sd-jwt'], world.wallet, payload, { disclose })],
      'item-0-jwt-vc': [await present(cheap, world.wallet, payload)],
    })
    expect(reply.status).toBe(200)
    const { credentials, discarded } = await world.resultOf(request)
    expect(credentials).toMatchObject([{ credentialQueryId: 'item-0-jwt-vc' }])
    const reason = 'Presentation for item-0-sd-jwt: $.credentialSubject.price does not satisfy maximum of its filter.'
    expect(discarded).toEqual([{ credentialQueryId: 'item-0-sd-jwt', reason }])
  })

  it('but nothing is discarded if all presentations pass', async () => {
    const { asked: request, payload } = await world.asked('dc+sd-jwt')
    await answer(payload, { purchase: [await good(payload)] })
    expect((await world.resultOf(request)).discarded).toEqual([])
    const rows = await sql(
      world.service.databaseUrl,
      `SELECT discarded FROM verification_sessions WHERE id = '${request.verificationSessionId}'`,
    )
    expect(rows).toEqual([{ discarded: [] }])
  })
})

describe('the remaining presentations must satisfy the query', () => {
  it('the refusal names the needed presentation, not an unneeded presentation', async () => {
    const sets = [{ options: [['spare']], required: false }, { options: [['needed']] }]
    const { request, payload } = await asked({ spare: 'dc+sd-jwt', needed: 'dc+sd-jwt' }, { credential_sets: sets })
    const sentence = `Presentation for needed: ${WRONG_NONCE}`
    const vpToken = { spare: ['x~'], needed: [await bad(payload)] }
    await world.expectRefused(request, payload, vpToken, sentence)
    expect(await world.resultOf(request)).toMatchObject({ statusCode: 409 })
  })

  it('no presentation is left under multiple', async () => {
    const { asked: request, payload } = await world.asked('dc+sd-jwt', {
      dcqlQuery: dcql(world.service, 'dc+sd-jwt', { multiple: true }),
    })
    const purchase = [await bad(payload), 'x~']
    await world.expectRefused(request, payload, { purchase }, `Presentation 1 for purchase: ${WRONG_NONCE}`)
  })

  it('an entry that was not requested makes the whole answer wrong: it is not discarded', async () => {
    const { asked: request, payload } = await world.asked('dc+sd-jwt')
    const vpToken = { purchase: [await good(payload)], other: [await good(payload)] }
    await world.expectRefused(request, payload, vpToken, 'vp_token has an entry that the query does not ask for.')
  })
})
