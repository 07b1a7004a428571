import { afterAll, beforeAll, expect, it } from 'vitest'
import { query } from '../support/postgres.js'
import { startService, type TestService } from '../support/service.js'
import { newWallet } from '../support/wallet-actor.js'
import { makeLeaf, makeRoot, membership } from '../verifier/certified.js'
import { type ListServer, startListServer } from './list-server.js'
import { definition, listsFile, listsOf, makeList, makeOperator, refreshed, refusalOf } from './lists.js'

const operator = makeOperator()
const authority = makeRoot('Authority')

let lists: ListServer
let service: TestService

beforeAll(async () => {
  lists = await startListServer()
  service = await startService({
    maintenance: false,
    env: {
      TRUST_LISTS: await listsFile(definition(`${lists.url}/pid.jwt`, operator)),
      TRUSTED_ISSUERS: 'self,x5c',
      OUTBOUND_ALLOWED_HOSTS: '127.0.0.1',
    },
  })
})
afterAll(async () => {
  await service.close()
  await lists.close()
})

it('a fault of the service itself is named, tried again later, and leaves the last good list in use', async () => {
  const body = await makeList(operator, [{ name: 'Ministry', issuance: [authority] }])
  lists.publish('/pid.jwt', { body, etag: '"one"' })
  expect(await refreshed(service)).toBe('changed')
  // The address confirms a content that the database has lost.
  const [stored] = await query(service.databaseUrl, 'SELECT content FROM trust_list_documents')
  await query(service.databaseUrl, 'UPDATE trust_list_documents SET content = NULL')
  expect(await refreshed(service)).toBe('failed')
  const [list] = await listsOf(service).all()
  expect(list).toMatchObject({ state: 'failing', check: 'failed', reason: 'The service could not read the list' })
  expect((await service.request('GET', '/health/readiness')).json.details.trustLists.reason).toBe('failed')
  const wallet = await newWallet()
  expect(await refusalOf(service, wallet, await membership(makeLeaf(authority), wallet))).toBeUndefined()
  const [due] = await query(
    service.databaseUrl,
    "SELECT leased_until IS NULL AS free, due_at > now() + interval '200 seconds' AS later FROM trust_list_documents",
  )
  expect(due).toEqual({ free: true, later: true })
  await query(service.databaseUrl, 'UPDATE trust_list_documents SET content = $1', [stored?.content])
  expect(await refreshed(service)).toBe('unchanged')
  expect((await listsOf(service).all())[0].state).toBe('usable')
})

it('the next reading of a list is a little earlier than in an hour, and each time at another moment', async () => {
  const body = await makeList(operator, [{ name: 'Ministry', issuance: [authority] }])
  lists.publish('/pid.jwt', { body })
  const secondsUntilDue = async () => {
    await refreshed(service)
    const [row] = await query(
      service.databaseUrl,
      'SELECT extract(epoch FROM due_at - checked_at)::float8 AS seconds FROM trust_list_documents',
    )
    return row?.seconds
  }
  const times = [await secondsUntilDue(), await secondsUntilDue(), await secondsUntilDue()]
  expect(new Set(times).size).toBe(3)
  for (const time of times) {
    expect(time).toBeGreaterThanOrEqual(2_880)
    expect(time).toBeLessThanOrEqual(3_600)
  }
})
