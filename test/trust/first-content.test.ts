import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createTestDatabase } from '../support/postgres.js'
import { startService, type TestService } from '../support/service.js'
import { until } from '../support/until.js'
import { newWallet, type WalletActor } from '../support/wallet-actor.js'
import { makeLeaf, makeRoot, membership } from '../verifier/certified.js'
import { type ListServer, type Published, startListServer } from './list-server.js'
import { definition, listsFile, listsOf, makeList, makeOperator, refreshed, refusalOf, seconds } from './lists.js'

const PREFIX = 'Presentation for club: Issuer key cannot be resolved: '
const PATH = '/first.jwt'

const operator = makeOperator()
const authority = makeRoot('Authority')
const entities = [{ name: 'Ministry', issuance: [authority] }]

let lists: ListServer
let wallet: WalletActor
let credential: string
let database: Awaited<ReturnType<typeof createTestDatabase>>
let env: Record<string, string>

beforeAll(async () => {
  lists = await startListServer()
  wallet = await newWallet()
  credential = await membership(makeLeaf(authority), wallet)
  database = await createTestDatabase()
  env = {
    TRUST_LISTS: await listsFile(definition(`${lists.url}${PATH}`, operator)),
    TRUSTED_ISSUERS: 'self,x5c',
    OUTBOUND_ALLOWED_HOSTS: '127.0.0.1',
  }
})
afterAll(async () => {
  await lists.close()
  await database.drop()
})

/** Expects that each place names the failed check of the only list, and that nobody is trusted by it. */
async function expectNamed(service: TestService, check: string, sentence: string): Promise<void> {
  const reason = `list could not be read: ${sentence}`
  const [list, ...others] = await listsOf(service).all()
  expect(others).toEqual([])
  expect(list).toMatchObject({ state: 'unusable', check, entities: 0, reason: expect.stringContaining(reason) })
  expect(list).not.toHaveProperty('usableUntil')
  expect(await refusalOf(service, wallet, credential)).toBe(
    `${PREFIX}Issuer is not on the list ${lists.url}${PATH} (${list.reason}).`,
  )
  const readiness = await service.request('GET', '/health/readiness')
  expect([readiness.status, readiness.json.details.trustLists]).toEqual([200, { status: 'degraded', reason: check }])
  const setup = await service.request('GET', '/api/v1/setup?ask=false', { client: true })
  expect(setup.json.items.find(({ id }: { id: string }) => id === 'trustLists')).toMatchObject({
    state: 'failed',
    sentence: `No entity of the list ${lists.url}${PATH} is trusted: ${list.reason}.`,
  })
  const metrics = await service.platform.metrics.registry.metrics()
  expect(metrics).toContain('credence_trust_lists{state="unusable"} 1')
  expect(metrics).toContain('credence_trust_lists{state="usable"} 0')
  expect(metrics).not.toMatch(/^credence_trust_list_expiry_timestamp_seconds \d/m)
  const { places } = (await listsOf(service).explain({ credential })).json
  expect(places.find(({ listId }: { listId?: string }) => listId === list.id)).toEqual({
    name: `${lists.url}${PATH}`,
    listId: list.id,
    answer: 'unusable',
    sentence: `No entity of the list is trusted: ${list.reason}.`,
  })
}

const text = (list: Uint8Array): string => Buffer.from(list).toString()

/** Lists that are wrong before any list was good, each with its check and the begin of its sentence. */
const WRONG: readonly [check: string, published: () => Promise<Published | undefined>, sentence: string][] = [
  ['unreachable', async () => undefined, '127.0.0.1'],
  ['malformed', async () => ({ body: 'no list' }), 'The list is no signed list'],
  [
    'unsigned',
    async () => ({ body: text(await makeList(operator, entities)).replace(/[^.]*$/, '') }),
    'The list is not signed',
  ],
  [
    'signature',
    async () => {
      const [header, payload] = text(await makeList(operator, entities)).split('.')
      const [, , signature] = text(await makeList(operator, [])).split('.')
      return { body: `${header}.${payload}.${signature}` }
    },
    'The signature of the list does not fit its content and its signer',
  ],
  [
    'signer',
    async () => ({ body: await makeList(makeOperator(), entities) }),
    'The list is signed by a certificate that is not pinned',
  ],
  [
    'out-of-date',
    async () => ({ body: await makeList(operator, entities, { issuedAt: seconds(-900), nextUpdate: seconds(-60) }) }),
    'The list is out of date since ',
  ],
  [
    'not-yet-issued',
    async () => ({ body: await makeList(operator, entities, { issuedAt: seconds(3_600) }) }),
    'The list is issued in the future',
  ],
  [
    'type',
    async () => ({ body: await makeList(operator, entities, { type: 'https://x.example' }) }),
    'The list is of type',
  ],
  ['too-large', async () => ({ body: Buffer.alloc(16 * 1_048_576 + 1, 65) }), '127.0.0.1'],
]

describe('a list of TRUST_LISTS whose first content is wrong', () => {
  it.each(WRONG)('is closed and named everywhere: %s', async (check, published, sentence) => {
    const what = await published()
    if (what === undefined) lists.withdraw(PATH)
    else lists.publish(PATH, what)
    await using service = await startService({ env, maintenance: false })
    expect(await refreshed(service)).toBe(check)
    await expectNamed(service, check, sentence)
    expect(await service.platform.metrics.registry.metrics()).toContain(
      `credence_trust_list_reads_total{outcome="${check}"} 1`,
    )
  })

  it('is read by the maintenance job without a call, stays named after a restart, and is trusted once it is good', async () => {
    lists.publish(PATH, { body: await makeList(makeOperator(), entities) })
    const sentence = 'The list is signed by a certificate that is not pinned'
    {
      await using service = await startService({ env, databaseUrl: database.url, maintenanceEveryMs: 50 })
      await until(async () => (await listsOf(service).all())[0]?.check === 'signer')
      await expectNamed(service, 'signer', sentence)
    }
    await using service = await startService({ env, databaseUrl: database.url, maintenance: false })
    await expectNamed(service, 'signer', sentence)
    lists.publish(PATH, { body: await makeList(operator, entities) })
    expect(await refreshed(service)).toBe('changed')
    expect(await refusalOf(service, wallet, credential)).toBeUndefined()
    expect((await service.request('GET', '/health/readiness')).json.details.trustLists).toEqual({ status: 'up' })
  })
})
