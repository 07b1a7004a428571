import { afterAll, beforeAll, expect, it } from 'vitest'
import { postOffering, postSchema } from '../issuer/purchase.js'
import { query } from '../support/postgres.js'
import { startService, type TestService } from '../support/service.js'
import { inParallel } from './parallel.js'

const LIMIT = 10
const CLAIMS = 200
const AT_ONCE = 50

let service: TestService

beforeAll(async () => {
  service = await startService()
})
afterAll(() => service.close())

it('of 200 claims, 50 at once, a redemption_limit of 10 lets exactly 10 succeed and answers 409 to 190', async () => {
  const { name } = await postSchema(service, await service.bearer('alice'))
  const { id } = await postOffering(service, { credential_type: name, redemption_limit: LIMIT })
  const tokens = await Promise.all(Array.from({ length: AT_ONCE }, (_, number) => service.bearer(`claimant-${number}`)))
  const answers = await inParallel(CLAIMS, AT_ONCE, (number) =>
    service.request('POST', `/api/v1/offerings/${id}/claim`, { authorization: tokens[number % AT_ONCE] ?? '' }),
  )
  const claimed = answers.filter(({ status }) => status === 200)
  expect([claimed.length, answers.filter(({ status }) => status === 409).length]).toEqual([LIMIT, CLAIMS - LIMIT])
  const places = claimed.map(({ json }) => json.vc.credentialStatus[0].id)
  expect(new Set(places).size).toBe(LIMIT)

  const redemptions = await query(service.databaseUrl, 'SELECT credential_id FROM redemptions WHERE offering_id = $1', [
    id,
  ])
  expect(redemptions.map(({ credential_id }) => credential_id).sort()).toEqual(
    claimed.map(({ json }) => json.id).sort(),
  )
  const [stored] = await query(
    service.databaseUrl,
    `SELECT o.redemption_count, (SELECT count(*)::int FROM credentials) AS credentials,
       (SELECT count(DISTINCT (status_list_id, status_index))::int FROM credential_instances) AS places
     FROM offerings o WHERE o.id = $1`,
    [id],
  )
  expect(stored).toEqual({ redemption_count: LIMIT, credentials: LIMIT, places: LIMIT })
})
