import { createPrivateKey } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { query } from '../support/postgres.js'
import { startService, type TestService } from '../support/service.js'
import { newWallet, type WalletActor } from '../support/wallet-actor.js'
import { makeLeaf, makeRoot, membership } from '../verifier/certified.js'
import { type ListServer, startListServer } from './list-server.js'
import { definition, listsFile, listsOf, makeList, makeOperator, refusalOf } from './lists.js'

const operator = makeOperator()
const authority = makeRoot('Authority')
const entities = [
  { name: 'Ministry', issuance: [authority] },
  { name: 'Agency', issuance: [makeRoot('Other')] },
]

let lists: ListServer
let service: TestService
let wallet: WalletActor

beforeAll(async () => {
  lists = await startListServer()
  lists.publish('/pid.jwt', { body: await makeList(operator, entities) })
  lists.publish('/more.jwt', { body: await makeList(operator, entities) })
  service = await startService({
    maintenance: false,
    env: {
      TRUST_LISTS: await listsFile(definition(`${lists.url}/configured.jwt`, operator)),
      TRUSTED_ISSUERS: 'self,x5c',
      OUTBOUND_ALLOWED_HOSTS: new URL(lists.url).host,
    },
  })
  wallet = await newWallet()
})
afterAll(async () => {
  await service.close()
  await lists.close()
})

const body = () => definition(`${lists.url}/pid.jwt`, operator, { note: 'PID of the EU' })

describe('/api/v1/trust-lists', () => {
  it('adds, shows, reads again and removes a list, with audit events', async () => {
    const api = listsOf(service)
    const added = await api.add(body())
    expect([added.status, added.json]).toEqual([
      201,
      expect.objectContaining({
        ...body(),
        source: 'api',
        state: 'usable',
        sequenceNumber: 1,
        entities: 2,
        operator: { en: 'The operator' },
        listTerritory: 'EU',
        signedBy: operator.certificate.fingerprint256,
      }),
    ])
    const { id } = added.json
    const credential = await membership(makeLeaf(authority), wallet)
    expect(await refusalOf(service, wallet, credential)).toBeUndefined()
    expect((await api.add(body())).json.message).toBe('url is a trusted list for this purpose already.')
    expect((await api.all()).map(({ source }: { source: string }) => source)).toEqual(['configuration', 'api'])
    expect((await api.refresh(id)).json).toMatchObject({ outcome: 'unchanged', list: { id } })

    const page = await api.entities(id, '?limit=1')
    expect(page.json).toMatchObject({ items: [{ names: { en: 'Ministry' } }], next: 1 })
    const [service1] = page.json.items[0].services
    expect(service1).toMatchObject({
      trustedFor: ['issuance'],
      isTrusted: true,
      status: 'granted',
      certificateCount: 1,
    })
    expect(service1.certificates[0].subject).toBe('CN=Authority')
    expect((await api.entities(id, '?after=1')).json.items[0].names.en).toBe('Agency')
    expect((await api.entities(id, '?search=agen')).json.items).toHaveLength(1)

    expect((await api.remove(id)).status).toBe(204)
    expect(await refusalOf(service, wallet, credential)).toContain('Issuer is not on the list')
    expect((await api.read(id)).json.message).toBe('Trusted list not found.')
    const events = await query(
      service.databaseUrl,
      `SELECT action FROM audit_events WHERE subject = 'trust-list' ORDER BY id`,
    )
    expect(events.map(({ action }) => action)).toEqual(['trust-list.added', 'trust-list.changed', 'trust-list.removed'])
  })

  it('removes no list of the configuration', async () => {
    const [configured] = await listsOf(service).all()
    const refused = await listsOf(service).remove(configured.id)
    expect([refused.status, refused.json.message]).toEqual([
      409,
      'Trusted list is in TRUST_LISTS and cannot be removed here.',
    ])
  })

  it.each([
    [{ url: 'https://127.0.0.1:1/list.jwt' }, 'url cannot be requested'],
    [{ url: 'no address' }, 'url must be an https URL without user name and fragment'],
    [{ kind: 'pem' }, 'kind must be lote, vical, tsl'],
    [{ serviceTypes: ['https://types.example/a'] }, 'serviceTypes must not be set beside profile'],
    [{ signer: {} }, 'signer'],
    [{ signer: { sha256: 'x' } }, 'signer.sha256 must be 64 hexadecimal digits'],
    [{ purpose: 'wallets', types: ['a'] }, 'types must not be set where purpose is wallets'],
  ])('refuses %j', async (members, message) => {
    const { status, json } = await listsOf(service).add({ ...body(), ...members })
    expect([status, JSON.stringify(json.message)]).toEqual([400, expect.stringContaining(message)])
  })

  it('is for admins', async () => {
    const authorization = await service.bearer('verifier')
    const answers = await Promise.all([
      service.request('GET', '/api/v1/trust-lists', { authorization }),
      service.request('POST', '/api/v1/trust-lists', { authorization, body: body() }),
    ])
    expect(answers.map(({ status }) => status)).toEqual([403, 403])
  })
})

