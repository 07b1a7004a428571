import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { askOnce } from '../contract/ask-once.js'
import { postSchema, SUBJECT } from '../issuer/purchase.js'
import { allOf, idsOf } from '../support/listed.js'
import { startService, type TestService } from '../support/service.js'
import { ITEM } from '../verifier/actors.js'

const ISSUER = 'credence-issuer'
const VERIFIER = 'credence-verifier'
const OFFERS = '/api/v1/credential-offer-sessions'
const REQUESTS = '/api/v1/verification-sessions'

/** People by name, with their roles. Ida and Ivan are colleagues, and so are Vera and Victor. */
const PEOPLE = {
  ida: [ISSUER],
  ivan: [ISSUER],
  vera: [VERIFIER],
  victor: [VERIFIER],
  ada: ['admin'],
  nils: [],
} as const
type Person = keyof typeof PEOPLE

/** With ISSUER_ROLE and VERIFIER_ROLE. */
let strict: TestService
/** The same database without the two roles. */
let plain: TestService
let configuration: string

beforeAll(async () => {
  strict = await startService({ env: { ISSUER_ROLE: ISSUER, VERIFIER_ROLE: VERIFIER } })
  const { databaseUrl, identityProvider } = strict
  plain = await startService({ databaseUrl, identityProvider })
  configuration = `${(await postSchema(strict, await as('ida'))).name}-sd-jwt`
})
afterAll(async () => {
  await plain.close()
  await strict.close()
})

const as = (person: Person, service = strict) => service.bearer(person, { roles: [...PEOPLE[person]] })

async function offer(
  person: Person,
  { service = strict, ...members }: { service?: TestService; deferred?: true } = {},
) {
  const body = { credentialConfigurationIds: [configuration], credentialSubject: SUBJECT, ...members }
  const answer = await service.request('POST', '/credential-offers', { authorization: await as(person, service), body })
  return answer.json.credentialOfferSessionId as string
}

async function request(person: Person, service = strict): Promise<string> {
  const body = { query: [ITEM], responseMode: 'direct_post', keepEvidence: true }
  const authorization = await as(person, service)
  return (await service.request('POST', '/authorization-requests', { authorization, body })).json.verificationSessionId
}

/** The operations on one offer that another caller made. Each has the answer to a caller who does not reach the offer. */
const ON_OFFERS = [
  ['read its session', 'GET', (id: string) => `/credential-offer-sessions/${id}`, undefined, 500],
  ['follow its session', 'GET', (id: string) => `/credential-offer-sessions/${id}/events`, undefined, 500],
  ['approve', 'POST', (id: string) => `/credential-offer-sessions/${id}/approve`, {}, 500],
  ['reject', 'POST', (id: string) => `/credential-offer-sessions/${id}/reject`, {}, 500],
  ['read it', 'GET', (id: string) => `/api/v1/credential-offers/${id}`, undefined, 404],
  ['send it again', 'POST', (id: string) => `/api/v1/credential-offers/${id}/resend`, {}, 404],
  ['cancel', 'POST', (id: string) => `/api/v1/credential-offers/${id}/cancel`, {}, 404],
  ['erase', 'POST', (id: string) => `/api/v1/credential-offers/${id}/erase`, {}, 404],
  ['make a page', 'POST', () => '/pages', (id: string) => ({ credentialOfferSessionId: id }), 403],
] as const

/** The operations on one request that another caller made. A colleague gets 409 while no wallet has answered. */
const ON_REQUESTS = [
  ['read its result', 'GET', (id: string) => `/verification-sessions/${id}/result`, undefined, 403, 409],
  ['read its evidence', 'GET', (id: string) => `${REQUESTS}/${id}/evidence`, undefined, 403, 409],
  ['read its checks', 'GET', (id: string) => `${REQUESTS}/${id}/checks`, undefined, 500, 200],
  ['make a page', 'POST', () => '/pages', (id: string) => ({ verificationSessionId: id }), 403, 200],
  ['erase', 'POST', (id: string) => `/verification-sessions/${id}/erase`, {}, 403, 200],
] as const

