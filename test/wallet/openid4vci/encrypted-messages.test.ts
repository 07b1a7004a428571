import type { JWK } from 'jose'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { postOffering, postSchema } from '../../issuer/purchase.js'
import { startService, type TestService } from '../../support/service.js'
import { LOOPBACK, newWallet } from '../../support/wallet.js'
import type { RemoteAnswer } from '../../support/wallet-http.js'
import { jweFor, newRemoteEncryption, type RemoteEncryptionOptions } from '../../support/wallet-remote-encryption.js'
import { requestsTo, taking } from '../taking.js'

let service: TestService

beforeAll(async () => {
  service = await startService({ env: LOOPBACK })
})
afterAll(() => service.close())

async function takingEncrypted(options: RemoteEncryptionOptions, more: Parameters<typeof taking>[1] = {}) {
  const encryption = await newRemoteEncryption(options)
  return { ...(await taking(service, { encryption, ...more })), encryption }
}

describe('an issuer that demands encryption (OpenID4VCI 1.0 §10)', () => {
  it.each(['A128GCM', 'A256GCM'])(
    'gets requests that are encrypted for its key, and is asked for answers by %s',
    async (enc) => {
      await using taken = await takingEncrypted({ required: 'answers', enc })
      expect([taken.answer.status, taken.answer.json.credentials?.length]).toEqual([200, 2])
      const { requests, asked } = taken.encryption
      expect(requests).toMatchObject([{ alg: 'ECDH-ES', enc, kid: 'request-key' }, { enc }])
      expect(asked).toMatchObject([{ enc, jwk: { kty: 'EC', crv: 'P-256', alg: 'ECDH-ES' } }, { enc }])
    },
  )

  it('gets another key for each answer, and never a private key', async () => {
    await using taken = await takingEncrypted({ required: 'answers' })
    const keys = taken.encryption.asked.map(({ jwk }) => jwk as JWK)
    expect(new Set(keys.map(({ x }) => x)).size).toBe(2)
    expect(keys.map(({ d }) => d)).toEqual([undefined, undefined])
  })

  it('of requests only is asked for encrypted answers if it offers them', async () => {
    await using taken = await takingEncrypted({ required: 'requests' })
    expect(taken.answer.status).toBe(200)
    expect(taken.encryption.requests).toHaveLength(2)
    expect(taken.encryption.asked).toHaveLength(2)
  })

  it('may compress its answers', async () => {
    await using taken = await takingEncrypted({ required: 'answers', zip: true })
    expect(taken.answer.status).toBe(200)
  })

  it('may refuse without encryption, and the wallet reads the refusal', async () => {
    await using taken = await takingEncrypted({ required: 'answers' }, { identifiers: true, staleNonces: 9 })
    expect([taken.answer.status, taken.answer.json.message]).toEqual([
      500,
      'The credential issuer refused the request: invalid_nonce: The nonce is stale.',
    ])
  })

  it('an expired nonce is replaced in encrypted messages too', async () => {
    await using taken = await takingEncrypted({ required: 'answers' }, { staleNonces: 1 })
    expect(taken.answer.status).toBe(200)
  })
})

describe('an issuer with optional encryption (OpenID4VCI 1.0 §8.2, §12.2.4)', () => {
  const REQUESTS = 'credential_request_encryption'
  const ANSWERS = 'credential_response_encryption'

  /** Takes credentials of an issuer with some members of its encryption metadata replaced. */
  async function offering(changes: Readonly<Record<string, Readonly<Record<string, unknown>> | undefined>>) {
    const encryption = await newRemoteEncryption({ required: 'nothing' })
    const metadata = Object.entries(changes).map(([name, members]) => [
      name,
      members === undefined ? undefined : { ...(encryption.metadata[name] as object), ...members },
    ])
    const taken = await taking(service, { encryption, metadata: Object.fromEntries(metadata) })
    expect([taken.answer.status, taken.answer.json.credentials?.length], taken.answer.text).toEqual([200, 2])
    return { ...taken, encryption }
  }

  it.each(['A128GCM', 'A256GCM'])('gets encrypted requests, and is asked for encrypted answers, by %s', async (enc) => {
    await using taken = await takingEncrypted({ required: 'nothing', enc })
    expect([taken.answer.status, taken.answer.json.credentials?.length]).toEqual([200, 2])
    expect(taken.encryption.requests).toMatchObject([{ alg: 'ECDH-ES', enc, kid: 'request-key' }, { enc }])
    expect(taken.encryption.asked).toMatchObject([{ enc }, { enc }])
    for (const { headers } of requestsTo(taken.issuer, '/credential'))
      expect(headers.get('content-type')).toBe('application/jwt')
  })

  it.each<[string, Readonly<Record<string, unknown>> | undefined]>([
    ['no encryption of answers', undefined],
    ['another alg for answers', { alg_values_supported: ['RSA-OAEP-256'] }],
    ['another enc for answers', { enc_values_supported: ['A256CBC-HS512'] }],
    ['answers in another form', { alg_values_supported: 7 }],
  ])('with %s: requests are encrypted, answers are plain', async (_what, answers) => {
    await using taken = await offering({ [ANSWERS]: answers })
    expect([taken.encryption.requests.length, taken.encryption.asked]).toEqual([2, []])
  })

  const key = { kty: 'EC', crv: 'P-256', x: 'A'.repeat(43), y: 'A'.repeat(43), alg: 'ECDH-ES', kid: '1' }

  it.each<[string, Readonly<Record<string, unknown>> | undefined]>([
    ['no encryption of requests', undefined],
    ['another enc for requests', { enc_values_supported: ['A256CBC-HS512'] }],
    ['no key of a known type', { jwks: { keys: [{ ...key, alg: 'RSA-OAEP-256' }] } }],
    ['a key that is not a point of the curve', { jwks: { keys: [key] } }],
    ['no key set', { jwks: 'https://issuer.example/jwks' }],
  ])('with %s: messages are plain, because an encrypted answer needs an encrypted request', async (_what, requests) => {
    await using taken = await offering({ [REQUESTS]: requests })
    expect([taken.encryption.requests, taken.encryption.asked]).toEqual([[], []])
    expect(
      requestsTo(taken.issuer, '/credential')
        .map(({ text }) => text)
        .join(),
    ).not.toContain(ANSWERS)
  })

  it('with a usable key after other keys gets requests for the usable key', async () => {
    const { metadata } = await newRemoteEncryption({ required: 'nothing' })
    const { jwks } = metadata[REQUESTS] as { jwks: { keys: JWK[] } }
    await using taken = await taking(service, {
      metadata: { [REQUESTS]: { ...(metadata[REQUESTS] as object), jwks: { keys: [key, ...jwks.keys] } } },
    })
    const [request] = requestsTo(taken.issuer, '/credential')
    expect(JSON.parse(Buffer.from(request?.text.split('.')[0] ?? '', 'base64url').toString()).kid).toBe('request-key')
  })

  it('that sends an unencrypted answer instead of an encrypted answer is refused (§10)', async () => {
    await using taken = await takingEncrypted({ required: 'nothing', answer: () => ({ body: { credentials: [] } }) })
    expect(taken.answer.json.message).toBe('The issuer sent an unencrypted answer although encryption was requested.')
  })
})

