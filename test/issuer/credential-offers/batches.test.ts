import { randomBytes, randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { atOnce } from '../../support/at-once.js'
import { query } from '../../support/postgres.js'
import type { Answer, RequestOptions } from '../../support/service.js'
import { type Issuer, JWT_VC, PRE_AUTHORIZED, refusalOf, SUBJECT, startIssuer } from '../openid4vci/actors.js'

let issuer: Issuer
beforeAll(async () => {
  const env = { KEY_ENCRYPTION_KEY: randomBytes(32).toString('base64url') }
  issuer = await startIssuer({ env, maintenance: false })
})
afterAll(() => issuer.service.close())

const PATH = '/api/v1/offer-batches'

const as = async (sub: string): Promise<RequestOptions> => ({ authorization: await issuer.service.bearer(sub) })
const ok = (answer: Answer): Answer['json'] => {
  expect(answer.status, answer.text).toBe(200)
  return answer.json
}
const message = ({ status, json }: Answer) => [status, json.message]

const rowsOf = (count: number, members: object = {}) =>
  Array.from({ length: count }, () => ({
    key: randomUUID(),
    credentialConfigurationIds: [JWT_VC],
    credentialSubject: SUBJECT,
    ...members,
  }))
const post = async (rows: readonly object[], batch?: object, sub = 'issuer') =>
  issuer.service.request('POST', '/api/v1/credential-offers/batch', {
    ...(await as(sub)),
    body: { rows, ...(batch === undefined ? {} : { batch }) },
  })
const make = async (count: number, batch?: object, members: object = {}) =>
  ok(await post(rowsOf(count, members), batch))
const read = async (id: string, sub = 'issuer') => issuer.service.request('GET', `${PATH}/${id}`, await as(sub))
const cancel = async (id: string, body: object = {}, sub = 'issuer') =>
  issuer.service.request('POST', `${PATH}/${id}/cancel`, { ...(await as(sub)), body })
const result = async (id: string, query = '', sub = 'issuer') =>
  issuer.service.request('GET', `${PATH}/${id}/result${query}`, await as(sub))
const ndjson = ({ text }: Answer) =>
  text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))

const idsOf = ({ offers }: Answer['json']): string[] =>
  offers.map((each: { credentialOfferSessionId: string }) => each.credentialOfferSessionId)
const sql = (text: string, ...values: unknown[]) =>
  query<Record<string, unknown>>(issuer.service.databaseUrl, text, values)
const audited = async (id: string) =>
  (await sql('SELECT action, actor FROM audit_events WHERE subject_id = $1 ORDER BY id', id)).map(
    ({ action, actor }) => `${action} by ${actor}`,
  )

