import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { query as sql } from '../../support/postgres.js'
import { answer, ask, dcql, fetchRequest, ITEM, present, type RequestPayload, sessionOf } from '../actors.js'
import { answerWithLibrary } from '../library-wallet.js'
import { useWorld } from '../world.js'

const world = useWorld()

const PAYMENT = { type: 'urn:example:payment', credential_ids: ['purchase'], amount: '12.00 €', payee: 'Corner Shop' }
const SIGNATURE = { type: 'urn:example:signature', credential_ids: ['other'], document: 'Lease' }

type Entry = Record<string, unknown>
type Asked = RequestPayload & { readonly transaction_data: string[] }

/** Makes a request for one SD-JWT VC, or for several SD-JWT VCs with the given ids. */
async function asked(transactionData: Entry[] | undefined, ids = ['purchase'], members: Record<string, unknown> = {}) {
  const [credential] = dcql(world.service, 'dc+sd-jwt').credentials
  const dcqlQuery = { credentials: ids.map((id) => ({ ...credential, id })), ...members }
  const request = await ask(world.service, { dcqlQuery, transactionData, responseMode: 'direct_post' })
  return { request, payload: (await fetchRequest(request)) as Asked }
}

const hashOf = (text: string, alg = 'sha256') => createHash(alg).update(text).digest('base64url')

const presented = (payload: Asked, claims: Record<string, unknown> = {}) =>
  present(world.held['dc+sd-jwt'], world.wallet, payload, { claims })

/** Presents a credential with these claims in its Key Binding JWT, and checks the sentence of the refusal. */
async function refusedFor(entries: Entry[] | undefined, claims: (payload: Asked) => Entry, sentence: string) {
  const { request, payload } = await asked(entries)
  await world.expectRefused(request, payload, { purchase: [await presented(payload, claims(payload))] }, sentence)
}

describe('an independent wallet authorizes transaction data (OpenID4VP 1.0 §8.4)', () => {
  it.each(['direct_post', 'direct_post.jwt'])('by %s, in several credentials and algorithms', async (responseMode) => {
    const [credential] = dcql(world.service, 'dc+sd-jwt').credentials
    const request = await ask(world.service, {
      dcqlQuery: { credentials: ['purchase', 'other'].map((id) => ({ ...credential, id })) },
      transactionData: [
        { ...SIGNATURE, transaction_data_hashes_alg: ['sha-256', 'sha-512'] },
        PAYMENT,
        { ...PAYMENT, amount: '7.00 €' },
      ],
      responseMode,
    })
    const held = [world.held['dc+sd-jwt']]
    expect((await answerWithLibrary(world.wallet, request.authorizationRequestUri, held)).status).toBe(200)
    const { credentials } = await world.resultOf(request)
    expect(credentials).toMatchObject([
      { credentialQueryId: 'purchase', transactionData: [1, 2] },
      { credentialQueryId: 'other', transactionData: [0] },
    ])
  })

  it('in an unsigned request too', async () => {
    const request = await ask(world.service, {
      dcqlQuery: dcql(world.service, 'dc+sd-jwt'),
      transactionData: [PAYMENT],
      clientIdPrefix: 'redirect_uri',
      responseMode: 'direct_post',
    })
    const held = [world.held['dc+sd-jwt']]
    expect((await answerWithLibrary(world.wallet, request.authorizationRequestUri, held)).status).toBe(200)
    expect((await world.resultOf(request)).credentials).toMatchObject([{ transactionData: [0] }])
  })
})

describe('a request of VP query items names the credential queries that are made from the items', () => {
  const payment = { ...PAYMENT, credential_ids: ['item-0-sd-jwt'] }
  const items = async () => {
    const request = await ask(world.service, { query: [ITEM], transactionData: [payment], responseMode: 'direct_post' })
    return { request, payload: (await fetchRequest(request)) as Asked }
  }

  it('and accepts the credential that authorizes', async () => {
    const { request, payload } = await items()
    const claims = { transaction_data_hashes: payload.transaction_data.map((text) => hashOf(text)) }
    expect((await answer(payload, { 'item-0-sd-jwt': [await presented(payload, claims)] })).status).toBe(200)
    expect((await world.resultOf(request)).credentials).toMatchObject([{ queryItem: 0, transactionData: [0] }])
  })

  it('but not its alternative, which cannot authorize', async () => {
    const { request, payload } = await items()
    const vpToken = { 'item-0-jwt-vc': [await present(world.held.jwt_vc_json, world.wallet, payload)] }
    const sentence = 'transactionData.0 is not authorized. No presentation has its hash.'
    await world.expectRefused(request, payload, vpToken, sentence)
  })
})