describe('POST /api/v1/trust/explain', () => {
  it('names the list and the entity that vouch for a credential, and where the chain of another ends', async () => {
    const api = listsOf(service)
    const added = await api.add(definition(`${lists.url}/more.jwt`, operator))
    const trusted = await api.explain({ credential: await membership(makeLeaf(authority), wallet) })
    expect(trusted.json).toMatchObject({
      trusted: true,
      types: ['https://club.example/membership'],
      end: 'The chain ends with CN=Club, which CN=Authority has issued.',
      advice: [],
    })
    expect(trusted.json.places).toContainEqual({
      name: `${lists.url}/more.jwt`,
      listId: added.json.id,
      answer: 'trusted',
      entity: 'Ministry',
      sentence: 'The chain leads to a service of Ministry.',
    })
    const stranger = await api.explain({ certificate: makeLeaf(makeRoot('Stranger')).certificate.toString() })
    expect(stranger.json).toMatchObject({
      trusted: false,
      end: 'The chain ends with CN=Club, which CN=Stranger has issued.',
    })
    expect(stranger.json.places.map(({ answer }: { answer: string }) => answer)).toEqual([
      'not-trusted',
      'unusable',
      'not-trusted',
    ])
    expect(stranger.json.advice).toEqual([
      `Make the list ${lists.url}/configured.jwt usable again: read it again, or ask its operator.`,
      'Add a trusted list that has the issuer of the last certificate, or add its root to TRUST_ANCHORS.',
    ])
    await api.remove(added.json.id)
  })

  it.each([
    [{}, 'must have either credential or certificate'],
    [{ credential: 'nonsense' }, 'credential cannot be read'],
    [{ certificate: 'nonsense' }, 'certificate has no usable certificate chain'],
  ])('refuses %j', async (input, message) => {
    const { status, json } = await listsOf(service).explain(input)
    expect([status, JSON.stringify(json.message)]).toEqual([400, expect.stringContaining(message)])
  })
})

describe('a list that no longer has the certificate of an own issuer', () => {
  it('is taken, with an alert in the checklist, the metrics, the answer and an audit event', async () => {
    const own = makeLeaf(authority, { subject: 'Own issuer', dns: ['127.0.0.1'] })
    const { writeFileSync } = await import('node:fs')
    const path = await listsFile()
    const key = createPrivateKey(own.privateKey.export({ type: 'pkcs8', format: 'pem' }))
    writeFileSync(path, `${key.export({ type: 'pkcs8', format: 'pem' })}${own.certificate.toString()}`)
    lists.publish('/own.jwt', { body: await makeList(operator, entities) })
    await using with509 = await startService({
      maintenance: false,
      env: { ISSUER_X509: path, OUTBOUND_ALLOWED_HOSTS: new URL(lists.url).host },
    })
    const api = listsOf(with509)
    const { id } = (await api.add(definition(`${lists.url}/own.jwt`, operator))).json
    const without = await makeList(operator, entities.slice(1), { sequence: 2 })
    lists.publish('/own.jwt', { body: without })
    const { outcome, list } = (await api.refresh(id)).json
    expect([outcome, list.entities]).toEqual(['changed', 1])
    expect(list.alert).toMatch(/^The list .*\/own\.jwt no longer has the certificate of issuer [0-9a-f-]+\.$/)
    const setup = await with509.request('GET', '/api/v1/setup?ask=false', { client: true })
    const item = setup.json.items.find(({ id: itemId }: { id: string }) => itemId === 'trustLists')
    expect(item).toMatchObject({ state: 'failed', sentence: expect.stringContaining(list.alert) })
    expect(await with509.platform.metrics.registry.metrics()).toContain('credence_trust_list_alerts 1')
    const events = await query(
      with509.databaseUrl,
      `SELECT subject_id FROM audit_events WHERE action = 'trust-list.own_certificate_removed'`,
    )
    expect(events).toEqual([{ subject_id: list.contentId }])
    lists.publish('/own.jwt', { body: await makeList(operator, entities, { sequence: 3 }) })
    expect((await api.refresh(id)).json.list.alert).toBeUndefined()
  })
})
