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
  it.each(['A128GCM', 'A256GCM'])('is sent requests for its key, and asked for answers by %s', async (enc) => {
    await using taken = await takingEncrypted({ required: 'answers', enc })
    expect([taken.answer.status, taken.answer.json.credentials?.length]).toEqual([200, 2])
    const { requests, asked } = taken.encryption
    expect(requests).toMatchObject([{ alg: 'ECDH-ES', enc, kid: 'request-key' }, { enc }])
    expect(asked).toMatchObject([{ enc, jwk: { kty: 'EC', crv: 'P-256', alg: 'ECDH-ES' } }, { enc }])
  })

  it('is given another key for each answer, and never a private one', async () => {
    await using taken = await takingEncrypted({ required: 'answers' })
    const keys = taken.encryption.asked.map(({ jwk }) => jwk as JWK)
    expect(new Set(keys.map(({ x }) => x)).size).toBe(2)
    expect(keys.map(({ d }) => d)).toEqual([undefined, undefined])
  })

  it('for requests alone is not asked to encrypt its answers', async () => {
    await using taken = await takingEncrypted({ required: 'requests' })
    expect(taken.answer.status).toBe(200)
    expect(taken.encryption.requests).toHaveLength(2)
    expect(taken.encryption.asked).toEqual([])
  })

  it('may compress its answers', async () => {
    await using taken = await takingEncrypted({ required: 'answers', zip: true })
    expect(taken.answer.status).toBe(200)
  })

  it('refuses in the clear, and the refusal is understood', async () => {
    await using taken = await takingEncrypted({ required: 'answers' }, { identifiers: true, staleNonces: 9 })
    expect([taken.answer.status, taken.answer.json.message]).toEqual([
      500,
      'The credential issuer refused the request: invalid_nonce: The nonce is stale.',
    ])
  })

  it('a nonce that went stale is replaced there too', async () => {
    await using taken = await takingEncrypted({ required: 'answers' }, { staleNonces: 1 })
    expect(taken.answer.status).toBe(200)
  })
})

describe('an issuer that merely offers encryption', () => {
  it('gets plain requests and sends plain answers', async () => {
    const { metadata } = await newRemoteEncryption({ required: 'answers' })
    const offered = Object.fromEntries(
      Object.entries(metadata).map(([name, member]) => [name, { ...(member as object), encryption_required: false }]),
    )
    await using taken = await taking(service, { metadata: offered })
    expect(taken.answer.status).toBe(200)
    const [request] = requestsTo(taken.issuer, '/credential')
    expect(request?.headers.get('content-type')).toBe('application/json')
    expect(request?.text).not.toContain('credential_response_encryption')
  })
})

describe('a hostile issuer', () => {
  const jwt = (body: string): RemoteAnswer => ({ headers: { 'content-type': 'application/jwt' }, body })

  it.each<[string, NonNullable<RemoteEncryptionOptions['answer']>, string]>([
    [
      'in the clear',
      () => ({ body: { credentials: [{ credential: 'e.e.e' }] } }),
      'The issuer sent in the clear what was to be encrypted.',
    ],
    ['changed', (jwe) => jwt(`${jwe.slice(0, -3)}AAA`), "The issuer's encrypted answer cannot be decrypted."],
    ['no JWE', () => jwt('a.b.c'), "The issuer's encrypted answer cannot be decrypted."],
    [
      'that holds no JSON',
      async (_, wallet) => jwt(await jweFor(wallet, 'credentials')),
      'The credential endpoint answered with something that is not JSON.',
    ],
    [
      'that grows beyond 256 KiB',
      async (_, wallet) => jwt(await jweFor(wallet, JSON.stringify(' '.repeat(300_000)), { zip: 'DEF' })),
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
    ['something that is no key set', 7],
  ])('demands encrypted requests and has %s: nothing is spent', async (_, jwks) => {
    const demanded = { jwks, enc_values_supported: ['A128GCM'], encryption_required: true }
    await using taken = await taking(service, { metadata: { credential_request_encryption: demanded } })
    expect([taken.answer.status, taken.answer.json.message]).toEqual([
      500,
      'The issuer takes or sends encrypted messages only, in a way that this wallet does not support.',
    ])
    expect(requestsTo(taken.issuer, '/token')).toEqual([])
  })

  it('has a key that is no point of the curve', async () => {
    const key = { kty: 'EC', crv: 'P-256', x: 'A'.repeat(43), y: 'A'.repeat(43), alg: 'ECDH-ES', kid: '1' }
    const demanded = { jwks: { keys: [key] }, enc_values_supported: ['A128GCM'], encryption_required: true }
    await using taken = await taking(service, { metadata: { credential_request_encryption: demanded } })
    expect([taken.answer.status, taken.answer.json.message]).toEqual([
      500,
      "The issuer's key for encrypted requests cannot be used.",
    ])
  })
})

it('takes from another installation where CREDENTIAL_ENCRYPTION is required', async () => {
  await using issuer = await startService({ env: { ...LOOPBACK, CREDENTIAL_ENCRYPTION: 'required' } })
  const { name } = await postSchema(issuer, await issuer.bearer('issuer'))
  const offered = await postOffering(issuer, { credential_type: name })
  const taken = await (await newWallet(service)).process(offered.offering_full_url, { copies: 2 })
  expect([taken.status, taken.json.credentials?.length]).toEqual([200, 2])
})
