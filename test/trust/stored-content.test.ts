import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createTestDatabase, query } from '../support/postgres.js'
import { startService, type TestService } from '../support/service.js'
import { newWallet, type WalletActor } from '../support/wallet-actor.js'
import { makeLeaf, makeRoot, membership } from '../verifier/certified.js'
import { type ListServer, startListServer } from './list-server.js'
import { definition, listsFile, listsOf, makeList, makeOperator, refreshed, refusalOf, seconds } from './lists.js'

const operator = makeOperator()
const authority = makeRoot('Authority')
const entities = [{ name: 'Ministry', issuance: [authority] }]

let lists: ListServer
let wallet: WalletActor
let credential: string

beforeAll(async () => {
  lists = await startListServer()
  wallet = await newWallet()
  credential = await membership(makeLeaf(authority), wallet)
})
afterAll(() => lists.close())

const environment = async (path: string) => ({
  TRUST_LISTS: await listsFile(definition(`${lists.url}${path}`, operator)),
  TRUSTED_ISSUERS: 'self,x5c',
  OUTBOUND_ALLOWED_HOSTS: '127.0.0.1',
})
const stateOf = async (service: TestService) => (await listsOf(service).all())[0]

describe('the stored content of a list', () => {
  it('is in force before a process answers its first request', async () => {
    const path = '/start.jwt'
    lists.publish(path, { body: await makeList(operator, entities) })
    const database = await createTestDatabase()
    const shared = { env: await environment(path), databaseUrl: database.url, maintenance: false }
    {
      await using first = await startService(shared)
      expect(await refreshed(first)).toBe('changed')
      await using second = await startService(shared)
      expect(await refusalOf(second, wallet, credential)).toBeUndefined()
    }
    await database.drop()
  })

  it.each([
    ['a list of another signer', 'signer', () => makeList(makeOperator(), entities, { sequence: 2 })],
    ['no list', 'malformed', async () => Buffer.from('no list')],
  ])(
    'attack: %s in the database is refused by each process, and the list before counts no more',
    async (_, check, made) => {
      const path = `/${check}.jwt`
      lists.publish(path, { body: await makeList(operator, entities) })
      await using service = await startService({ env: await environment(path), maintenance: false })
      expect(await refreshed(service)).toBe('changed')
      expect(await refusalOf(service, wallet, credential)).toBeUndefined()
      await query(service.databaseUrl, 'UPDATE trust_list_documents SET content = $1, version = version + 1', [
        Buffer.from(await made()),
      ])
      expect(await stateOf(service)).toMatchObject({ state: 'unusable', check, entities: 0 })
      expect(await refusalOf(service, wallet, credential)).toContain(`Issuer is not on the list ${lists.url}${path} (`)
      expect((await service.request('GET', '/health/readiness')).json.details.trustLists.reason).toBe(check)
    },
  )
})

it('content that the database has lost counts no more', async () => {
  const path = '/lost.jwt'
  lists.publish(path, { body: await makeList(operator, entities) })
  await using service = await startService({ env: await environment(path), maintenance: false })
  expect(await refreshed(service)).toBe('changed')
  await query(service.databaseUrl, 'DELETE FROM trust_list_documents')
  expect(await stateOf(service)).toMatchObject({ state: 'unusable', check: 'not-read', entities: 0 })
  expect(await refusalOf(service, wallet, credential)).toContain('(list has not been read yet)')
})

describe('a conditional request', () => {
  it('has the date of the content if there is no entity tag (RFC 9110 §13.1.3)', async () => {
    const path = '/dated.jwt'
    const lastModified = new Date(Date.now() - 60_000).toUTCString()
    lists.publish(path, { body: await makeList(operator, entities), lastModified })
    await using service = await startService({ env: await environment(path), maintenance: false })
    expect(await refreshed(service)).toBe('changed')
    expect(await refreshed(service)).toBe('unchanged')
    expect(lists.requests.at(-1)?.headers['if-modified-since']).toBe(lastModified)
  })

  it('attack: does not keep a list alive after its own end, although its address confirms it', async () => {
    const path = '/ended.jwt'
    const body = await makeList(operator, entities, { nextUpdate: seconds(3_600) })
    lists.publish(path, { body, etag: '"same"' })
    let now = new Date()
    await using service = await startService({
      env: await environment(path),
      maintenance: false,
      clock: () => now,
    })
    expect(await refreshed(service)).toBe('changed')
    now = new Date(now.getTime() + 3_601_000)
    expect(await refreshed(service)).toBe('out-of-date')
    expect(await stateOf(service)).toMatchObject({
      state: 'unusable',
      check: 'out-of-date',
      failingSince: expect.any(String),
    })
  })
})
