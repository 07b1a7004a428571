import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { signCompact } from '../../server/protocol/jose/jws.js'
import type { TestCertificate } from '../protocol/issuer-keys/certificates.js'
import { createTestDatabase } from '../support/postgres.js'
import { startService, type TestService } from '../support/service.js'
import { until } from '../support/until.js'
import { newWallet, type WalletActor } from '../support/wallet-actor.js'
import { MEMBERSHIP, makeLeaf, makeRoot, membership, signerOf } from '../verifier/certified.js'
import { type ListServer, startListServer } from './list-server.js'
import {
  definition,
  type Entity,
  keyRefusalOf,
  listsFile,
  listsOf,
  makeList,
  makeOperator,
  refreshed,
  refusalOf,
  seconds,
} from './lists.js'

const PREFIX = 'Presentation for club: Issuer key cannot be resolved: '
const operator = makeOperator()
const authority = makeRoot('Authority')

let lists: ListServer
let wallet: WalletActor
let database: Awaited<ReturnType<typeof createTestDatabase>>

beforeAll(async () => {
  lists = await startListServer()
  wallet = await newWallet()
  database = await createTestDatabase()
})
afterAll(async () => {
  await lists.close()
  await database.drop()
})

const environment = async (path: string, more: Readonly<Record<string, unknown>> = {}) => ({
  TRUST_LISTS: await listsFile(definition(`${lists.url}${path}`, operator, more)),
  TRUSTED_ISSUERS: 'self,x5c',
  OUTBOUND_ALLOWED_HOSTS: '127.0.0.1',
})

const credentialOf = (leaf: TestCertificate) => membership(leaf, wallet)

describe('two processes', () => {
  it('both refuse an issuer soon after the list has removed it, also if only one of them reads the list', async () => {
    const path = '/two.jwt'
    lists.publish(path, { body: await makeList(operator, [{ name: 'Ministry', issuance: [authority] }]) })
    const env = await environment(path)
    const shared = { env, databaseUrl: database.url, trustListsEveryMs: 200, maintenance: false }
    await using first = await startService(shared)
    await using second = await startService(shared)
    expect(await refreshed(first)).toBe('changed')
    const credential = await credentialOf(makeLeaf(authority))
    const accepts = async (service: TestService) => (await refusalOf(service, wallet, credential)) === undefined
    await until(() => accepts(second))
    expect(await accepts(first)).toBe(true)
    const left = await makeList(operator, [{ name: 'Agency', issuance: [makeRoot('Other')] }], { sequence: 2 })
    lists.publish(path, { body: left })
    expect(await refreshed(first)).toBe('changed')
    expect(await refusalOf(first, wallet, credential)).toBe(`${PREFIX}Issuer is not on the list ${lists.url}${path}.`)
    await until(async () => !(await accepts(second)))
  })

  it('read a list by the maintenance job without a call', async () => {
    const path = '/job.jwt'
    lists.publish(path, { body: await makeList(operator, [{ name: 'Ministry', issuance: [authority] }]) })
    await using service = await startService({ env: await environment(path), maintenanceEveryMs: 50 })
    const credential = await credentialOf(makeLeaf(authority))
    await until(async () => (await refusalOf(service, wallet, credential)) === undefined)
  })
})

describe('a service that starts without network', () => {
  it('serves the last good list until its own end, and not a minute longer', async () => {
    const path = '/offline.jwt'
    const end = Math.floor(Date.now() / 1000) * 1000 + 3_600_000
    const nextUpdate = seconds(0, end)
    const body = await makeList(operator, [{ name: 'Ministry', issuance: [authority] }], { nextUpdate })
    lists.publish(path, { body })
    const env = await environment(path)
    {
      await using online = await startService({ env, databaseUrl: database.url, maintenance: false })
      expect(await refreshed(online)).toBe('changed')
    }
    lists.withdraw(path)
    let now = new Date(end - 60_000)
    const options = { env, databaseUrl: database.url, maintenance: false, clock: () => now }
    const credential = await credentialOf(makeLeaf(authority))
    const sentence = `Issuer is not on the list ${lists.url}${path} (list is out of date since ${new Date(end).toISOString()}`
    {
      await using offline = await startService(options)
      expect(await refreshed(offline)).toBe('unreachable')
      expect(await keyRefusalOf(offline, credential)).toBeUndefined()
      now = new Date(end - 1_000)
      expect(await keyRefusalOf(offline, credential)).toBeUndefined()
      now = new Date(end)
      expect(await keyRefusalOf(offline, credential)).toContain(sentence)
      expect((await offline.request('GET', '/health/readiness')).json.details.trustLists).toEqual({
        status: 'degraded',
        reason: 'out-of-date',
      })
    }
    await using later = await startService(options)
    expect(await keyRefusalOf(later, credential)).toContain(sentence)
  })

  it('trusts a list with maxAgeHours only as long as its address has confirmed it lately', async () => {
    const path = '/age.jwt'
    lists.publish(path, { body: await makeList(operator, [{ name: 'Ministry', issuance: [authority] }]) })
    let now = new Date()
    await using service = await startService({
      env: await environment(path, { maxAgeHours: 1 }),
      maintenance: false,
      clock: () => now,
    })
    expect(await refreshed(service)).toBe('changed')
    const credential = await credentialOf(makeLeaf(authority))
    expect(await keyRefusalOf(service, credential)).toBeUndefined()
    now = new Date(now.getTime() + 3_601_000)
    expect(await keyRefusalOf(service, credential)).toContain('list was last confirmed at')
    expect(await refreshed(service)).toBe('unchanged')
    expect(await keyRefusalOf(service, credential)).toBeUndefined()
  })
})