describe('transaction data in a request', () => {
  it('is base64url of exactly the stored JSON, which is deleted at the end', async () => {
    const { request, payload } = await asked([PAYMENT])
    const stored = () =>
      sql<{ secrets: string | null }>(
        world.service.databaseUrl,
        'SELECT secrets FROM verification_sessions WHERE id = $1',
        [request.verificationSessionId],
      )
    const [row] = await stored()
    const { transactionData: kept }: { transactionData: string[] } = JSON.parse(row?.secrets ?? '')
    expect(payload.transaction_data).toEqual(kept.map((json) => Buffer.from(json).toString('base64url')))
    expect(kept.map((json) => JSON.parse(json))).toEqual([PAYMENT])
    const claims = { transaction_data_hashes: payload.transaction_data.map((text) => hashOf(text)) }
    expect((await answer(payload, { purchase: [await presented(payload, claims)] })).status).toBe(200)
    expect(await stored()).toEqual([{ secrets: null }])
  })

  it('is missing in request and result if the caller sent none', async () => {
    const { request, payload } = await asked(undefined)
    expect(payload).not.toHaveProperty('transaction_data')
    expect((await answer(payload, { purchase: [await presented(payload)] })).status).toBe(200)
    expect((await world.resultOf(request)).credentials[0]).not.toHaveProperty('transactionData')
  })

  it('names queries that are also in the copy for the wallet: none of these queries is removed because of its metadata', async () => {
    const [sdJwt] = dcql(world.service, 'dc+sd-jwt').credentials
    const [jwtVc] = dcql(world.service, 'jwt_vc_json', { id: 'other' }).credentials
    const dcqlQuery = { credentials: [sdJwt, jwtVc], credential_sets: [{ options: [['purchase'], ['other']] }] }
    const copyFor = async (transactionData?: Entry[]) => {
      const { request_uri: uri } = await ask(world.service, { dcqlQuery, transactionData })
      const form = { wallet_metadata: JSON.stringify({ vp_formats_supported: { jwt_vc_json: {} } }) }
      const text = await (await fetch(uri, { method: 'POST', body: new URLSearchParams(form) })).text()
      return JSON.parse(Buffer.from(text.split('.')[1] ?? '', 'base64url').toString()).dcql_query.credentials.length
    }
    expect([await copyFor(), await copyFor([PAYMENT])]).toEqual([1, 2])
  })
})

