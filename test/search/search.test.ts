import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { logIn, OF_CONSOLE, startConsole } from '../console/actors.js'
import { postSchema, SUBJECT } from '../issuer/purchase.js'
import { startService, type TestService } from '../support/service.js'
import { ITEM } from '../verifier/actors.js'

const ISSUER = 'credence-issuer'
const VERIFIER = 'credence-verifier'
const REFERENCE = 'M-2026-0042'
const LABEL = 'Ada  Lovelace Byron'
const NAMES = { reference: REFERENCE, label: LABEL }
const ROLES = { ida: [ISSUER], ivan: [ISSUER], vera: [VERIFIER], ada: ['admin'], eva: ['admin'], nils: [] } as const
type Person = keyof typeof ROLES
type Sender = Person | 'secret' | 'nobody'

interface Found {
  readonly kind: string
  readonly id: string
  readonly [member: string]: unknown
}

/** With ISSUER_ROLE and VERIFIER_ROLE. */
let strict: TestService
/** The same database without the two roles. */
let plain: TestService
let type: string
let typeId: string
let offerId: string
let credentialId: string
let requestId: string
let walletId: string
let queryId: string

const as = (person: Person) => strict.bearer(person, { roles: [...ROLES[person]] })

async function made(service: TestService, sender: Person | 'secret', path: string, body: object) {
  const sent = sender === 'secret' ? { client: true as const } : { authorization: await as(sender) }
  const answer = await service.request('POST', path, { ...sent, body })
  expect(answer.status, answer.text).toBe(201)
  return answer.json
}

async function ask(sender: Sender, q: string, service = strict) {
  const sent =
    sender === 'secret' ? { client: true as const } : sender === 'nobody' ? {} : { authorization: await as(sender) }
  return service.request('GET', `/api/v1/search?${new URLSearchParams({ q })}`, sent)
}

async function search(sender: Sender, q: string, service = strict): Promise<Found[]> {
  const answer = await ask(sender, q, service)
  expect(answer.status, answer.text).toBe(200)
  return answer.json.items
}

const found = async (sender: Sender, q: string, service = strict) =>
  (await search(sender, q, service)).map(({ kind, id }) => [kind, id])

const offer = async (person: Person, members: object, service = strict): Promise<string> =>
  (
    await made(service, person, '/credential-offers', {
      credentialConfigurationIds: [`${type}-sd-jwt`],
      credentialSubject: SUBJECT,
      ...members,
    })
  ).credentialOfferSessionId

const request = async (person: Person, members: object, service = strict): Promise<string> =>
  (await made(service, person, '/authorization-requests', { query: [ITEM], responseMode: 'direct_post', ...members }))
    .verificationSessionId

beforeAll(async () => {
  strict = await startService({ env: { ISSUER_ROLE: ISSUER, VERIFIER_ROLE: VERIFIER }, maintenance: false })
  const { databaseUrl, identityProvider } = strict
  plain = await startService({ databaseUrl, identityProvider, maintenance: false })
  const schema = await postSchema(strict, await as('ida'), { title: 'Proof of purchase' })
  type = schema.name
  typeId = schema.id
  offerId = await offer('ida', NAMES)
  const body = { type, credential_subject: SUBJECT, ...NAMES }
  credentialId = (await made(strict, 'ida', '/api/v1/credentials', body)).id
  requestId = await request('vera', NAMES)
  walletId = (await made(strict, 'ada', '/agent/holder', { method: 'key', name: 'Ada at the front desk' })).id
  queryId = (await made(strict, 'secret', '/api/v1/verifier/vp-queries', { query: [ITEM], name: 'Ada and others' })).id
  await offer('ida', {})
  await request('vera', {})
})
afterAll(async () => {
  await plain.close()
  await strict.close()
})