describe('a list', () => {
  it('counts only for its types', async () => {
    const path = '/types.jwt'
    lists.publish(path, { body: await makeList(operator, [{ name: 'Ministry', issuance: [authority] }]) })
    await using service = await startService({
      env: await environment(path, { types: ['urn:eudi:pid:1'] }),
      maintenance: false,
    })
    expect(await refreshed(service)).toBe('changed')
    const credential = await credentialOf(makeLeaf(authority))
    expect(await refusalOf(service, wallet, credential)).toContain(`no list is for the type ${MEMBERSHIP}`)
    const added = await listsOf(service).add({
      ...definition(`${lists.url}${path}?typed`, operator, { types: [MEMBERSHIP] }),
    })
    expect(added.json.check).toBe('unreachable')
    lists.publish(`${path}?typed`, { body: await makeList(operator, [{ name: 'Ministry', issuance: [authority] }]) })
    expect((await listsOf(service).refresh(added.json.id)).json.outcome).toBe('changed')
    expect(await refusalOf(service, wallet, credential)).toBeUndefined()
  })

  it.each([
    ['a docType beside its own type', { docType: 'urn:eudi:pid:1' }, ['Diploma'], 'type Diploma'],
    ['a vct beside its own type', { vct: 'urn:eudi:pid:1' }, ['Diploma'], 'type Diploma'],
    ['a covered type beside another type', {}, ['urn:eudi:pid:1', 'Diploma'], 'type Diploma'],
    ['40 types', {}, Array.from({ length: 40 }, (_, at) => `Type${at}`), 'more than 32 types'],
    ['only the covered type', {}, ['urn:eudi:pid:1'], undefined],
  ])('that is limited to a type: a JWT VC with %s', async (_, members, types, reason) => {
    const path = `/limited-${types.length}-${Object.keys(members).join('')}.jwt`
    lists.publish(path, { body: await makeList(operator, [{ name: 'Ministry', issuance: [authority] }]) })
    await using service = await startService({
      env: await environment(path, { types: ['urn:eudi:pid:1'] }),
      maintenance: false,
    })
    expect(await refreshed(service)).toBe('changed')
    const iss = 'https://club.example'
    const leaf = makeLeaf(authority, { uri: [iss] })
    const vc = {
      '@context': ['https://www.w3.org/2018/credentials/v1'],
      type: ['VerifiableCredential', ...types],
      credentialSubject: { level: 'gold' },
    }
    const header = { typ: 'JWT', kid: undefined, x5c: [leaf.x5c] }
    const credential = await signCompact(await signerOf(leaf), header, { iss, nbf: 1_700_000_000, vc, ...members })
    const refusal = await keyRefusalOf(service, credential)
    if (reason === undefined) expect(refusal).toBeUndefined()
    else expect(refusal).toContain(reason)
  })

  it('of 3,000 entities is read in a thread of its own, while requests are answered', async () => {
    const path = '/long.jwt'
    const one = makeRoot('Many')
    const many: Entity[] = Array.from({ length: 3_000 }, (_, at) => ({ name: `Entity ${at}`, issuance: [one] }))
    lists.publish(path, { body: await makeList(operator, [...many, { name: 'Last', issuance: [authority] }]) })
    await using service = await startService({ env: await environment(path), maintenance: false })
    let threads = 0
    const count = () => {
      threads += 1
    }
    process.on('worker', count)
    expect(await refreshed(service)).toBe('changed')
    process.off('worker', count)
    expect((await listsOf(service).all())[0].entities).toBe(3_001)
    expect(await refusalOf(service, wallet, await credentialOf(makeLeaf(authority)))).toBeUndefined()
    expect(threads).toBeGreaterThan(0)
  })
})
