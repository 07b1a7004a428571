import { createHash, randomBytes, X509Certificate } from 'node:crypto'
import { calculateJwkThumbprint, type JWK } from 'jose'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { bytesOf, changed, listAt } from '../../protocol/mdoc/tampering.js'
import type { Answer } from '../../support/service.js'
import {
  AUTHORITIES,
  type Changes,
  MDL_QUERY,
  type MdlChanges,
  QUERY,
  RETURN,
  type Received,
  type Suite,
  seconds,
  startSuite,
  WALLET,
} from './conformance-actors.js'

const YEAR = 365 * 86_400

let suite: Suite
beforeAll(async () => {
  suite = await startSuite()
})
afterAll(() => suite.close())

/** The keys of requests in this file. No key may occur twice. */
const seen = new Set<string>()

/** Estimates the entropy in bits from the frequency of each character, as the suite does. */
function entropy(text: string): number {
  const shares = [...new Set(text)].map((character) => (text.split(character).length - 1) / text.length)
  return text.length * shares.reduce((sum, share) => sum - share * Math.log2(share), 0)
}

interface Variant {
  /** The request's members for POST /authorization-requests. */
  readonly asks: Readonly<Record<string, unknown>>
  readonly prefix: 'x509_hash' | 'x509_san_dns' | 'redirect_uri'
  readonly responseMode: 'direct_post' | 'direct_post.jwt'
  readonly haip?: true
}

const CERTIFIED: readonly (readonly [string, Variant])[] = [
  ['x509_hash, direct_post.jwt', { asks: {}, prefix: 'x509_hash', responseMode: 'direct_post.jwt' }],
  ...(['direct_post', 'direct_post.jwt'] as const).map((responseMode) => {
    const asks = { clientIdPrefix: 'x509_san_dns', responseMode }
    return [`x509_san_dns, ${responseMode}`, { asks, prefix: 'x509_san_dns', responseMode }] as const
  }),
  ['HAIP', { asks: { profile: 'haip' }, prefix: 'x509_hash', responseMode: 'direct_post.jwt', haip: true }],
]
const UNSIGNED: typeof CERTIFIED = (['direct_post', 'direct_post.jwt'] as const).map((responseMode) => {
  const asks = { clientIdPrefix: 'redirect_uri', responseMode }
  return [`redirect_uri, ${responseMode}`, { asks, prefix: 'redirect_uri', responseMode }]
})

