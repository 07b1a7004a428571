import { describe, expect, it } from 'vitest'
import { answer, dcql, encrypt, issue, postForm, present, sessionOf } from '../actors.js'
import { FORMATS, useWorld } from '../world.js'

const world = useWorld()
const kb = 'Presentation for purchase: Key Binding JWT'
const vp = 'Presentation for purchase: Presentation'

describe('replay', () => {
  it.each(FORMATS)('of an accepted response: refused, and the session stays verified (%s)', async (format) => {
    const { asked: request, payload } = await world.asked(format)
    const vpToken = { purchase: [await present(world.held[format], world.wallet, payload)] }
    expect((await answer(payload, vpToken)).status).toBe(200)
    const again = await answer(payload, vpToken)
    expect([again.status, again.json.error_description]).toEqual([400, 'Authorization request was answered already.'])
    expect((await sessionOf(world.service, request)).state).toBe('ResponseVerified')
  })

  it.each([
    ['dc+sd-jwt', `${kb} nonce is not that of the request.`],
    ['jwt_vc_json', `${vp} nonce is not that of the request.`],
  ] as const)('of a presentation in another session (%s)', async (format, sentence) => {
    const first = await world.asked(format)
    const presentation = await present(world.held[format], world.wallet, first.payload)
    const second = await world.asked(format)
    await world.expectRefused(second.asked, second.payload, { purchase: [presentation] }, sentence)
    expect((await sessionOf(world.service, first.asked)).state).toBe('RequestUriRetrieved')
  })

  it('of a whole response in another session: its state belongs to the first session', async () => {
    const first = await world.asked('dc+sd-jwt')
    const vpToken = { purchase: [await present(world.held['dc+sd-jwt'], world.wallet, first.payload)] }
    const second = await world.asked('dc+sd-jwt')
    const reply = await answer(second.payload, vpToken, first.payload.state)
    await world.expectStillOpen(second.asked, reply, 'Parameter state is not that of the request.')
  })

  it('of an encrypted response in another session: it is encrypted for another key', async () => {
    const responseMode = 'direct_post.jwt'
    const first = await world.asked('dc+sd-jwt', { responseMode })
    const response = await encrypt(first.payload, { vp_token: {}, state: first.payload.state })
    const second = await world.asked('dc+sd-jwt', { responseMode })
    const reply = await postForm(second.payload.response_uri, { response })
    await world.expectStillOpen(second.asked, reply, 'Response is encrypted for another key.')
  })
})

describe('two answers at once', () => {
  it.each(FORMATS)('one is accepted, the other is refused, and the session ends once (%s)', async (format) => {
    const { asked: request, payload } = await world.asked(format)
    const purchase = [await present(world.held[format], world.wallet, payload)]
    const replies = await Promise.all(Array.from({ length: 8 }, () => answer(payload, { purchase })))
    expect(replies.map(({ status }) => status).sort()).toEqual([200, 400, 400, 400, 400, 400, 400, 400])
    expect((await sessionOf(world.service, request)).state).toBe('ResponseVerified')
    const events = await world.service.platform.stores.events.after([
      { sessionId: request.verificationSessionId, after: 0 },
    ])
    expect(events.map(({ seq }) => seq)).toEqual([1, 2, 3])
  })

  it('a valid and an invalid answer: the session ends once, and its state does not change again', async () => {
    const { asked: request, payload } = await world.asked('dc+sd-jwt')
    const good = await present(world.held['dc+sd-jwt'], world.wallet, payload)
    const bad = await present(world.held['dc+sd-jwt'], world.wallet, payload, { nonce: 'another' })
    const replies = await Promise.all([good, bad, good, bad].map((one) => answer(payload, { purchase: [one] })))
    const state = replies.some(({ status }) => status === 200) ? 'ResponseVerified' : 'Error'
    expect((await sessionOf(world.service, request)).state).toBe(state)
  })
})

describe('status', () => {
  it.each(FORMATS)('a credential that is revoked between presentation and check (%s)', async (format) => {
    const held = await issue(world.service, world.wallet, format)
    const { asked: request, payload } = await world.asked(format)
    const presentation = await present(held, world.wallet, payload)
    const revoked = await world.service.request('POST', `/api/v1/credentials/${held.id}/revoke`, { client: true })
    expect(revoked.status).toBe(200)
    const sentence = 'Presentation for purchase: Credential has been revoked.'
    await world.expectRefused(request, payload, { purchase: [presentation] }, sentence)
  })

  it('of several credentials is read for each', async () => {
    const [good, bad] = [world.held['dc+sd-jwt'], await issue(world.service, world.wallet, 'dc+sd-jwt')]
    await world.service.request('POST', `/api/v1/credentials/${bad.id}/revoke`, { client: true })
    const dcqlQuery = dcql(world.service, 'dc+sd-jwt', { multiple: true })
    const { asked: request, payload } = await world.asked('dc+sd-jwt', { dcqlQuery })
    const presentations = await Promise.all([good, bad].map((held) => present(held, world.wallet, payload)))
    expect((await answer(payload, { purchase: presentations })).status).toBe(200)
    const { credentials, discarded } = await world.resultOf(request)
    expect(credentials).toHaveLength(1)
    const reason = 'Presentation 2 for purchase: Credential has been revoked.'
    expect(discarded).toEqual([{ credentialQueryId: 'purchase', reason }])
  })
})