describe('a presentation is refused', () => {
  const sent = ({ transaction_data: [text = ''] }: Asked) => text
  const ALGORITHMS = { ...PAYMENT, transaction_data_hashes_alg: ['sha-384', 'sha-256'] }
  const NOTHING = 'Presentation for purchase: transaction_data_hashes.0 is the hash of nothing that was asked for.'

  it('without a hash for an entry', () =>
    refusedFor([PAYMENT], () => ({}), 'transactionData.0 is not authorized. No presentation has its hash.'))

  it('with the hash of one of two entries', () =>
    refusedFor(
      [PAYMENT, { ...PAYMENT, amount: '1.00 €' }],
      (payload) => ({ transaction_data_hashes: [hashOf(sent(payload))] }),
      'transactionData.1 is not authorized. No presentation has its hash.',
    ))

  it('with the hash of the decoded form', () =>
    refusedFor(
      [PAYMENT],
      (payload) => ({ transaction_data_hashes: [hashOf(Buffer.from(sent(payload), 'base64url').toString())] }),
      NOTHING,
    ))

  it('with the hash of other transaction data', async () => {
    const other = await asked([{ ...PAYMENT, amount: '0.01 €' }])
    await refusedFor([PAYMENT], () => ({ transaction_data_hashes: [hashOf(sent(other.payload))] }), NOTHING)
  })

  it('with a further hash', () =>
    refusedFor(
      [PAYMENT],
      (payload) => ({ transaction_data_hashes: [hashOf(sent(payload)), hashOf('another')] }),
      'Presentation for purchase: transaction_data_hashes holds more than was asked for.',
    ))

  it('with a further hash instead of another entry’s hash', () =>
    refusedFor(
      [PAYMENT, { ...PAYMENT, amount: '1.00 €' }],
      (payload) => ({ transaction_data_hashes: [hashOf(sent(payload)), hashOf('another')] }),
      'Presentation for purchase: transaction_data_hashes.1 is the hash of nothing that was asked for.',
    ))

  it('with a hash twice', () =>
    refusedFor(
      [PAYMENT, { ...PAYMENT, amount: '1.00 €' }],
      (payload) => ({ transaction_data_hashes: [hashOf(sent(payload)), hashOf(sent(payload))] }),
      'Presentation for purchase: transaction_data_hashes holds a hash twice.',
    ))

  it.each([[[]], ['text'], [null], [[7]], [{}]])('with %j instead of hashes', (hashes) =>
    refusedFor(
      [PAYMENT],
      () => ({ transaction_data_hashes: hashes }),
      'Presentation for purchase: transaction_data_hashes is no array of hashes.',
    ),
  )

  it('with hashes although the request has no transaction data', () =>
    refusedFor(
      undefined,
      () => ({ transaction_data_hashes: [hashOf('x')] }),
      'Presentation for purchase: transaction_data_hashes are there, although no transaction data was asked for.',
    ))

  it.each([
    ['that is named', PAYMENT, 'sha384', 'sha-384', 'none that transactionData.0 allows'],
    ['that the entry does not list', ALGORITHMS, 'sha512', 'sha-512', 'none that transactionData.0 allows'],
    ['that is weak', PAYMENT, 'md5', 'md5', 'none of sha-256, sha-384, sha-512'],
    ['that is no name', PAYMENT, 'sha256', ['sha-256'], 'none of sha-256, sha-384, sha-512'],
    ['that is null', ALGORITHMS, 'sha256', null, 'none of sha-256, sha-384, sha-512'],
  ])('by an algorithm %s', (_what, entry, hash, alg, why) =>
    refusedFor(
      [entry],
      (payload) => ({
        transaction_data_hashes: [hashOf(sent(payload), hash)],
        transaction_data_hashes_alg: alg,
      }),
      `Presentation for purchase: transaction_data_hashes_alg is ${why}.`,
    ),
  )

  it('by another algorithm than it names', async () => {
    const claims = (payload: Asked) => ({ transaction_data_hashes: [hashOf(sent(payload), 'sha384')] })
    await refusedFor([PAYMENT], claims, NOTHING)
    await refusedFor(
      [ALGORITHMS],
      (payload) => ({ ...claims(payload), transaction_data_hashes_alg: 'sha-256' }),
      NOTHING,
    )
  })

  it('without transaction_data_hashes_alg if the entry has it', () =>
    refusedFor(
      [ALGORITHMS],
      (payload) => ({ transaction_data_hashes: [hashOf(sent(payload))] }),
      'Presentation for purchase: transaction_data_hashes_alg is missing, which transactionData.0 asks for.',
    ))

  it('with the hashes of two credentials swapped', async () => {
    const { request, payload } = await asked([PAYMENT, SIGNATURE], ['purchase', 'other'])
    const [forPurchase, forOther] = payload.transaction_data.map((text) => ({
      transaction_data_hashes: [hashOf(text)],
    }))
    await world.expectRefused(
      request,
      payload,
      { purchase: [await presented(payload, forOther)], other: [await presented(payload, forPurchase)] },
      'Presentation for purchase: transactionData.1 is not for this credential: credential_ids does not name it.',
    )
  })

  it('if two credentials authorize the same entry (§5.1: only one may)', async () => {
    const both = { ...PAYMENT, credential_ids: ['purchase', 'other'] }
    const { request, payload } = await asked([both], ['purchase', 'other'])
    const claims = { transaction_data_hashes: [hashOf(sent(payload))] }
    await world.expectRefused(
      request,
      payload,
      { purchase: [await presented(payload, claims)], other: [await presented(payload, claims)] },
      'transactionData.0 is authorized more than once.',
    )
  })

  it('if the hash was inserted after the holder signed', async () => {
    const { request, payload } = await asked([PAYMENT])
    const parts = (await presented(payload)).split('.')
    const claims = JSON.parse(Buffer.from(parts.at(-2) ?? '', 'base64url').toString())
    const altered = { ...claims, transaction_data_hashes: [hashOf(sent(payload))] }
    parts.splice(-2, 1, Buffer.from(JSON.stringify(altered)).toString('base64url'))
    await world.expectRefused(
      request,
      payload,
      { purchase: [parts.join('.')] },
      'Presentation for purchase: Key Binding JWT signature is invalid.',
    )
  })
})

describe('presentations that are discarded authorize nothing (§8.6)', () => {
  const OPTIONAL = { credential_sets: [{ options: [['purchase']] }, { options: [['other']], required: false }] }

  it('an entry that only discarded presentations authorize ends the session, with the reason', async () => {
    const { request, payload } = await asked([SIGNATURE], ['purchase', 'other'], OPTIONAL)
    const claims = { transaction_data_hashes: payload.transaction_data.map((text) => hashOf(text)) }
    const bad = await present(world.held['dc+sd-jwt'], world.wallet, payload, { claims, nonce: 'another' })
    await world.expectRefused(
      request,
      payload,
      { purchase: [await presented(payload)], other: [bad] },
      'transactionData.0 is not authorized. Presentation for other: Key Binding JWT nonce is not that of the request.',
    )
  })

  it('a presentation with hashes that were not requested is discarded if it is not needed', async () => {
    const { request, payload } = await asked([PAYMENT], ['purchase', 'other'], OPTIONAL)
    const claims = { transaction_data_hashes: payload.transaction_data.map((text) => hashOf(text)) }
    const both = { purchase: [await presented(payload, claims)], other: [await presented(payload, claims)] }
    expect((await answer(payload, both)).status).toBe(200)
    expect(await sessionOf(world.service, request)).toMatchObject({ state: 'ResponseVerified' })
    const { credentials, discarded } = await world.resultOf(request)
    expect(credentials).toMatchObject([{ credentialQueryId: 'purchase', transactionData: [0] }])
    expect(discarded).toEqual([
      {
        credentialQueryId: 'other',
        reason:
          'Presentation for other: transactionData.0 is not for this credential: credential_ids does not name it.',
      },
    ])
  })
})