describe('a batch of offers', () => {
  it('gets a record with a name, its creator and the number of its offers', async () => {
    const { batchId: id } = await make(3, { name: 'Winter term' })
    expect(ok(await read(id))).toMatchObject({ id, name: 'Winter term', createdBy: 'issuer', offers: 3 })
    const { batchId: other } = await make(1)
    expect(ok(await read(other))).not.toHaveProperty('name')
  })

  it('can be made in several requests that name its id, and the first request names the batch', async () => {
    const id = randomUUID()
    const rows = rowsOf(2)
    const first = ok(await post(rows, { id, name: 'Cohort' }))
    const second = await make(3, { id, name: 'Other' })
    expect([first.batchId, second.batchId]).toEqual([id, id])
    // A request whose answer was lost is sent again, also without the id.
    expect(ok(await post(rows, { id })).batchId).toBe(id)
    expect(ok(await post(rows)).batchId).toBe(id)
    expect(ok(await read(id))).toMatchObject({ name: 'Cohort', offers: 5 })
    const keys = ndjson(await result(id)).map(({ key }) => key)
    expect(keys.slice(1, -1)).toEqual([...first.offers, ...second.offers].map(({ key }) => key))
  })

  it('is one batch whether its id is in upper or lower case', async () => {
    const id = randomUUID()
    const first = await make(1, { id: id.toUpperCase() })
    const second = await make(1, { id })
    expect([first.batchId, second.batchId]).toEqual([id, id])
    expect(ok(await read(id.toUpperCase()))).toMatchObject({ id, offers: 2 })
    expect(ndjson(await result(id.toUpperCase()))[0]).toMatchObject({ id })
    expect(ok(await cancel(id.toUpperCase()))).toMatchObject({ id, cancelled: 2 })
    expect(message(await post(rowsOf(1), { id: id.toUpperCase() }))[0]).toBe(409)
  })

  it('at once in several requests has every row once, each with its own position', async () => {
    const id = randomUUID()
    await Promise.all(Array.from({ length: 6 }, () => make(5, { id })))
    expect(ok(await read(id)).offers).toBe(30)
    const found = await sql('SELECT batch_row FROM offerings WHERE batch_id = $1 ORDER BY batch_row', id)
    expect(found.map(({ batch_row }) => batch_row)).toEqual(Array.from({ length: 30 }, (_, at) => at + 1))
  })

  it('has at most 10,000 offers', async () => {
    const { batchId: id } = await make(1)
    await sql('UPDATE offer_batches SET size = 9998 WHERE id = $1', id)
    await make(2, { id })
    const refused = await post(rowsOf(1), { id })
    expect(message(refused)).toEqual([400, ['batch.id names a batch that would have more than 10000 offers']])
    expect(await sql('SELECT 1 FROM offerings WHERE batch_id = $1', id)).toHaveLength(3)
  })

  it('refuses a malformed id and an empty or long name, by the name of the field', async () => {
    for (const [batch, field] of [
      [{ id: 'mine' }, 'batch.id'],
      [{ name: '' }, 'batch.name'],
      [{ name: 'n'.repeat(201) }, 'batch.name'],
    ] as const) {
      const { status, json } = await post(rowsOf(1), batch)
      expect([status, json.message[0].split(' ')[0]]).toEqual([400, field])
    }
  })

  it('attack: is unknown to another caller, who can neither join, read, cancel nor download it', async () => {
    const { batchId: id } = await make(2, { name: 'Mine' })
    const notFound = [404, 'Offer batch not found.']
    for (const answer of [
      await read(id, 'mallory'),
      await cancel(id, {}, 'mallory'),
      await result(id, '', 'mallory'),
      await post(rowsOf(1), { id }, 'mallory'),
      await read(randomUUID()),
    ])
      expect(message(answer)).toEqual(notFound)
    expect(ok(await read(id))).toMatchObject({ offers: 2, cancelled: 0 })
    const theirs = ok(await issuer.service.request('GET', PATH, await as('mallory')))
    expect(theirs.items).toEqual([])
    expect((await issuer.service.request('GET', PATH)).status).toBe(401)
  })

  it('is in a list, the newest first and page by page. Operators see the batches of all callers', async () => {
    const sub = `lister-${randomUUID()}`
    const made: string[] = []
    for (const name of ['one', 'two', 'three']) {
      const answer = ok(await post(rowsOf(1), { name }, sub))
      made.unshift(answer.batchId)
    }
    const page = async (suffix: string, options: RequestOptions) =>
      ok(await issuer.service.request('GET', `${PATH}${suffix}`, options))
    const first = await page('?limit=2', await as(sub))
    const second = await page(`?limit=2&cursor=${first.nextCursor}`, await as(sub))
    expect([...first.items, ...second.items].map(({ id }) => id)).toEqual(made)
    expect(second.nextCursor).toBeUndefined()
    const all = await page('?limit=3', { client: true })
    expect(all.items.map(({ id }: { id: string }) => id)).toEqual(made)
    expect(first.items[0]).toMatchObject({ name: 'three', offers: 1, createdBy: sub })
  })
})

