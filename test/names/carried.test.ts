import { createHash } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createNameIndex } from '../../server/names/names.js'
import {
  credentialOf,
  type Issuer,
  JWT_VC,
  PRE_AUTHORIZED,
  SD_JWT,
  SUBJECT,
  startIssuer,
} from '../issuer/openid4vci/actors.js'
import { columnsWith } from '../keys/stolen.js'
import { query } from '../support/postgres.js'

const REFERENCE = 'M-2026-0042'
const LABEL = 'Ada Lovelace Byron'
const NAMES = { reference: REFERENCE, label: LABEL }
const KEK = Buffer.alloc(32, 7).toString('base64url')

let issuer: Issuer

beforeAll(async () => {
  issuer = await startIssuer({ maintenance: false, env: { KEY_ENCRYPTION_KEY: KEK, RETENTION_CLAIMS_DAYS: '10' } })
})
afterAll(() => issuer.service.close())

const rows = <Row>(sql: string, ...values: unknown[]) => query<Row & object>(issuer.service.databaseUrl, sql, values)

interface NamedRow {
  readonly id: string
  readonly names: unknown
  readonly wrapped: string | null
  readonly reference_hash: string | null
  readonly label_hashes: string[] | null
}

const stored = async (table: 'credentials' | 'offerings', id: string): Promise<NamedRow | undefined> =>
  (
    await rows<NamedRow>(
      `SELECT t.id, t.names, k.wrapped, t.reference_hash, t.label_hashes FROM ${table} t
       LEFT JOIN content_keys k ON k.row_id = t.id AND k.column_name = '${table}.names' WHERE t.id = $1`,
      id,
    )
  )[0]

/** The names of a row, decrypted. */
async function namesIn(table: 'credentials' | 'offerings', id: string): Promise<unknown> {
  const row = await stored(table, id)
  return issuer.service.platform.claims.reveal({ column: `${table}.names`, id }, row?.names, row?.wrapped ?? null)
}

const redeemed = async (offerId: string): Promise<string> =>
  (await rows<{ id: string }>('SELECT credential_id AS id FROM redemptions WHERE offering_id = $1', offerId))[0]?.id ??
  ''

/** The credential that a wallet took from an offer. */
async function taken(offerId: string): Promise<string> {
  credentialOf(await issuer.take(await issuer.token(offerId), SD_JWT))
  return redeemed(offerId)
}

const post = async (path: string, body: unknown) => {
  const answer = await issuer.service.request('POST', path, { authorization: await issuer.authorization(), body })
  expect(answer.status, answer.text).toBe(201)
  return answer.json
}

describe('names are carried to the credential', () => {
  it('of an offer, when its wallet takes the credential', async () => {
    const { credentialOfferSessionId: id } = await issuer.makeOffer(NAMES)
    expect(await namesIn('offerings', id)).toEqual(NAMES)
    const credential = await taken(id)
    expect(await namesIn('credentials', credential)).toEqual(NAMES)
    const [offer, record] = [await stored('offerings', id), await stored('credentials', credential)]
    expect(record?.reference_hash).toBe(offer?.reference_hash)
    expect(record?.label_hashes).toEqual(offer?.label_hashes)
    expect(record?.label_hashes).toHaveLength(3)
  })

  it('of a deferred offer, after the decision', async () => {
    const { credentialOfferSessionId: id } = await issuer.makeOffer({ ...NAMES, deferred: true })
    const { json: tokens } = await issuer.requestToken({
      grant_type: PRE_AUTHORIZED,
      'pre-authorized_code': await issuer.code(id),
    })
    const { json: waits } = await issuer.take(tokens.access_token, SD_JWT)
    await issuer.decide(id, 'approve', { credentialSubject: { ...SUBJECT, product: 'Grinder' } })
    credentialOf(await issuer.collect(tokens.access_token, waits.transaction_id))
    expect(await namesIn('credentials', await redeemed(id))).toEqual(NAMES)
  })

  it('of an offering, to the credential of each caller who claims it', async () => {
    const offering = await issuer.makeOffering({ reference: 'course-7' })
    const authorization = await issuer.service.bearer('alice')
    const claimed = await issuer.service.request('POST', `/api/v1/offerings/${offering.id}/claim`, { authorization })
    expect(await namesIn('credentials', claimed.json.id)).toEqual({ reference: 'course-7' })
  })

  it('of a batch: the key of a row is its reference, unless the row has one', async () => {
    const row = { credentialConfigurationIds: [SD_JWT], credentialSubject: SUBJECT }
    const rowsOf = [
      { ...row, key: 'row-1' },
      { ...row, key: 'row-2', reference: REFERENCE, label: LABEL },
    ]
    const body = { rows: rowsOf }
    const authorization = await issuer.authorization()
    const answer = await issuer.service.request('POST', '/api/v1/credential-offers/batch', { authorization, body })
    expect(answer.status, answer.text).toBe(200)
    const [first, second] = answer.json.offers
    expect(await namesIn('offerings', first.credentialOfferSessionId)).toEqual({ reference: 'row-1', key: 'row-1' })
    expect(await namesIn('offerings', second.credentialOfferSessionId)).toEqual({ ...NAMES, key: 'row-2' })
    expect(await namesIn('credentials', await taken(first.credentialOfferSessionId))).toEqual({ reference: 'row-1' })
    expect(await namesIn('credentials', await taken(second.credentialOfferSessionId))).toEqual(NAMES)
  })

  it('of a credential that is signed or created directly', async () => {
    const body = { type: JWT_VC, credential_subject: SUBJECT, ...NAMES }
    const signed = await post('/credentials/sign', { ...body, format: 'dc+sd-jwt' })
    expect(await namesIn('credentials', signed.id)).toEqual(NAMES)
    const created = await post('/api/v1/credentials', body)
    expect(await namesIn('credentials', created.id)).toEqual(NAMES)
  })

  it('a credential without names has neither names nor hashes', async () => {
    const { credentialOfferSessionId: id } = await issuer.makeOffer()
    const none = { names: null, wrapped: null, reference_hash: null, label_hashes: null }
    expect(await stored('offerings', id)).toEqual({ id, ...none })
    const credential = await taken(id)
    expect(await stored('credentials', credential)).toEqual({ id: credential, ...none })
  })
})

