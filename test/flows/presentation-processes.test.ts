import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { killListeners, listeners } from '../events/actors.js'
import { readEvents } from '../issuer/openid4vci/event-reader.js'
import { startService, type TestService } from '../support/service.js'
import { answer, ask, dcql, fetchRequest, makeWorld, present } from '../verifier/actors.js'

/** Two processes of one installation. In this test they are two complete services with one database. */
let a: TestService
let b: TestService
let world: Awaited<ReturnType<typeof makeWorld>>

beforeAll(async () => {
  a = await startService()
  b = await startService({
    databaseUrl: a.databaseUrl,
    identityProvider: a.identityProvider,
    env: { ISSUER_BASE_URL: a.url, VERIFIER_BASE_URL: a.url },
  })
  world = await makeWorld(a)
})
afterAll(async () => {
  await b.close()
  await a.close()
})

const atB = (url: string) => url.replace(a.url, b.url)

async function nextState(stream: Awaited<ReturnType<typeof readEvents>>) {
  const { id, data } = await stream.next()
  return [id, JSON.parse(data ?? '').state]
}

async function subscribeAtA(sessionId: string) {
  return readEvents(a, `/verification-sessions/${sessionId}/events`, { authorization: await a.bearer('verifier') })
}

describe('two processes behind one database', () => {
  it('the events arrive at one process if the request is fetched and answered at the other', async () => {
    const asked = await ask(a, { dcqlQuery: dcql(a, 'dc+sd-jwt'), responseMode: 'direct_post' })
    await using stream = await subscribeAtA(asked.verificationSessionId)
    expect(await nextState(stream)).toEqual(['1', 'RequestCreated'])
    const payload = await fetchRequest({ request_uri: atB(asked.request_uri) })
    expect(await nextState(stream)).toEqual(['2', 'RequestUriRetrieved'])
    const purchase = [await present(world.held['dc+sd-jwt'], world.wallet, payload)]
    expect((await answer({ ...payload, response_uri: atB(payload.response_uri) }, { purchase })).status).toBe(200)
    expect(await nextState(stream)).toEqual(['3', 'ResponseVerified'])
  })

  it('two changes of the session during an outage of the LISTEN connection arrive in order and once', async () => {
    const asked = await ask(a, { dcqlQuery: dcql(a, 'dc+sd-jwt'), responseMode: 'direct_post' })
    await using stream = await subscribeAtA(asked.verificationSessionId)
    expect(await nextState(stream)).toEqual(['1', 'RequestCreated'])
    await vi.waitFor(async () => expect((await listeners(a.databaseUrl)).length).toBeGreaterThan(0), {
      timeout: 60_000,
    })

    expect(await killListeners(a.databaseUrl)).toBeGreaterThan(0)
    const payload = await fetchRequest({ request_uri: atB(asked.request_uri) })
    const purchase = [await present(world.held['dc+sd-jwt'], world.wallet, payload)]
    expect((await answer({ ...payload, response_uri: atB(payload.response_uri) }, { purchase })).status).toBe(200)

    expect(await nextState(stream)).toEqual(['2', 'RequestUriRetrieved'])
    expect(await nextState(stream)).toEqual(['3', 'ResponseVerified'])
    const quiet = stream.next()
    quiet.catch(() => {})
    expect(await Promise.race([quiet, new Promise((resolve) => setTimeout(resolve, 1_000, 'nothing more'))])).toBe(
      'nothing more',
    )
  })
})