describe('a search', () => {
  it('finds a thing by its whole id', async () => {
    expect(await found('ida', offerId)).toEqual([['offer', offerId]])
    expect(await found('ida', ` ${credentialId} `)).toEqual([['credential', credentialId]])
    expect(await found('vera', requestId)).toEqual([['request', requestId]])
    const [request] = await search('vera', requestId)
    expect(request?.asks).toContainEqual(expect.objectContaining({ format: 'dc+sd-jwt', claims: expect.any(Array) }))
    const [offered] = await search('ida', offerId)
    expect(offered).not.toHaveProperty('asks')
    expect(await found('ada', walletId)).toEqual([['wallet', walletId]])
    expect(await found('secret', queryId)).toEqual([['vpQuery', queryId]])
    expect(await found('nils', typeId)).toEqual([['type', typeId]])
    expect(await found('ada', offerId.slice(0, 35))).toEqual([])
  })

  it('finds things by their whole reference, in one answer', async () => {
    expect(await found('ada', REFERENCE)).toEqual([
      ['offer', offerId],
      ['credential', credentialId],
      ['request', requestId],
    ])
    expect(await found('ada', REFERENCE.slice(0, -1))).toEqual([])
    expect(await found('ada', REFERENCE.toLowerCase())).toEqual([])
  })

  it('finds things by the leading words of a label, in any case', async () => {
    for (const words of ['ada lovelace', 'ADA', ' Ada   Lovelace Byron']) {
      expect((await found('ida', words)).filter(([kind]) => kind !== 'type')).toEqual([
        ['offer', offerId],
        ['credential', credentialId],
      ])
    }
    for (const words of ['Lovelace', 'Ada Love', 'Ada Byron', '%', '_']) expect(await found('ida', words)).toEqual([])
  })

  it('finds a wallet, a VP query and a type by the beginning of its name or title', async () => {
    expect(await found('ada', 'ADA AT THE FR')).toEqual([['wallet', walletId]])
    expect(await found('secret', 'ada and')).toEqual([['vpQuery', queryId]])
    expect(await found('nils', 'proof OF pur')).toContainEqual(['type', typeId])
    expect(await found('nils', type.slice(0, -1).toUpperCase())).toContainEqual(['type', typeId])
    expect(await found('ada', 'front desk')).toEqual([])
  })

  it('answers with the names, the type and the time of each thing, and with no claim', async () => {
    const [first] = await search('ida', offerId)
    expect(first).toEqual({ kind: 'offer', id: offerId, type, ...NAMES, createdAt: expect.any(String) })
    const [wallet] = await search('ada', walletId)
    expect(wallet).toEqual({
      kind: 'wallet',
      id: walletId,
      name: 'Ada at the front desk',
      createdAt: expect.any(String),
    })
    expect((await ask('ada', REFERENCE)).text).not.toContain(SUBJECT.product)
  })

  it('is limited to 5 things of a kind, the newest first, and names the kinds with more', async () => {
    const made: string[] = []
    for (let n = 0; n < 6; n += 1) made.push(await offer('ida', { label: 'Frequent person' }))
    await offer('ida', { reference: 'Frequent', label: 'Rare person' })
    const { json } = await ask('ida', 'frequent')
    expect(json.items.map(({ id }: Found) => id)).toEqual(made.slice(1).reverse())
    expect(json.more).toEqual(['offer'])
    const exact = (await ask('ida', 'Frequent')).json
    expect(exact.items).toHaveLength(5)
    expect(exact.items[0]).toMatchObject({ reference: 'Frequent' })
  })

  it('finds a version of a type that was replaced by its id alone', async () => {
    const { id } = await postSchema(strict, await as('ida'), { name: type, version: 2, title: 'Receipt' })
    expect(await found('ida', 'Proof of purchase')).not.toContainEqual(['type', typeId])
    expect(await found('ida', 'receipt')).toEqual([['type', id]])
    expect(await found('ida', typeId)).toEqual([['type', typeId]])
  })
})

describe('attack: a search for things of others', () => {
  const all = () => [offerId, credentialId, requestId, walletId, queryId]
  const texts = () => [...all(), REFERENCE, 'Ada', 'ada at the front desk', 'ada and others']
  const reached = async (sender: Sender, service = strict) => {
    const ids = new Set((await Promise.all(texts().map((q) => found(sender, q, service)))).flat().map(([, id]) => id))
    return all().filter((id) => ids.has(id))
  }

  it('colleagues of the issuer find offers and credentials, and colleagues of the verifier find requests', async () => {
    expect(await reached('ivan')).toEqual([offerId, credentialId])
    expect(await reached('vera')).toEqual([requestId])
  })

  it('a user without a role finds nothing', async () => {
    expect(await reached('nils')).toEqual([])
  })

  it('an admin finds no wallet of another admin, and with a token alone no VP query', async () => {
    expect(await reached('ada')).toEqual([offerId, credentialId, requestId, walletId])
    expect(await reached('eva')).toEqual([offerId, credentialId, requestId])
  })

  it('the client secret finds all except wallets and types, whose lists it may not read', async () => {
    expect(await reached('secret')).toEqual([offerId, credentialId, requestId, queryId])
    expect(await found('secret', typeId)).toEqual([])
  })

  it('where no role is set, each user finds only their own things', async () => {
    expect(await reached('nils', plain)).toEqual([])
    const own = [
      await offer('nils', { label: 'Mine alone' }, plain),
      await request('nils', { label: 'Mine alone' }, plain),
    ]
    expect((await found('nils', 'mine', plain)).map(([, id]) => id)).toEqual(own)
    for (const person of ['ida', 'vera'] as const) {
      expect(await found(person, 'mine', plain)).toEqual([])
      for (const id of own) expect(await found(person, id, plain)).toEqual([])
    }
    expect((await found('ada', 'mine', plain)).map(([, id]) => id)).toEqual(own)
  })

  it('a caller without credentials gets a 401', async () => {
    expect((await ask('nobody', 'Ada')).status).toBe(401)
  })
})

describe('the text of a search', () => {
  it.each([
    ['is empty', ''],
    ['has only spaces', '   '],
    ['has a NUL character', 'Ada\0'],
    ['is longer than 200 characters', 'a'.repeat(201)],
  ])('is refused if it %s', async (_, q) => {
    const { status, json } = await ask('ada', q)
    expect([status, json.message[0]]).toEqual([400, expect.stringMatching(/^q /)])
  })

  it('is refused if it is missing', async () => {
    const answer = await strict.request('GET', '/api/v1/search', { authorization: await as('ada') })
    expect([answer.status, answer.json.message[0]]).toEqual([400, expect.stringMatching(/^q /)])
  })
})

it('a user of the console finds VP queries too', async () => {
  await using open = await startConsole({ maintenance: false })
  const { id } = await made(open.service, 'secret', '/api/v1/verifier/vp-queries', {
    query: [ITEM],
    name: 'At the door',
  })
  open.provider.user = { sub: 'root', roles: ['admin'] }
  const { browser } = await logIn(open)
  const headers = { ...OF_CONSOLE, cookie: browser.cookies(open.service.url) }
  const { json } = await open.service.request('GET', '/api/v1/search?q=at+the', { headers })
  expect(json.items.map((item: Found) => item.id)).toEqual([id])
})