type Body = Record<string, never> | ((id: string) => object) | undefined

async function ask(service: TestService, person: Person, method: string, path: string, id: string, body: Body) {
  const authorization = await as(person, service)
  if (path.endsWith('/events')) return (await askOnce(service, method, path, { headers: { authorization } })).status
  const sent = typeof body === 'function' ? body(id) : body
  const { status } = await service.request(method, path, {
    authorization,
    ...(sent === undefined ? {} : { body: sent }),
  })
  return status === 201 ? 200 : status
}

describe('an offer of a colleague, where ISSUER_ROLE is set', () => {
  it.each(ON_OFFERS)('%s', async (name, method, path, body) => {
    for (const person of ['ivan', 'ada'] as const) {
      const isDecision = name === 'approve' || name === 'reject'
      const id = await offer('ida', isDecision ? { deferred: true } : {})
      expect([person, await ask(strict, person, method, path(id), id, body)]).toEqual([person, 200])
    }
  })

  it.each(ON_OFFERS)('attack: a caller with another role or none cannot %s', async (name, method, path, body) => {
    const id = await offer('ida', { deferred: true })
    for (const person of ['vera', 'nils'] as const) {
      const status = await ask(strict, person, method, path(id), id, body)
      // A person may erase an offer about which it has a right as its maker, with and without a role.
      expect([person, status]).toEqual([person, name === 'erase' ? 404 : 403])
    }
    const { json } = await strict.request('GET', `${OFFERS}?limit=1`, { client: true })
    expect(json.items[0]).toMatchObject({ id, state: 'Created', createdBy: 'ida' })
  })

  it('names its maker', async () => {
    const id = await offer('ida')
    const { json } = await strict.request('GET', `/credential-offer-sessions/${id}`, {
      authorization: await as('ivan'),
    })
    expect(json.createdBy).toBe('ida')
  })

  it('records who decided', async () => {
    const id = await offer('ida', { deferred: true })
    await strict.request('POST', `/credential-offer-sessions/${id}/reject`, {
      authorization: await as('ivan'),
      body: {},
    })
    const { json } = await strict.request('GET', `/api/v1/audit-events?subjectId=${id}`, {
      authorization: await as('ada'),
    })
    expect(json.items.map(({ actor }: { actor: string }) => actor)).toEqual(['ivan', 'ida'])
  })
})

describe('an offer of another user, where ISSUER_ROLE is not set', () => {
  it.each(ON_OFFERS)('attack: %s', async (_, method, path, body, refused) => {
    const id = await offer('nils', { service: plain, deferred: true })
    // The role has no meaning here, so its owners are no colleagues.
    for (const person of ['ida', 'vera'] as const)
      expect([person, await ask(plain, person, method, path(id), id, body)]).toEqual([person, refused])
    expect(await ask(plain, 'ada', method, path(id), id, body)).toBe(200)
  })
})

/** The operations on one batch of offers that another caller made. */
const ON_BATCHES = [
  ['read it', 'GET', (id: string) => `/api/v1/offer-batches/${id}`],
  ['download its links and codes', 'GET', (id: string) => `/api/v1/offer-batches/${id}/result`],
  ['cancel', 'POST', (id: string) => `/api/v1/offer-batches/${id}/cancel`],
] as const