describe('POST /api/v1/offer-batches/{id}/cancel', () => {
  it('cancels the open offers, leaves taken offers, and counts both', async () => {
    const made = await make(4)
    const { batchId: id } = made
    const [taken = '', waiting = ''] = idsOf(made)
    expect((await issuer.take(await issuer.token(taken), JWT_VC)).status).toBe(200)
    const token = await issuer.token(waiting)
    const code = await issuer.code(waiting)
    const answer = ok(await cancel(id, { reason: 'Wrong year' }))
    expect(answer).toMatchObject({ id, offers: 4, cancelled: 3, taken: 1, reason: 'Wrong year' })
    expect(answer.counts).toMatchObject({ Created: 0, CredentialIssued: 1, Error: 3 })
    expect(ok(await cancel(id, { reason: 'Other' }))).toEqual(answer)
    // By a token, by a code and by the address: no cancelled offer can be taken.
    expect(refusalOf(await issuer.take(token, JWT_VC)).slice(0, 2)).toEqual([400, 'credential_request_denied'])
    const form = { grant_type: PRE_AUTHORIZED, 'pre-authorized_code': code }
    expect(refusalOf(await issuer.requestToken(form)).slice(0, 2)).toEqual([400, 'invalid_grant'])
    expect((await issuer.service.request('GET', `/openid4vci/offers/${waiting}`)).status).toBe(400)
    expect(await issuer.session(waiting)).toMatchObject({ state: 'Error', errorMessage: 'Offer cancelled.' })
    expect((await issuer.events(waiting)).at(-1)?.data).toMatchObject({ state: 'Error' })
    expect((await audited(waiting)).at(-1)).toBe('offering.cancelled by issuer')
    expect(await audited(id)).toEqual(['offer-batch.cancelled by issuer'])
  })

  it('forgets the transaction codes, with their keys', async () => {
    const made = await make(2, undefined, { txCode: true })
    const keys = () =>
      sql(
        `SELECT 1 FROM content_keys WHERE column_name = 'credential_offer_sessions.confidential' AND row_id = ANY($1)`,
        idsOf(made),
      )
    expect(await keys()).toHaveLength(2)
    await cancel(made.batchId)
    expect(await keys()).toEqual([])
    expect(
      await sql('SELECT 1 FROM credential_offer_sessions WHERE id = ANY($1) AND confidential IS NOT NULL', idsOf(made)),
    ).toEqual([])
  })

  it('attack: the reason is in nothing that others see, and is encrypted', async () => {
    const made = await make(1, undefined, { page: true })
    const { batchId: id } = made
    const [offer = ''] = idsOf(made)
    await cancel(id, { reason: 'Suspected fraud' })
    const one = await issuer.service.request('GET', `/api/v1/credential-offers/${offer}`, await as('issuer'))
    expect(ok(one).reason).toBe('Suspected fraud')
    const seen = [
      JSON.stringify(await issuer.session(offer)),
      JSON.stringify(await issuer.events(offer)),
      (await issuer.service.request('GET', `/openid4vci/offers/${offer}`)).text,
      (await issuer.service.request('GET', new URL(made.offers[0].pageUrl).pathname)).text,
      (await result(id)).text,
      JSON.stringify(await sql('SELECT * FROM offer_batches WHERE id = $1', id)),
      JSON.stringify(await sql('SELECT * FROM audit_events')),
    ]
    for (const text of seen) expect(text).not.toContain('fraud')
  })

  it('keeps the reason as long as an offer has its claims and its session, as the reason of a single offer', async () => {
    const [, task] = issuer.service.features.offerBatches.tasks
    const maintain = () => task?.run(new Date(), 100)
    const kept = async (id: string) => ({
      reason: ok(await read(id)).reason,
      stored: (await sql('SELECT confidential IS NOT NULL AS stored FROM offer_batches WHERE id = $1', id))[0]?.stored,
      keys: (await sql(`SELECT 1 FROM content_keys WHERE row_id = $1`, id)).length,
    })
    const here = { reason: 'Suspected fraud', stored: true, keys: 1 }
    const gone = { reason: undefined, stored: false, keys: 0 }
    const made = await make(2)
    const [first = '', second = ''] = idsOf(made)
    await cancel(made.batchId, { reason: 'Suspected fraud' })
    await maintain()
    expect(await kept(made.batchId)).toEqual(here)
    const erased = await issuer.service.request('POST', `/api/v1/credential-offers/${first}/erase`, await as('issuer'))
    expect(erased.status, erased.text).toBe(200)
    const offer = await issuer.service.request('GET', `/api/v1/credential-offers/${first}`, await as('issuer'))
    expect(ok(offer)).not.toHaveProperty('reason')
    await maintain()
    expect(await kept(made.batchId)).toEqual(here)
    // The retention of sessions removes the other one.
    await issuer.service.platform.stores.offerSessions.removeEnded(new Date(Date.now() + 1_000), 100)
    expect(await sql('SELECT 1 FROM credential_offer_sessions WHERE id = $1', second)).toEqual([])
    await maintain()
    expect(await kept(made.batchId)).toEqual(gone)
  })

  it('does not give its reason to an offer that was cancelled before', async () => {
    const made = await make(2)
    const [alone = ''] = idsOf(made)
    const own = await as('issuer')
    await issuer.service.request('POST', `/api/v1/credential-offers/${alone}/cancel`, { ...own, body: {} })
    await cancel(made.batchId, { reason: 'Wrong year' })
    expect(ok(await issuer.service.request('GET', `/api/v1/credential-offers/${alone}`, own))).not.toHaveProperty(
      'reason',
    )
  })

  it('ends the batch: it gets no further offers', async () => {
    const { batchId: id } = await make(1)
    await cancel(id)
    expect(message(await post(rowsOf(1), { id }))).toEqual([409, 'Offer batch has been cancelled.'])
    expect(ok(await read(id))).toMatchObject({ offers: 1, cancelled: 1 })
  })

  it('races with requests that add offers: no offer of the batch stays open', async () => {
    for (let round = 0; round < 5; round += 1) {
      const { batchId: id } = await make(1)
      const [ended, ...added] = await Promise.all([
        cancel(id),
        ...Array.from({ length: 4 }, () => post(rowsOf(3), { id })),
      ])
      expect(ended?.status).toBe(200)
      for (const each of added) expect([200, 409]).toContain(each.status)
      const { offers, cancelled } = ok(await read(id))
      expect(cancelled).toBe(offers)
    }
  })

  it('races with 50 wallets: each offer is either taken or cancelled', async () => {
    const made = await make(50)
    const ids = idsOf(made)
    const tokens = await Promise.all(ids.map((id) => issuer.token(id)))
    const late = new Promise((resolve) => setTimeout(resolve, 300))
    const [ended, takes] = await Promise.all([
      late.then(() => cancel(made.batchId)),
      Promise.all(tokens.map((token) => issuer.take(token, JWT_VC))),
    ])
    const { cancelled, taken } = ok(ended)
    const statuses = takes.map(({ status }) => status)
    expect(statuses.every((status) => status === 200 || status === 400)).toBe(true)
    const given = ids.filter((_, at) => statuses[at] === 200)
    const redeemed = await sql('SELECT offering_id AS id FROM redemptions WHERE offering_id = ANY($1)', ids)
    expect(redeemed.map(({ id }) => id).sort()).toEqual(given.toSorted())
    const ending = ok(await read(made.batchId))
    expect([ending.taken, ending.cancelled]).toEqual([given.length, 50 - given.length])
    expect([taken, cancelled]).toEqual([given.length, 50 - given.length])
  })

  it('is continued by the maintenance job if the process stopped in the middle', async () => {
    const made = await make(5)
    const { madeBatches } = issuer.service.platform.stores
    const now = new Date()
    await madeBatches.cancel({ id: made.batchId, sealed: undefined, actor: 'issuer', now })
    expect(await madeBatches.cancelSome(made.batchId, now, 2)).toBe(2)
    expect(ok(await read(made.batchId))).toMatchObject({ cancelled: 2 })
    const [task] = issuer.service.features.offerBatches.tasks
    for (let more = true; more; ) more = (await task?.run(new Date(), 2))?.more === true
    expect(ok(await read(made.batchId))).toMatchObject({ cancelled: 5 })
    expect(await audited(idsOf(made)[4] ?? '')).toEqual(['offering.created by issuer', 'offering.cancelled by issuer'])
  })

  it('twice at once cancels each offer once', async () => {
    const made = await make(20)
    const stores = issuer.service.platform.stores
    await atOnce(stores.madeBatches, 'find', 2, () => Promise.all([cancel(made.batchId), cancel(made.batchId)]))
    for (const id of idsOf(made)) expect(await issuer.events(id)).toHaveLength(2)
  })
})

