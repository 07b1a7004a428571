import { Writable } from 'node:stream'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createLog } from '../../server/log/log.js'
import { exported, exportedCsv, period } from '../exports/actors.js'
import { credentialOf, type Issuer, JWT_VC, SD_JWT, SUBJECT, startIssuer } from '../issuer/openid4vci/actors.js'
import { readEvents } from '../issuer/openid4vci/event-reader.js'
import { allOf, pageOf } from '../support/listed.js'
import { query } from '../support/postgres.js'
import type { RequestOptions } from '../support/service.js'

const REFERENCE = 'M-2026-0042'
const LABEL = 'Ada  Lovelace Byron'
const NAMES = { reference: REFERENCE, label: LABEL }
const KEK = Buffer.alloc(32, 7).toString('base64url')
const SESSIONS = '/api/v1/credential-offer-sessions'
const REQUESTS = '/api/v1/verification-sessions'
const CREDENTIALS = '/api/v1/credentials'

/** Found by both lists with KEY_ENCRYPTION_KEY and without it. */
describe.each([
  ['with KEY_ENCRYPTION_KEY', { KEY_ENCRYPTION_KEY: KEK }],
  ['without it', {}],
])('names in answers and lists, %s', (_, env) => {
  let issuer: Issuer
  let offerId: string
  let offeringId: string
  let credentialId: string
  let requestId: string
  const lines: string[] = []

  const call = async (method: string, path: string, options: RequestOptions = { client: true }, status = 200) => {
    const answer = await issuer.service.request(method, path, options)
    expect(answer.status, answer.text).toBe(status)
    return answer
  }
  const as = async (sub: string, claims = {}) => ({ authorization: await issuer.service.bearer(sub, claims) })
  const idsIn = async (path: string, filters: Record<string, string>) =>
    (await allOf(issuer.service, path, filters)).map(({ id }) => id)

  const ask = async (members: object, sub = 'verifier') =>
    (
      await call(
        'POST',
        '/authorization-requests',
        { ...(await as(sub)), body: { query: [{ fields: [{ path: ['$.type'] }] }], ...members } },
        201,
      )
    ).json

  beforeAll(async () => {
    const destination = new Writable({
      write(chunk, _encoding, done) {
        lines.push(String(chunk))
        done()
      },
    })
    issuer = await startIssuer({ env, log: createLog('trace', destination), maintenance: false })
    await issuer.makeOffer()
    offerId = (await issuer.makeOffer(NAMES)).credentialOfferSessionId
    await issuer.makeOffer({ reference: 'M-2026-0043', label: 'Ada Lovelacer' })
    offeringId = (await issuer.makeOffering(NAMES)).id
    credentialOf(await issuer.take(await issuer.token(offerId), SD_JWT))
    const [row] = await query<{ id: string }>(
      issuer.service.databaseUrl,
      'SELECT credential_id AS id FROM redemptions WHERE offering_id = $1',
      [offerId],
    )
    credentialId = row?.id ?? ''
    await ask({})
    requestId = (await ask(NAMES)).verificationSessionId
  })
  afterAll(() => issuer.service.close())

  it('the session of an offer has them, and so have its events and the answer to a decision', async () => {
    expect(await issuer.session(offerId)).toMatchObject(NAMES)
    const { credentialOfferSessionId: id } = await issuer.makeOffer({ ...NAMES, deferred: true })
    const headers = { authorization: await issuer.authorization() }
    await using reader = await readEvents(issuer.service, `/credential-offer-sessions/${id}/events`, headers)
    const data = async () => JSON.parse((await reader.next()).data ?? '')
    expect(await data()).toMatchObject({ ...NAMES, state: 'Created' })
    await issuer.code(id)
    expect(await data()).toMatchObject({ ...NAMES, state: 'OfferRetrieved' })
    expect((await issuer.decide(id, 'reject')).json).toMatchObject(NAMES)
    expect(await data()).toMatchObject({ ...NAMES, state: 'Error' })
  })

  it('the list of offers has them and finds them', async () => {
    const [entry] = await allOf(issuer.service, SESSIONS, { reference: REFERENCE, state: 'CredentialIssued' })
    expect(entry).toMatchObject({ id: offerId, ...NAMES })
    expect(await idsIn(SESSIONS, { reference: 'M-2026-004' })).toEqual([])
    expect(await idsIn(SESSIONS, { reference: 'm-2026-0042' })).toEqual([])
    expect(await idsIn(SESSIONS, { reference: REFERENCE, deferred: 'pending' })).toEqual([])
  })

  it('a label is found by its leading whole words, in any case', async () => {
    for (const words of ['Ada', 'ada lovelace', 'ADA LOVELACE BYRON', ' ada   lovelace ']) {
      expect(await idsIn(CREDENTIALS, { label: words })).toEqual([credentialId])
    }
    for (const words of ['Lovelace', 'Ad', 'Ada Byron', 'Ada Lovelace Byron King', '%', ' ']) {
      expect(await idsIn(CREDENTIALS, { label: words })).toEqual([])
    }
    expect(await idsIn(SESSIONS, { label: 'Ada Lovelace', state: 'CredentialIssued' })).toEqual([offerId])
  })

  it('the list of credentials has them and finds them, also with other filters', async () => {
    const [entry, ...others] = await allOf(issuer.service, CREDENTIALS, { reference: REFERENCE })
    expect(entry).toMatchObject({ id: credentialId, ...NAMES })
    expect(others).toEqual([])
    expect(await idsIn(CREDENTIALS, { reference: REFERENCE, schema: JWT_VC, status: 'active' })).toEqual([credentialId])
    expect(await idsIn(CREDENTIALS, { reference: REFERENCE, status: 'revoked' })).toEqual([])
    expect(await idsIn(CREDENTIALS, { reference: REFERENCE, to: '2020-01-01T00:00:00Z' })).toEqual([])
    const history = await call('GET', `${CREDENTIALS}/${credentialId}/history`)
    expect(history.json.credential).toMatchObject(NAMES)
  })

  it('pages of a list by reference go on where the last one ended', async () => {
    const body = { type: JWT_VC, credential_subject: SUBJECT, reference: 'many' }
    const made: string[] = []
    for (let n = 0; n < 3; n += 1)
      made.push((await call('POST', CREDENTIALS, { ...(await as('issuer')), body }, 201)).json.id)
    const first = await pageOf(issuer.service, CREDENTIALS, { reference: 'many', limit: '2' })
    const second = await pageOf(issuer.service, CREDENTIALS, {
      reference: 'many',
      limit: '2',
      cursor: first.nextCursor ?? '',
    })
    expect([...first.items, ...second.items].map(({ id }) => id)).toEqual(made.reverse())
  })

  it('the owner of a credential reads them', async () => {
    const body = { type: JWT_VC, credential_subject: SUBJECT, ...NAMES }
    const { json } = await call('POST', CREDENTIALS, { ...(await as('alice')), body }, 201)
    expect((await call('GET', `${CREDENTIALS}/${json.id}`, await as('alice'))).json).toMatchObject(NAMES)
    await call('POST', `${CREDENTIALS}/${json.id}/erase`)
  })

  it('offerings show them, and are found by them, with the client secret and to admins', async () => {
    const shown = (await call('GET', `/api/v1/offerings/${offeringId}`)).json
    expect(shown).toMatchObject(NAMES)
    const found = (await call('GET', `/api/v1/offerings?reference=${REFERENCE}`)).json
    expect(found.map(({ id }: { id: string }) => id)).toEqual([offeringId])
    expect((await call('GET', '/api/v1/offerings?label=ada+lovelace')).json).toHaveLength(1)
    expect((await call('GET', '/api/v1/offerings?reference=nobody')).json).toEqual([])
    const admin = await as('root', { roles: ['admin'] })
    expect((await call('GET', `/api/v1/offerings?reference=${REFERENCE}`, admin)).json).toHaveLength(1)
  })

  it('attack: other readers of an offering see no names, and find out nothing by a filter', async () => {
    for (const reader of [{}, await as('mallory')]) {
      const one = (await call('GET', `/api/v1/offerings/${offeringId}`, reader)).json
      const all = (await call('GET', '/api/v1/offerings', reader)).json
      for (const offering of [one, ...all]) {
        expect(offering).not.toHaveProperty('reference')
        expect(offering).not.toHaveProperty('label')
      }
      expect((await call('GET', `/api/v1/offerings?reference=${REFERENCE}`, reader)).json).toEqual([])
      expect((await call('GET', '/api/v1/offerings?label=ada', reader)).json).toEqual([])
    }
  })

  it('attack: a caller without the rights of an operator finds nothing of other callers by names', async () => {
    const mallory = await as('mallory')
    for (const path of [SESSIONS, CREDENTIALS, REQUESTS]) {
      for (const filter of [`reference=${REFERENCE}`, 'label=ada'])
        expect((await call('GET', `${path}?${filter}`, mallory)).json.items).toEqual([])
    }
    await call('GET', `/credential-offer-sessions/${offerId}`, mallory, 500)
  })

  it('a request has them, in its session, its events and the list', async () => {
    const creator = await as('verifier')
    expect((await call('GET', `/verification-sessions/${requestId}`, creator)).json).toMatchObject(NAMES)
    await using reader = await readEvents(issuer.service, `/verification-sessions/${requestId}/events`, creator)
    expect(JSON.parse((await reader.next()).data ?? '')).toMatchObject({ ...NAMES, state: 'RequestCreated' })
    const [entry, ...others] = await allOf(issuer.service, REQUESTS, { reference: REFERENCE })
    expect(entry).toMatchObject({ id: requestId, ...NAMES })
    expect(others).toEqual([])
    expect(await idsIn(REQUESTS, { label: 'ada' })).toEqual([requestId])
    expect(await idsIn(REQUESTS, { label: 'ada', state: 'ResponseVerified' })).toEqual([])
  })

  it('attack: another verifier who knows the id of a session sees no names', async () => {
    const mallory = await as('mallory')
    const { json } = await call('GET', `/verification-sessions/${requestId}`, mallory)
    expect(json).not.toHaveProperty('reference')
    expect(json).not.toHaveProperty('label')
    await using reader = await readEvents(issuer.service, `/verification-sessions/${requestId}/events`, mallory)
    expect((await reader.next()).data).not.toContain(REFERENCE)
  })

  it('a request from a stored query has names too, and the query has its own name', async () => {
    const items = [{ fields: [{ path: ['$.type'] }] }]
    const named = { query: items, name: 'Students at the door' }
    const { json: stored } = await call('POST', '/api/v1/verifier/vp-queries', { client: true, body: named }, 201)
    expect(stored.name).toBe(named.name)
    expect((await call('GET', `/api/v1/verifier/vp-queries/${stored.id}`)).json.name).toBe(named.name)
    expect((await call('GET', '/api/v1/verifier/vp-queries')).json[0].name).toBe(named.name)
    const body = { redirect_uri: 'https://shop.example/done', reference: 'order-1' }
    const path = `/api/v1/verifier/vp-queries/${stored.id}/authorization-request`
    const { json } = await call('POST', path, { client: true, body }, 201)
    expect(await idsIn(REQUESTS, { reference: 'order-1' })).toEqual([json.verificationSessionId])
  })

  it('a hosted wallet has a name', async () => {
    const admin = await as('root', { roles: ['admin'] })
    const body = { method: 'key', name: 'Wallet of the front desk' }
    const { json } = await call('POST', '/agent/holder', { ...admin, body }, 201)
    expect(json.name).toBe(body.name)
    expect((await call('GET', '/agent/holders', admin)).json).toEqual([json])
    const plain = await call('POST', '/agent/holder', { ...admin, body: { method: 'key' } }, 201)
    expect(plain.json).not.toHaveProperty('name')
  })

  it('exports have them, as NDJSON and as CSV', async () => {
    const order = { kind: 'credentials', ...period() }
    const { records } = await exported(issuer.service, order, { client: true })
    expect(records.find(({ id }) => id === credentialId)).toMatchObject(NAMES)
    const rows = await exportedCsv(issuer.service, order, { client: true })
    expect(rows.find(({ id }) => id === credentialId)).toMatchObject(NAMES)
    const sessions = await exportedCsv(issuer.service, { kind: 'sessions', ...period() }, { client: true })
    expect(sessions.find(({ id }) => id === requestId)).toMatchObject(NAMES)
  })

  it('the export of a person has the names of credentials and offers about the person', async () => {
    const claimed = await call('POST', `/api/v1/offerings/${offeringId}/claim`, await as('bob'))
    const body = { subject: { sub: 'bob' } }
    const { records } = await exported(issuer.service, body, { client: true })
    expect(records.find(({ id }) => id === claimed.json.id)).toMatchObject(NAMES)
    await call('POST', `${CREDENTIALS}/${claimed.json.id}/erase`)
    expect(await idsIn(CREDENTIALS, { reference: REFERENCE })).toEqual([credentialId])
  })

  it('attack: no wallet, page, status list, token or log line has them', async () => {
    const { credentialOfferSessionId: id, credentialOffer } = await issuer.makeOffer({ ...NAMES, page: true })
    const token = await issuer.token(id)
    const taken = await issuer.take(token, SD_JWT)
    const compact = credentialOf(taken)
    const { pageUrl, credentialOfferSessionId: open } = await issuer.makeOffer({ ...NAMES, page: true })
    const page = await (await fetch(pageUrl)).text()
    const request = await ask({ ...NAMES, page: true })
    const presentPage = await (await fetch(request.pageUrl)).text()
    const object = await (await fetch(request.request_uri)).text()
    const offer = (await call('GET', `/openid4vci/offers/${open}`, {})).text
    const metadata = (await call('GET', '/.well-known/openid-credential-issuer', {})).text
    const texts = [JSON.stringify(credentialOffer), token, taken.text, compact, page, presentPage, object, offer]
    const opened = [...texts, metadata]
      .flatMap((text) => [text, ...text.split(/[.~"]/).map((part) => Buffer.from(part, 'base64url').toString())])
      .join('\n')
    for (const name of [REFERENCE, 'Lovelace']) {
      expect(opened).not.toContain(name)
      expect(lines.join('')).not.toContain(name)
    }
    expect(lines.join('')).toContain('/credential-offers')
  })

  it('an erasure of the session ends the names of a request', async () => {
    const { verificationSessionId: id } = await ask({ reference: 'to be erased' })
    await call('POST', `/verification-sessions/${id}/erase`)
    expect(await idsIn(REQUESTS, { reference: 'to be erased' })).toEqual([])
    expect((await call('GET', `/verification-sessions/${id}`, await as('verifier'))).json).not.toHaveProperty(
      'reference',
    )
    const keys = await query(
      issuer.service.databaseUrl,
      "SELECT 1 FROM content_keys WHERE row_id = $1 AND column_name = 'verification_sessions.names'",
      [id],
    )
    expect(keys).toEqual([])
  })

  it.each([
    ['empty', ''],
    ['of 201 characters', 'x'.repeat(201)],
    ['with a NUL character', '\0'],
  ])('a filter that is %s is a 400 that names it', async (_title, value) => {
    for (const path of [SESSIONS, CREDENTIALS, REQUESTS, '/api/v1/offerings']) {
      for (const member of ['reference', 'label']) {
        const answer = await call('GET', `${path}?${new URLSearchParams({ [member]: value })}`, { client: true }, 400)
        expect(answer.text).toContain(member)
      }
    }
  })
})
