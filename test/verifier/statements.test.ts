import { afterAll, beforeAll, expect, it } from 'vitest'
import { recordStatements, type StatementRecord } from '../support/statements.js'
import { answer, ask, fetchRequest, ITEM, present, queryIds } from './actors.js'
import { askBrowser, credentialWith, parametersOf, postFrom, SHOP } from './browser.js'
import { useWorld } from './world.js'

const world = useWorld({ maintenance: false })

let statements: StatementRecord
beforeAll(() => {
  statements = recordStatements()
})
afterAll(() => statements.stop())

/** Runs a step and counts its statements, also the statements after its answer. */
async function countOf<Result>(step: () => Promise<Result>): Promise<[number, Result]> {
  statements.clear()
  const result = await step()
  await new Promise((resolve) => setTimeout(resolve, 50))
  return [statements.sent().length, result]
}

/** Reads a stream of events until a text has arrived. */
async function openStream(sessionId: string) {
  const stop = new AbortController()
  const response = await fetch(`${world.service.url}/verification-sessions/${sessionId}/events`, {
    headers: { authorization: await world.service.bearer('verifier') },
    signal: stop.signal,
  })
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
  let seen = ''
  return {
    async until(text: string) {
      while (!seen.includes(text)) seen += (await reader?.read())?.value ?? ''
    },
    close: () => stop.abort(),
  }
}

it('a session takes seven statements: two to make, one to watch, one to fetch, three to answer', async () => {
  const counts: number[][] = []
  // The first round also loads keys and opens connections and the listener. So only the second round is compared.
  for (let round = 0; round < 2; round += 1) {
    const [made, asked] = await countOf(() => ask(world.service, { query: [ITEM], responseMode: 'direct_post' }))
    const [watched, stream] = await countOf(async () => {
      const opened = await openStream(asked.verificationSessionId)
      await opened.until('RequestCreated')
      return opened
    })
    const [fetched, payload] = await countOf(async () => {
      const request = await fetchRequest(asked)
      await stream.until('RequestUriRetrieved')
      return request
    })
    const presentation = await present(world.held['dc+sd-jwt'], world.wallet, payload)
    const token = Object.fromEntries(queryIds(payload, 'dc+sd-jwt').map((id) => [id, [presentation]]))
    const [answered, reply] = await countOf(async () => {
      const sent = await answer(payload, token)
      await stream.until('ResponseVerified')
      return sent
    })
    expect(reply.status).toBe(200)
    stream.close()
    counts.push([made, watched, fetched, answered])
  }
  expect(counts[1]).toEqual([2, 1, 1, 3])
})

it('a session over the Digital Credentials API takes five statements: two to make, three to answer', async () => {
  const counts: number[][] = []
  const held = world.held['dc+sd-jwt']
  for (let round = 0; round < 2; round += 1) {
    const body = { query: [ITEM], responseMode: 'dc_api.jwt', signed: true }
    const [made, asked] = await countOf(() => askBrowser(world.service, body))
    const { digitalCredentialRequest: request } = asked
    const audience = { audience: `origin:${SHOP}` }
    const shown = await present(held, world.wallet, parametersOf(request), audience)
    const ids = queryIds(parametersOf(request), 'dc+sd-jwt')
    const answered = await credentialWith(request, { vp_token: Object.fromEntries(ids.map((id) => [id, [shown]])) })
    const [count, reply] = await countOf(() => postFrom(SHOP, asked, answered))
    expect(reply.status).toBe(200)
    counts.push([made, count])
  }
  expect(counts[1]).toEqual([2, 3])
})

it('evidence takes no statement of its own; an own credential takes one, for its published status list', async () => {
  const counts: number[][] = []
  // The first round signs the status list, which the service then caches.
  for (let round = 0; round < 2; round += 1) {
    const body = { query: [ITEM], responseMode: 'direct_post', keepEvidence: true, evidenceRetention: { days: 30 } }
    const [made, asked] = await countOf(() => ask(world.service, body))
    const [fetched, payload] = await countOf(() => fetchRequest(asked))
    const presentation = await present(world.held['dc+sd-jwt'], world.wallet, payload)
    const token = Object.fromEntries(queryIds(payload, 'dc+sd-jwt').map((id) => [id, [presentation]]))
    const [answered, reply] = await countOf(() => answer(payload, token))
    expect(reply.status).toBe(200)
    counts.push([made, fetched, answered])
  }
  expect(counts[1]).toEqual([2, 1, 4])
})