describe('a batch of offers of a colleague', () => {
  async function batch(person: Person, service: TestService, members: object = {}) {
    const row = { key: crypto.randomUUID(), credentialConfigurationIds: [configuration], credentialSubject: SUBJECT }
    const { json } = await service.request('POST', '/api/v1/credential-offers/batch', {
      authorization: await as(person, service),
      body: { rows: [{ ...row, ...members }] },
    })
    return { id: json.batchId as string, offerId: json.offers[0].credentialOfferSessionId as string }
  }
  const statusOf = async (service: TestService, person: Person, method: string, path: string, body: object = {}) =>
    (
      await service.request(method, path, {
        authorization: await as(person, service),
        ...(method === 'POST' ? { body } : {}),
      })
    ).status

  it.each(ON_BATCHES)('is open to who shares the role: %s', async (_, method, path) => {
    const { id } = await batch('ida', strict)
    for (const person of ['ivan', 'ada'] as const)
      expect([person, await statusOf(strict, person, method, path(id))]).toEqual([person, 200])
  })

  it.each(ON_BATCHES)('attack: is closed to who does not share the role: %s', async (_, method, path) => {
    const { id, offerId } = await batch('ida', strict)
    for (const person of ['vera', 'nils'] as const)
      expect([person, await statusOf(strict, person, method, path(id))]).toEqual([person, 403])
    const own = await batch('nils', plain)
    for (const person of ['ida', 'vera'] as const)
      expect([person, await statusOf(plain, person, method, path(own.id))]).toEqual([person, 404])
    const read = await strict.request('GET', `/credential-offer-sessions/${offerId}`, {
      authorization: await as('ida'),
    })
    expect(read.json.state).toBe('Created')
  })

  it('attack: who does not share the role finds and decides nothing, by id or by name', async () => {
    const { offerId } = await batch('ida', strict, { deferred: true, reference: 'M-77', label: 'Ada Lovelace' })
    const decision = { decision: 'approve', ids: [offerId] }
    const decide = '/api/v1/credential-offer-decisions'
    const lists = ['credential-offer-sessions', 'offer-batches', 'credentials'].map((list) => `/api/v1/${list}`)
    for (const person of ['vera', 'nils'] as const) {
      expect(await statusOf(strict, person, 'POST', decide, decision)).toBe(403)
      for (const list of lists) expect([list, await statusOf(strict, person, 'GET', list)]).toEqual([list, 403])
    }
    // Where the role is not set, its owner is no colleague.
    const authorization = await as('ivan', plain)
    const refused = await plain.request('POST', decide, { authorization, body: decision })
    expect(refused.json.outcomes).toEqual([
      { id: offerId, outcome: 'failed', message: 'Credential offer session not found.' },
    ])
    for (const filter of ['reference=M-77', 'label=ada', 'withClaims=true']) {
      const list = await plain.request('GET', `${OFFERS}?${filter}`, { authorization })
      expect(list.text).not.toContain(offerId)
    }
    const decided = await strict.request('POST', decide, { authorization: await as('ivan'), body: decision })
    expect(decided.json.outcomes).toEqual([{ id: offerId, outcome: 'approved' }])
  })
})

describe('a request of a colleague, where VERIFIER_ROLE is set', () => {
  it.each(ON_REQUESTS)('%s', async (_, method, path, body, __, answer) => {
    for (const person of ['victor', 'ada'] as const) {
      const id = await request('vera')
      expect([person, await ask(strict, person, method, path(id), id, body)]).toEqual([person, answer])
    }
  })

  it.each(ON_REQUESTS)('attack: a caller with another role or none cannot %s', async (_, method, path, body) => {
    const id = await request('vera')
    for (const person of ['ida', 'nils'] as const)
      expect([person, await ask(strict, person, method, path(id), id, body)]).toEqual([person, 403])
  })

  it.each(ON_REQUESTS)(
    'attack: another user, where the role is not set: %s',
    async (_, method, path, body, refused) => {
      const id = await request('nils', plain)
      for (const person of ['ida', 'vera'] as const)
        expect([person, await ask(plain, person, method, path(id), id, body)]).toEqual([person, refused])
    },
  )

  it('also if the client secret made the request', async () => {
    const query = { query: [ITEM] }
    const made = await strict.request('POST', '/api/v1/verifier/vp-queries', { client: true, body: query })
    const path = `/api/v1/verifier/vp-queries/${made.json.id}/authorization-request`
    const { json } = await strict.request('POST', path, {
      client: true,
      body: { redirect_uri: 'https://shop.example/' },
    })
    const id: string = json.verificationSessionId
    const result = (person: Person, service: TestService) =>
      ask(service, person, 'GET', `/verification-sessions/${id}/result`, id, undefined)
    expect([await result('vera', strict), await result('vera', plain)]).toEqual([409, 403])
    const listed = async (person: Person, service: TestService) =>
      idsOf(await allOf(service, REQUESTS, {}, { authorization: await as(person, service) })).includes(id)
    expect([await listed('vera', strict), await listed('vera', plain)]).toEqual([true, false])
    expect(idsOf(await allOf(strict, REQUESTS, { mine: 'true' }))).toEqual([id])
  })
})