describe('names at rest', () => {
  it('attack: a stolen database shows neither names nor unkeyed hashes of them', async () => {
    const { credentialOfferSessionId: id } = await issuer.makeOffer({ reference: 'Stolen-4711', label: 'Grace Hopper' })
    await taken(id)
    const plain = ['sha256', 'sha512'].map((hash) => createHash(hash).update('Stolen-4711').digest('base64url'))
    expect(await columnsWith(issuer.service.databaseUrl, ['Stolen-4711', 'Grace', ...plain])).toEqual([])
  })

  it('attack: a stolen database does not show the key of a batch row, which is a reference', async () => {
    const row = { key: 'Row-4711', credentialConfigurationIds: [SD_JWT], credentialSubject: SUBJECT }
    const send = async () =>
      issuer.service.request('POST', '/api/v1/credential-offers/batch', {
        authorization: await issuer.authorization(),
        body: { rows: [row, { ...row, key: 'Row-4712', reference: 'other' }] },
      })
    const made = await send()
    expect(made.status, made.text).toBe(200)
    const plain = ['sha256', 'sha512'].map((hash) => createHash(hash).update('Row-4711').digest('base64url'))
    expect(await columnsWith(issuer.service.databaseUrl, ['Row-4711', 'Row-4712', ...plain])).toEqual([])
    const again = await send()
    expect(again.json.offers.map(({ key, repeated }: { key: string; repeated: boolean }) => [key, repeated])).toEqual([
      ['Row-4711', true],
      ['Row-4712', true],
    ])
  })

  it('attack: the maintenance job hides the keys that version 0.1.0 stored, and repeated requests still find their offers', async () => {
    const keys = ['Row-1815', 'Row-1852']
    const rowsToSend = keys.map((key) => ({
      key,
      credentialConfigurationIds: [SD_JWT],
      credentialSubject: SUBJECT,
      reference: 'other',
    }))
    const send = async () =>
      (
        await issuer.service.request('POST', '/api/v1/credential-offers/batch', {
          authorization: await issuer.authorization(),
          body: { rows: rowsToSend },
        })
      ).json.offers
    const made: readonly { readonly credentialOfferSessionId: string }[] = await send()
    for (const [at, key] of keys.entries())
      await rows(
        'UPDATE credential_offer_keys SET key = $1, hashed = false WHERE session_id = $2',
        key,
        made[at]?.credentialOfferSessionId,
      )
    expect(await columnsWith(issuer.service.databaseUrl, keys)).not.toEqual([])
    const repeated = made.map((offer) => ({ ...offer, repeated: true }))
    expect(await send()).toEqual(repeated)
    const task = issuer.service.features.offerBatches.tasks.find(({ name }) => name === 'hash keys of offers')
    // One key at a time, as if a process stopped in between.
    expect((await task?.run(new Date(), 1))?.count).toBe(1)
    expect(await send()).toEqual(repeated)
    expect(await task?.run(new Date(), 1)).toMatchObject({ count: 1 })
    expect(await task?.run(new Date(), 1)).toMatchObject({ count: 0, more: false })
    expect(await columnsWith(issuer.service.databaseUrl, keys)).toEqual([])
    expect(await send()).toEqual(repeated)
  })

  it('another installation computes other hashes', () => {
    const [one, other] = [1, 2].map((octet) => createNameIndex(Buffer.alloc(32, octet)))
    expect(one?.hashed(NAMES)).not.toEqual(other?.hashed(NAMES))
    expect(one?.hashed(NAMES)).toEqual(one?.hashed(NAMES))
  })
})