describe('a hostile issuer', () => {
  const jwt = (body: string): RemoteAnswer => ({ headers: { 'content-type': 'application/jwt' }, body })

  it.each<[string, NonNullable<RemoteEncryptionOptions['answer']>, string]>([
    [
      'in the clear',
      () => ({ body: { credentials: [{ credential: 'e.e.e' }] } }),
      'The issuer sent an unencrypted answer although encryption was requested.',
    ],
    ['changed', (jwe) => jwt(`${jwe.slice(0, -3)}AAA`), "The issuer's encrypted answer cannot be decrypted."],
    ['no JWE', () => jwt('a.b.c'), "The issuer's encrypted answer cannot be decrypted."],
    [
      'that holds no JSON',
      async (_, wallet) => jwt(await jweFor(wallet, 'credentials')),
      'The credential endpoint answered with something that is not JSON.',
    ],
    [
      'that grows beyond 320 KiB, the size of one copy',
      async (_, wallet) => jwt(await jweFor(wallet, JSON.stringify(' '.repeat(330_000)), { zip: 'DEF' })),
      "The issuer's encrypted answer holds too much.",
    ],
  ])('sends an answer %s', async (_, answer, message) => {
    await using taken = await takingEncrypted({ required: 'answers', answer })
    expect([taken.answer.status, taken.answer.json.message]).toEqual([500, message])
    expect((await taken.wallet.get('/credentials')).json).toEqual([])
  })

  it.each([
    ['no keys at all', { keys: [] }],
    ['a key without alg', { keys: [{ kty: 'EC', crv: 'P-256', x: 'AA', y: 'AA', kid: '1' }] }],
    ['a key for signatures', { keys: [{ kty: 'EC', crv: 'P-256', x: 'AA', y: 'AA', alg: 'ECDH-ES', use: 'sig' }] }],
    ['a value that is not a key set', 7],
  ])('demands encrypted requests and has %s: nothing is used up', async (_, jwks) => {
    const demanded = { jwks, enc_values_supported: ['A128GCM'], encryption_required: true }
    await using taken = await taking(service, { metadata: { credential_request_encryption: demanded } })
    expect([taken.answer.status, taken.answer.json.message]).toEqual([
      500,
      'The issuer requires encrypted messages, in a way that this wallet does not support.',
    ])
    expect(requestsTo(taken.issuer, '/token')).toEqual([])
  })

  it('has a key that is not a point of the curve', async () => {
    const key = { kty: 'EC', crv: 'P-256', x: 'A'.repeat(43), y: 'A'.repeat(43), alg: 'ECDH-ES', kid: '1' }
    const demanded = { jwks: { keys: [key] }, enc_values_supported: ['A128GCM'], encryption_required: true }
    await using taken = await taking(service, { metadata: { credential_request_encryption: demanded } })
    expect([taken.answer.status, taken.answer.json.message]).toEqual([
      500,
      'The issuer requires encrypted messages, in a way that this wallet does not support.',
    ])
    expect(requestsTo(taken.issuer, '/token')).toEqual([])
  })
})

it('takes credentials from another installation with CREDENTIAL_ENCRYPTION=required', async () => {
  await using issuer = await startService({ env: { ...LOOPBACK, CREDENTIAL_ENCRYPTION: 'required' } })
  const { name } = await postSchema(issuer, await issuer.bearer('issuer'))
  const offered = await postOffering(issuer, { credential_type: name })
  const taken = await (await newWallet(service)).process(offered.offering_full_url, { copies: 2 })
  expect([taken.status, taken.json.credentials?.length]).toEqual([200, 2])
})