describe('the lists', () => {
  const made = {
    [OFFERS]: { make: (person: Person, service: TestService) => offer(person, { service }), pair: ['ida', 'ivan'] },
    [REQUESTS]: { make: request, pair: ['vera', 'victor'] },
  } as const

  it.each(Object.keys(made) as (keyof typeof made)[])('%s', async (path) => {
    const { make, pair } = made[path]
    const [one, other] = pair
    const ids = [await make(one, strict), await make(other, strict), await make('nils', plain)]
    const listed = async (person: Person, filters: Record<string, string> = {}, service = strict) =>
      idsOf(await allOf(service, path, filters, { authorization: await as(person, service) })).filter((id) =>
        ids.includes(id),
      )
    const newestFirst = ids.toReversed()
    expect(await listed(one)).toEqual(newestFirst)
    expect(await listed('ada')).toEqual(newestFirst)
    expect(await listed(one, { mine: 'true' })).toEqual([ids[0]])
    expect(await listed(one, { mine: 'true', state: 'Error' })).toEqual([])
    expect(await listed(one, { mine: 'false' })).toEqual(newestFirst)
    expect(await listed('ada', { mine: 'true' })).toEqual([])
    // Where the role is not set, each user has their own.
    expect(await listed(one, {}, plain)).toEqual([ids[0]])
    expect(await listed(one, { mine: 'false' }, plain)).toEqual([ids[0]])
    expect(await listed('nils', {}, plain)).toEqual([ids[2]])
    const refused = await strict.request('GET', path, { authorization: await as('nils') })
    expect([refused.status, refused.json.message]).toEqual([403, 'Insufficient role.'])
    const wrong = await strict.request('GET', `${path}?mine=yes`, { authorization: await as(one) })
    expect([wrong.status, wrong.json.message]).toEqual([400, ['mine must be a boolean']])
  })

  it('of offerings: operators of issuing see also offerings with a limit', async () => {
    const { json } = await strict.request('POST', '/api/v1/offerings', {
      client: true,
      body: { credential_type: configuration.replace('-sd-jwt', ''), credential_subject: SUBJECT, redemption_limit: 1 },
    })
    const sees = async (person: Person, service = strict) => {
      const list = await service.request('GET', '/api/v1/offerings', { authorization: await as(person, service) })
      return list.json.some(({ id }: { id: string }) => id === json.offering_id)
    }
    expect([await sees('ida'), await sees('ada'), await sees('vera'), await sees('ida', plain)]).toEqual([
      true,
      true,
      false,
      false,
    ])
  })
})

describe('a change of roles', () => {
  it('takes effect at the next request', async () => {
    const id = await offer('ida')
    const read = async (...roles: string[]) =>
      (
        await strict.request('GET', `/credential-offer-sessions/${id}`, {
          authorization: await strict.bearer('nils', { roles }),
        })
      ).status
    expect([await read(), await read(ISSUER), await read()]).toEqual([403, 200, 403])
  })
})