describe('the end of names', () => {
  const erased = { names: null, wrapped: null, reference_hash: null, label_hashes: null }

  it('an erasure on request ends the names of the credential and of its offer', async () => {
    const { credentialOfferSessionId: id } = await issuer.makeOffer(NAMES)
    const credential = await taken(id)
    await issuer.service.request('POST', `/api/v1/credentials/${credential}/erase`, { client: true })
    expect(await stored('credentials', credential)).toEqual({ id: credential, ...erased })
    expect(await stored('offerings', id)).toEqual({ id, ...erased })
  })

  it('the retention of claims leaves names with the record, until an erasure on request', async () => {
    const { credentialOfferSessionId: id } = await issuer.makeOffer(NAMES)
    const credential = await taken(id)
    const later = new Date(Date.now() + 11 * 86_400_000)
    await issuer.service.platform.stores.erasure.eraseDueCredentials(later, 100)
    await issuer.service.platform.stores.erasure.eraseDueOfferings(later, 100)
    const [row] = await rows<{ vc: unknown }>('SELECT vc FROM credentials WHERE id = $1', credential)
    expect(row?.vc).toBeNull()
    expect(await namesIn('credentials', credential)).toEqual(NAMES)
    await issuer.service.request('POST', `/api/v1/credential-offers/${id}/erase`, { client: true })
    expect(await stored('credentials', credential)).toEqual({ id: credential, ...erased })
    expect(await stored('offerings', id)).toEqual({ id, ...erased })
  })
})

const blankClaim = {
  name: 'Blank',
  version: 1,
  schema: { type: 'object', properties: { given: { type: 'string' } } },
  claims: [{ path: ['given'], display: [{ name: ' ', locale: 'en' }] }],
}

describe('bad names', () => {
  it.each([
    ['an empty text', ''],
    ['white space alone', ' \t\u00a0\n'],
    ['201 characters', 'x'.repeat(201)],
    ['a number', 7],
    ['a NUL character', 'a\0b'],
    ['null', null],
    ['an object', {}],
  ])('%s is refused, and the message names the member', async (_, value) => {
    const authorization = await issuer.authorization()
    const offer = { credentialConfigurationIds: [SD_JWT], credentialSubject: SUBJECT }
    const offering = { credential_type: JWT_VC, credential_subject: SUBJECT }
    const direct = { type: JWT_VC, credential_subject: SUBJECT }
    for (const member of ['reference', 'label']) {
      const calls = [
        issuer.service.request('POST', '/credential-offers', { authorization, body: { ...offer, [member]: value } }),
        issuer.service.request('POST', '/api/v1/offerings', { client: true, body: { ...offering, [member]: value } }),
        issuer.service.request('POST', '/api/v1/credentials', { authorization, body: { ...direct, [member]: value } }),
        issuer.service.request('POST', '/credentials/sign', {
          authorization,
          body: { ...direct, format: 'dc+sd-jwt', [member]: value },
        }),
        issuer.service.request('POST', '/api/v1/credential-offers/batch', {
          authorization,
          body: { rows: [{ ...offer, key: crypto.randomUUID(), [member]: value }] },
        }),
      ]
      for (const answer of await Promise.all(calls)) {
        expect(answer.status, answer.text).toBe(400)
        expect(answer.text).toContain(member)
      }
    }
  })
  it('a blank key of a batch row is refused, since it would be the reference', async () => {
    const row = { key: '  ', credentialConfigurationIds: [SD_JWT], credentialSubject: SUBJECT }
    const answer = await issuer.service.request('POST', '/api/v1/credential-offers/batch', {
      authorization: await issuer.authorization(),
      body: { rows: [row] },
    })
    expect([answer.status, answer.json.message]).toEqual([400, ['rows.0.key must not be empty']])
  })

  it.each([
    ['a batch', 'batch.name', '/api/v1/credential-offers/batch', { rows: [], batch: { name: ' ' } }],
    ['a hosted wallet', 'name', '/agent/holder', { method: 'key', name: ' ' }],
    ['a VP query', 'name', '/api/v1/verifier/vp-queries', { query: [{ fields: [{ path: ['$.type'] }] }], name: ' ' }],
    ['a type', 'title', '/schemas', { name: 'Blank', version: 1, schema: { type: 'object' }, title: ' ' }],
    ['an issuer', 'display.0.name', '/agent/issuer', { method: 'key', display: [{ name: ' ' }] }],
    ['a claim', 'claims', '/schemas', blankClaim],
  ])('white space alone is no name of %s', async (_, field, path, body) => {
    const authorization = await issuer.service.bearer('boss', { roles: ['admin'] })
    const answer = await issuer.service.request('POST', path, { authorization, client: true, body })
    expect(answer.status, answer.text).toBe(400)
    expect(
      answer.json.message.some((line: string) => line.startsWith(`${field} `)),
      answer.text,
    ).toBe(true)
  })

  it('white space at the ends does not count: a name is stored and found without it', async () => {
    const name = 'x'.repeat(200)
    const { credentialOfferSessionId: id } = await issuer.makeOffer({ reference: `  ${name}\n`, label: '\u00a0Ada ' })
    expect(await issuer.session(id)).toMatchObject({ reference: name, label: 'Ada' })
    const query = new URLSearchParams({ reference: ` ${name} ` })
    const { json } = await issuer.service.request('GET', `/api/v1/credential-offer-sessions?${query}`, { client: true })
    expect(json.items.map((offer: { id: string }) => offer.id)).toEqual([id])
  })
})