/** OpenID4VP 1.0 §5.7, §5.10: the address for the wallet only names the address of the request, or it contains the whole request. */
function checkAddress({ opened, address, header, payload }: Received) {
  expect(opened).toMatch(`${WALLET}?`)
  if (header === undefined) {
    expect(Object.keys(address).sort()).toEqual(Object.keys(payload).sort())
    return
  }
  expect(address).toEqual({
    client_id: payload.client_id,
    request_uri: expect.stringMatching(/^https:\/\/[^#]+$/),
    request_uri_method: 'post',
  })
}

/**
 * §5.9.3: the signing certificate identifies the verifier. Its chain leads to the authority and does not contain it (HAIP 1.0 §5).
 * There is no `kid`. An unsigned request identifies the verifier by the address for its answer.
 */
function checkSigner({ header, payload }: Received, { prefix }: Variant) {
  if (header === undefined) {
    expect([prefix, payload.client_id]).toEqual(['redirect_uri', `redirect_uri:${payload.response_uri}`])
    return
  }
  expect(header).toEqual({ typ: 'oauth-authz-req+jwt', alg: 'ES256', x5c: expect.any(Array) })
  const chain = (header.x5c ?? []).map((certificate) => new X509Certificate(Buffer.from(certificate, 'base64')))
  const authorities = [...chain.slice(1), AUTHORITIES.root.certificate]
  expect(chain).toHaveLength(2)
  for (const [at, certificate] of chain.entries()) {
    expect(certificate.verify(authorities[at]?.publicKey as never)).toBe(true)
    expect(certificate.verify(certificate.publicKey)).toBe(false)
  }
  const [leaf] = chain as [X509Certificate]
  const hash = createHash('sha256').update(leaf.raw).digest('base64url')
  expect(payload.client_id).toBe(prefix === 'x509_hash' ? `x509_hash:${hash}` : 'x509_san_dns:credence.example')
  if (prefix === 'x509_san_dns')
    expect(leaf.checkHost('credence.example', { subject: 'never' })).toBe('credence.example')
}

/** §5.1, §5.8, §6, §8.2: the request has exactly these parameters. */
function checkParameters({ header, payload }: Received, { responseMode }: Variant, walletNonce: string | undefined) {
  const times = { aud: 'https://self-issued.me/v2', iat: expect.any(Number), exp: expect.any(Number) }
  expect(payload).toEqual({
    client_id: expect.any(String),
    response_type: 'vp_token',
    response_mode: responseMode,
    response_uri: expect.stringMatching(/^https:\/\/[^#]+$/),
    nonce: expect.stringMatching(/^[\w.~-]{16,43}$/),
    state: expect.any(String),
    dcql_query: expect.anything(),
    client_metadata: expect.any(Object),
    ...(walletNonce === undefined ? {} : { wallet_nonce: walletNonce }),
    ...(header === undefined ? {} : times),
  })
  if (header !== undefined) {
    const { iat, exp } = payload as unknown as { iat: number; exp: number }
    expect(Math.abs(iat - seconds())).toBeLessThan(300)
    expect(exp).toBeGreaterThan(seconds())
  }
  // §5.2 asks for enough entropy; 128 bits are recommended. The estimate is lower than the real entropy.
  expect(Buffer.from(payload.nonce, 'base64url').length).toBeGreaterThanOrEqual(16)
  expect(entropy(payload.nonce)).toBeGreaterThan(96)
}

/** Appendix B.3.4: algorithms by their registered names. HAIP 1.0 §5 allows only SD-JWT VC and mobile documents, with ES256. */
function checkFormats({ payload }: Received, { haip }: Variant) {
  const { vp_formats_supported: formats } = payload.client_metadata as { vp_formats_supported?: Record<string, object> }
  const algorithms = expect.arrayContaining(['ES256'])
  expect(formats?.['dc+sd-jwt']).toEqual({ 'sd-jwt_alg_values': algorithms, 'kb-jwt_alg_values': algorithms })
  if (haip === true) expect(Object.keys(formats ?? {})).toEqual(['dc+sd-jwt', 'mso_mdoc'])
  const names = Object.values(formats?.['dc+sd-jwt'] ?? {}).flat()
  expect(names.filter((name) => !/^(?:[REP]S(?:256|384|512)|ES256K|EdDSA|Ed25519)$/.test(name))).toEqual([])
}

/**
 * §8.3, §11.1; HAIP 1.0 §5: the request has a key that no other request has. Without encryption, the request has no
 * members about encryption.
 */
async function checkMetadata({ payload }: Received, { responseMode }: Variant) {
  const formats = { vp_formats_supported: expect.any(Object) }
  if (responseMode === 'direct_post') {
    expect(payload.client_metadata).toEqual(formats)
    return
  }
  expect(payload.client_metadata).toEqual({
    ...formats,
    jwks: { keys: expect.any(Array) },
    encrypted_response_enc_values_supported: ['A128GCM', 'A256GCM'],
  })
  const keys = payload.client_metadata.jwks?.keys as unknown as JWK[]
  const text = expect.stringMatching(/^[\w-]+$/)
  expect(keys).toEqual([{ kty: 'EC', crv: 'P-256', x: text, y: text, kid: text, use: 'enc', alg: 'ECDH-ES' }])
  const thumbprint = await calculateJwkThumbprint(keys[0] as JWK)
  expect(seen).not.toContain(thumbprint)
  seen.add(thumbprint)
}

async function check(request: Received, variant: Variant, walletNonce?: string): Promise<Received> {
  checkAddress(request)
  checkSigner(request, variant)
  checkParameters(request, variant, walletNonce)
  expect([QUERY, MDL_QUERY]).toContainEqual(request.payload.dcql_query)
  checkFormats(request, variant)
  await checkMetadata(request, variant)
  return request
}

/** §8.2: 200 with the address for the return, and a session with the verified claims. */
async function accepted(request: Received, changes?: Changes) {
  await sentBack(request, await suite.answered(request, changes))
}

async function sentBack(request: Received, { status, headers, json }: Answer) {
  expect([status, headers.get('content-type')]).toEqual([200, expect.stringMatching(/^application\/json/)])
  expect(Object.keys(json)).toEqual(['redirect_uri'])
  const url = new URL(json.redirect_uri)
  expect(url.searchParams.get('response_code')).toMatch(/^[\w-]{43}$/)
  url.searchParams.delete('response_code')
  expect(url.href).toBe(RETURN)
  expect(await suite.session(request)).toMatchObject({ state: 'ResponseVerified' })
}

/** The presentation is refused at once, and the reason is its only error. */
async function refused(variant: Variant, changes: Changes, why: string) {
  const request = await check(await suite.received(variant.asks), variant)
  const { status, json } = await suite.answered(request, changes)
  const sentence = `Presentation for pid: ${why}`
  expect([status, json]).toEqual([
    400,
    { error: 'invalid_request', error_description: sentence, redirect_uri: expect.stringContaining(RETURN) },
  ])
  expect(await suite.session(request)).toMatchObject({ state: 'Error', errorMessage: sentence })
}

/** The same JWT with the bits of its signature changed. */
function unsigned(jwt: string): string {
  const [header, payload, signature = ''] = jwt.split('.')
  const flipped = Buffer.from(signature, 'base64url').map((byte) => byte ^ 0x5a)
  return `${header}.${payload}.${Buffer.from(flipped).toString('base64url')}`
}

describe.each([...CERTIFIED, ...UNSIGNED])('modules with a valid credential: %s', (_name, variant) => {
  it('oid4vp-1final-verifier-happy-flow', async () => {
    const request = await check(await suite.received(variant.asks), variant)
    await accepted(request)
    // A second request has a different key and a different nonce.
    const other = await check(await suite.received(variant.asks), variant)
    expect(other.payload.nonce).not.toBe(request.payload.nonce)
    await accepted(other)
  })

  it('oid4vp-1final-verifier-minimal-cnf-jwk', async () => {
    const request = await check(await suite.received(variant.asks), variant)
    await accepted(request, { holderJwk: ({ kty, crv, x, y }) => ({ kty, crv, x, y }) })
  })
})

describe.each(CERTIFIED)('modules about request_uri: %s', (_name, variant) => {
  it('oid4vp-1final-verifier-request-uri-method-post', async () => {
    const walletNonce = randomBytes(32).toString('base64url')
    const request = await suite.received(variant.asks, { wallet_nonce: walletNonce })
    await accepted(await check(request, variant, walletNonce))
  })

  it('oid4vp-1final-verifier-request-uri-fetched-twice', async () => {
    const first = await suite.received(variant.asks)
    const again = await suite.fetched(first.address.request_uri ?? '')
    expect(again.payload).toEqual(first.payload)
    await accepted(await check({ ...first, ...again }, variant))
  })
})

describe.each([...CERTIFIED, ...UNSIGNED])('modules with an invalid credential: %s', (_name, variant) => {
  it('oid4vp-1final-verifier-invalid-kb-jwt-signature', () => {
    const presentation = (text: string) => {
      const parts = text.split('~')
      return [...parts.slice(0, -1), unsigned(parts.at(-1) ?? '')].join('~')
    }
    return refused(variant, { presentation }, 'Key Binding JWT signature is invalid.')
  })

  it('oid4vp-1final-verifier-invalid-credential-signature', () => {
    // The holder's signature is for the changed credential, so only the issuer's signature is wrong.
    const sdJwt = (text: string) => {
      const [jwt = '', ...disclosures] = text.split('~')
      return [unsigned(jwt), ...disclosures].join('~')
    }
    return refused(variant, { sdJwt }, 'Credential signature is invalid.')
  })

  it.each<[string, NonNullable<Changes['keyBinding']>, string]>([
    [
      'oid4vp-1final-verifier-invalid-sd-hash',
      ({ sd_hash }) => ({ sd_hash: `${sd_hash}INVALID` }),
      'Key Binding JWT sd_hash is not that of the presented credential.',
    ],
    [
      'oid4vp-1final-verifier-invalid-kb-jwt-nonce',
      ({ nonce }) => ({ nonce: `${nonce}INVALID` }),
      'Key Binding JWT nonce is not that of the request.',
    ],
    [
      'oid4vp-1final-verifier-invalid-kb-jwt-aud',
      ({ aud }) => ({ aud: `${aud}INVALID` }),
      'Key Binding JWT aud is not this verifier.',
    ],
    [
      'oid4vp-1final-verifier-kb-jwt-iat-in-past',
      ({ iat }) => ({ iat: iat - YEAR }),
      'Key Binding JWT is older than its request.',
    ],
    [
      'oid4vp-1final-verifier-kb-jwt-iat-in-future',
      ({ iat }) => ({ iat: iat + YEAR }),
      'Key Binding JWT is not valid yet: iat lies in the future.',
    ],
  ])('%s', (_module, keyBinding, why) => refused(variant, { keyBinding }, why))
})

describe.each([...CERTIFIED, ...UNSIGNED])('modules with iso_mdl: %s', (_name, variant) => {
  const asked = async () => check(await suite.received({ ...variant.asks, dcqlQuery: MDL_QUERY }), variant)

  async function refusedMdl(changes: MdlChanges, why: string) {
    const request = await asked()
    const { status, json } = await suite.answeredWithMdl(request, changes)
    const sentence = `Presentation for mdl: ${why}`
    expect([status, json.error_description]).toEqual([400, sentence])
    expect(await suite.session(request)).toMatchObject({ state: 'Error', errorMessage: sentence })
  }

  it('oid4vp-1final-verifier-happy-flow', async () => {
    const request = await asked()
    await sentBack(request, await suite.answeredWithMdl(request))
  })

  it('oid4vp-1final-verifier-invalid-session-transcript', () =>
    refusedMdl({ over: { nonce: 'another' } }, 'Device signature is invalid.'))

  it('oid4vp-1final-verifier-invalid-credential-signature', () =>
    refusedMdl(
      {
        changed: (presentation) =>
          changed(presentation, (root) => {
            const auth = listAt(root, 'documents', 0, 'issuerSigned', 'issuerAuth')
            auth[3] = Buffer.from(bytesOf(auth[3])).map((byte) => byte ^ 0x5a)
          }),
      },
      'Issuer signature is invalid.',
    ))
})

describe.each(CERTIFIED)('modules about request_uri with iso_mdl: %s', (_name, variant) => {
  const members = { ...variant.asks, dcqlQuery: MDL_QUERY }

  it('oid4vp-1final-verifier-request-uri-method-post', async () => {
    const walletNonce = randomBytes(32).toString('base64url')
    const request = await check(await suite.received(members, { wallet_nonce: walletNonce }), variant, walletNonce)
    await sentBack(request, await suite.answeredWithMdl(request))
  })

  it('oid4vp-1final-verifier-request-uri-fetched-twice', async () => {
    const first = await suite.received(members)
    const again = await suite.fetched(first.address.request_uri ?? '')
    expect(again.payload).toEqual(first.payload)
    await sentBack(first, await suite.answeredWithMdl(await check({ ...first, ...again }, variant)))
  })
})
