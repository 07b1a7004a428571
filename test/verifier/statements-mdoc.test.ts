import { afterAll, beforeAll, expect, it } from 'vitest'
import { recordStatements, type StatementRecord } from '../support/statements.js'
import { answer, ask, fetchRequest } from './actors.js'
import { LICENCE, useMdocVerifier } from './mdoc.js'

const world = useMdocVerifier({}, { maintenance: false })

let statements: StatementRecord
beforeAll(() => {
  statements = recordStatements()
})
afterAll(() => statements.stop())

it('a session about a mobile document takes as many statements as any other: two to make, one to fetch, and two to answer if its status is not in a list of this service', async () => {
  const counts: number[][] = []
  const countOf = async <Result>(step: () => Promise<Result>): Promise<[number, Result]> => {
    statements.clear()
    const result = await step()
    await new Promise((resolve) => setTimeout(resolve, 50))
    return [statements.sent().length, result]
  }
  // The first run loads keys and opens connections, so it is not counted.
  for (let round = 0; round < 2; round += 1) {
    const body = { responseMode: 'direct_post', dcqlQuery: { credentials: [LICENCE] } }
    const [made, asked] = await countOf(() => ask(world.service, body))
    const [fetched, payload] = await countOf(() => fetchRequest(asked))
    const shown = await world.present(world.redirect(payload))
    const [answered, reply] = await countOf(() => answer(payload, { licence: [shown] }))
    expect(reply.status).toBe(200)
    counts.push([made, fetched, answered])
  }
  expect(counts[1]).toEqual([2, 1, 2])
})
