import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createTestDatabase, query } from '../support/postgres.js'
import { startService, type TestService } from '../support/service.js'
import { until } from '../support/until.js'
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

describe('a list that is being read', () => {
  /** Begins to read the list, whose address does not answer before `answer` is called. */
  const begin = async (sequence: number) => {
    const body = await makeList(operator, [{ name: 'Ministry', issuance: [authority] }], { sequence })
    let answer = () => {}
    const after = new Promise<void>((resolve) => {
      answer = resolve
    })
    lists.publish('/pid.jwt', { body, after })
    const [{ id }] = await listsOf(service).all()
    const before = lists.requests.length
    const reading = listsOf(service).refresh(id)
    await until(async () => lists.requests.length > before)
    return { id, reading, answer }
  }

  it('is read by nobody else at the same time', async () => {
    const { id, reading, answer } = await begin(2)
    const asked = lists.requests.length
    const second = await listsOf(service).refresh(id)
    expect([second.status, second.json.message]).toEqual([409, 'Trusted list is being read at the moment.'])
    expect(lists.requests.length).toBe(asked)
    answer()
    expect((await reading).json.outcome).toBe('changed')
    expect((await listsOf(service).refresh(id)).status).toBe(200)
  })

  it('attack: does not replace content that was stored meanwhile, because it was not compared with it', async () => {
    const { reading, answer } = await begin(3)
    await query(
      service.databaseUrl,
      'UPDATE trust_list_documents SET version = version + 1, sequence_number = 9, leased_until = NULL',
    )
    answer()
    await reading
    expect(await query(service.databaseUrl, 'SELECT sequence_number::int AS n FROM trust_list_documents')).toEqual([
      { n: 9 },
    ])
    expect(await refreshed(service)).toBe('sequence-went-back')
  })
})

it('a process whose clock is behind refuses a list of its future, and takes it as soon as its clock is right', async () => {
  const database = await createTestDatabase()
  const env = {
    TRUST_LISTS: await listsFile(definition(`${lists.url}/clock.jwt`, operator)),
    OUTBOUND_ALLOWED_HOSTS: '127.0.0.1',
  }
  lists.publish('/clock.jwt', { body: await makeList(operator, [{ name: 'Ministry', issuance: [authority] }]) })
  const shared = { env, databaseUrl: database.url, maintenance: false }
  {
    await using first = await startService(shared)
    expect(await refreshed(first)).toBe('changed')
    let now = new Date(Date.now() - 1_800_000)
    await using behind = await startService({ ...shared, clock: () => now })
    const [early] = await listsOf(behind).all()
    expect(early).toMatchObject({ state: 'unusable', reason: expect.stringMatching(/in the future/) })
    now = new Date()
    expect((await listsOf(behind).all())[0].state).toBe('usable')
  }
  await database.drop()
})