describe('GET /api/v1/offer-batches/{id}/result', () => {
  it('has the links and codes again while the offers are open', async () => {
    const made = await make(2, { name: 'Cards' }, { txCode: true, page: true })
    const [head, ...records] = ndjson(await result(made.batchId))
    expect(head).toMatchObject({ record: 'offer-batch', id: made.batchId, name: 'Cards', createdBy: 'issuer' })
    expect(records.at(-1)).toEqual({ record: 'end', count: 2 })
    for (const [at, { repeated: _, ...offer }] of made.offers.entries())
      expect(records[at]).toMatchObject({ record: 'offer', state: 'Created', ...offer })
    expect((await audited(made.batchId)).at(-1)).toBe('offer-batch.downloaded by issuer')
  })

  it('a HEAD looks only: nothing is recorded', async () => {
    const { batchId } = await make(1)
    const head = await issuer.service.request('HEAD', `${PATH}/${batchId}/result?format=csv`, await as('issuer'))
    expect([head.status, head.headers.get('content-type'), head.text]).toEqual([200, 'text/csv; charset=utf-8', ''])
    expect(await audited(batchId)).toEqual([])
  })

  it('has the reference and the label of each row, and the key as the reference of a row without one', async () => {
    const [one, other] = rowsOf(2)
    const { batchId } = ok(await post([{ ...one, reference: 'M-1', label: 'Ada Lovelace' }, { ...other }]))
    const [, first, second] = ndjson(await result(batchId))
    expect(first).toMatchObject({ key: one?.key, reference: 'M-1', label: 'Ada Lovelace' })
    expect(second).toMatchObject({ key: other?.key, reference: other?.key })
    expect(second).not.toHaveProperty('label')
    expect((await result(batchId, '?format=csv')).text).toContain(`${one?.key},M-1,Ada Lovelace,`)
  })

  it('has no link and no code of an offer that was taken or cancelled', async () => {
    const made = await make(2)
    const [taken = '', gone = ''] = idsOf(made)
    await issuer.take(await issuer.token(taken), JWT_VC)
    await issuer.service.request('POST', `/api/v1/credential-offers/${gone}/cancel`, {
      ...(await as('issuer')),
      body: {},
    })
    const records = ndjson(await result(made.batchId)).slice(1, -1)
    expect(records.map(({ state, errorMessage }) => [state, errorMessage])).toEqual([
      ['CredentialIssued', undefined],
      ['Error', 'Offer cancelled.'],
    ])
    for (const record of records) expect(record).not.toHaveProperty('credentialOfferUri')
  })

  it('is CSV too, in which no key is a formula', async () => {
    const [row] = rowsOf(1)
    const { batchId } = ok(await post([{ ...row, key: `=1+${randomUUID()}` }]))
    const answer = await result(batchId, '?format=csv')
    expect(answer.headers.get('content-type')).toBe('text/csv; charset=utf-8')
    const [columns, line] = answer.text.split('\r\n')
    expect(columns).toContain('key,reference,label,credentialOfferSessionId,state')
    expect(line).toMatch(/^'=1\+/)
    expect((await result(batchId, '?format=pdf')).json.message[0]).toMatch(/^format /)
  })

  it('is read in parts: more offers than one statement reads, in the order of the rows', async () => {
    const id = randomUUID()
    const made: string[] = []
    for (let part = 0; part < 6; part += 1) made.push(...idsOf(await make(100, { id })))
    const records = ndjson(await result(id)).slice(1, -1)
    expect(records.map(({ credentialOfferSessionId }) => credentialOfferSessionId)).toEqual(made)
    // The cancellation needs several statements too.
    expect(ok(await cancel(id))).toMatchObject({ cancelled: 600, taken: 0 })
  })
})
