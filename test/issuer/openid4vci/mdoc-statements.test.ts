import { afterAll, beforeAll, expect, it } from 'vitest'
import { recordStatements, type StatementRecord } from '../../support/statements.js'
import { credentialOf } from './actors.js'
import { LICENCE, MDOC, offerOf, startMdocIssuer } from './mdoc-actors.js'

let world: Awaited<ReturnType<typeof startMdocIssuer>>
let statements: StatementRecord

beforeAll(async () => {
  // There is no maintenance job, because its statements would be counted.
  world = await startMdocIssuer({ maintenance: false })
  statements = recordStatements()
})
afterAll(async () => {
  statements.stop()
  await world.close()
})

/**
 * Returns the smallest number of statements among three successive credential requests. At most one of the requests
 * reserves status indices.
 */
async function countOf(configuration: string): Promise<number> {
  const { issuer } = world
  const counts: number[] = []
  for (let time = 0; time < 3; time += 1) {
    const { credentialOfferSessionId: id } = await offerOf(issuer)
    const token = await issuer.token(id)
    statements.clear()
    credentialOf(await issuer.take(token, configuration))
    counts.push(statements.sent().length)
  }
  return Math.min(...counts)
}

it('issuing a mobile document takes as many statements as an SD-JWT VC: two', async () => {
  expect([await countOf(`${LICENCE}-sd-jwt`), await countOf(MDOC)]).toEqual([2, 2])
})
