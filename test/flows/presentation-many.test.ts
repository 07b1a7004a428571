import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { query } from '../support/postgres.js'
import { startService, type TestService } from '../support/service.js'
import { answer, ask, type Format, fetchRequest, ITEM, makeWorld, present, queryIds } from '../verifier/actors.js'

const FULL = process.env.PROOF === '1'
const SESSIONS = FULL ? 1_000 : 100
const CONCURRENCY = FULL ? 32 : 16

let service: TestService
let world: Awaited<ReturnType<typeof makeWorld>>
let authorization: string

beforeAll(async () => {
  service = await startService()
  world = await makeWorld(service)
  authorization = await service.bearer('verifier', { expiresIn: 3_600 })
})
afterAll(() => service.close())

/** Reads a session's stream up to its final state. */
async function statesSeen(sessionId: string, subscribed: () => void): Promise<string[]> {
  const controller = new AbortController()
  const response = await fetch(`${service.url}/verification-sessions/${sessionId}/events`, {
    headers: { authorization },
    signal: controller.signal,
  })
  const states: string[] = []
  let text = ''
  for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    text += chunk
    const events = text.split('\n\n')
    text = events.pop() ?? ''
    for (const event of events) {
      const data = /^event: session\ndata: (.*)$/m.exec(event)?.[1]
      if (data !== undefined) states.push(JSON.parse(data).state)
      subscribed()
    }
    if (states.at(-1) === 'ResponseVerified' || states.at(-1) === 'Error') break
  }
  controller.abort()
  return states
}

/**
 * Runs a whole exchange: makes a request, watches its session, fetches and answers the request, and reads the result.
 */
async function exchange(index: number): Promise<{ states: string[]; product: unknown }> {
  const format: Format = index % 2 === 0 ? 'dc+sd-jwt' : 'jwt_vc_json'
  const responseMode = index % 4 < 2 ? 'direct_post.jwt' : 'direct_post'
  const asked = await ask(service, { query: [ITEM], responseMode })
  let subscribed = () => {}
  const ready = new Promise<void>((resolve) => {
    subscribed = resolve
  })
  const seen = statesSeen(asked.verificationSessionId, subscribed)
  await ready
  const payload = await fetchRequest(asked)
  const [id = ''] = queryIds(payload, format)
  const reply = await answer(payload, { [id]: [await present(world.held[format], world.wallet, payload)] })
  if (reply.status !== 200) throw new Error(reply.text)
  const path = `/verification-sessions/${asked.verificationSessionId}/result`
  const result = await service.request('GET', path, { authorization })
  return { states: await seen, product: result.json.credentials[0].claims.product }
}

describe(`${SESSIONS} full sessions, ${CONCURRENCY} at once`, () => {
  it(
    'no session is lost or ends in a wrong state, and every subscriber saw all events in order',
    async () => {
      const outcomes: Awaited<ReturnType<typeof exchange>>[] = []
      let next = 0
      await Promise.all(
        Array.from({ length: CONCURRENCY }, async () => {
          while (next < SESSIONS) {
            next += 1
            outcomes.push(await exchange(next))
          }
        }),
      )
      expect(outcomes).toHaveLength(SESSIONS)
      const expected = {
        states: ['RequestCreated', 'RequestUriRetrieved', 'ResponseVerified'],
        product: 'Espresso machine',
      }
      expect(outcomes.filter((outcome) => JSON.stringify(outcome) !== JSON.stringify(expected))).toEqual([])
      const states = await query(
        service.databaseUrl,
        'SELECT state, count(*)::int FROM verification_sessions GROUP BY state',
      )
      expect(states).toEqual([{ state: 'ResponseVerified', count: SESSIONS }])
    },
    FULL ? 600_000 : 120_000,
  )
})
