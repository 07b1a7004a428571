import { createHash, randomBytes } from 'node:crypto'
import { decodeJwt, decodeProtectedHeader } from 'jose'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { RemoteRequestOptions } from '../../support/remote-verifier.js'
import { newRemoteKey } from '../../support/wallet-callbacks.js'
import { type HostileWorld, makeHostileWorld } from '../hostile-world.js'

type Variant = Required<Pick<RemoteRequestOptions, 'prefix' | 'mode'>>

const SIGNED: readonly Variant[] = [
  { prefix: 'x509_hash', mode: 'direct_post.jwt' },
  { prefix: 'x509_san_dns', mode: 'direct_post' },
  { prefix: 'decentralized_identifier', mode: 'direct_post.jwt' },
]
const UNSIGNED: readonly Variant[] = [
  { prefix: 'redirect_uri', mode: 'direct_post' },
  { prefix: 'redirect_uri', mode: 'direct_post.jwt' },
]
const ALL = [...SIGNED, ...UNSIGNED]
const titled = (variants: readonly Variant[]) =>
  variants.map((variant) => [`${variant.prefix}, ${variant.mode}`, variant] as const)

const CLAIMS = [{ path: ['degree'] }, { path: ['university'] }]
const TRANSACTION = { type: 'unknown-type', credential_ids: ['diploma'] }

let world: HostileWorld
beforeAll(async () => {
  world = await makeHostileWorld()
})
afterAll(() => world.close())

/** A query for the wallet's diploma, with the given claims. */
function query(claims: readonly object[] | undefined = CLAIMS, more: Readonly<Record<string, unknown>> = {}) {
  const { credentials } = world.diploma() as { credentials: [object] }
  return { credentials: [{ ...credentials[0], ...(claims.length === 0 ? {} : { claims }) }], ...more }
}

/** The query with a second credential that no wallet has. */
function withAnother(required: boolean) {
  const other = { id: 'other', format: 'dc+sd-jwt', meta: { vct_values: ['urn:nonexistent:1'] } }
  const { credentials } = query()
  return {
    credentials: [...credentials, other],
    credential_sets: [{ options: [['diploma']] }, { options: [['other']], required }],
  }
}

/** The header of the last JWE; undefined for an unencrypted answer. */
function encryptionHeader() {
  const { response } = Object.fromEntries(new URLSearchParams(world.verifier.seen.at(-1)?.text))
  return response === undefined ? undefined : decodeProtectedHeader(response)
}

/** Lets the wallet answer, and checks the presentation as the suite does. Returns the disclosed claims. */
async function answered(variant: Variant, dcqlQuery: unknown, options: RemoteRequestOptions = {}) {
  const before = world.verifier.responses.length
  const address = await world.verifier.request(dcqlQuery, { ...variant, ...options })
  const { status, json } = await world.wallet.process(address)
  expect([status, json.redirectUri]).toEqual([200, 'https://verifier.example/done?response_code=1'])
  const [response, ...others] = world.verifier.responses.slice(before)
  if (response === undefined || others.length > 0) throw new Error('Not answered once.')
  expect([response.encrypted, Object.keys(response.presentations)]).toEqual([
    variant.mode === 'direct_post.jwt',
    ['diploma'],
  ])
  if (response.encrypted) {
    // OpenID4VP 1.0 §8.3: the answer is encrypted for the key of the request, names its kid, and has an algorithm that
    // the request allows.
    expect(encryptionHeader()).toMatchObject({ alg: 'ECDH-ES', kid: 'response-key' })
  }
  const [presentation, ...further] = response.presentations.diploma ?? []
  expect(further).toEqual([])
  const parts = String(presentation).split('~')
  const keyBinding = parts.at(-1) ?? ''
  const shown = String(presentation).slice(0, -keyBinding.length)
  expect(decodeProtectedHeader(keyBinding)).toEqual({ typ: 'kb+jwt', alg: 'ES256' })
  expect(decodeJwt(keyBinding)).toEqual({
    iat: expect.any(Number),
    aud: response.clientId,
    nonce: response.nonce,
    sd_hash: createHash('sha256').update(shown).digest('base64url'),
  })
  const disclosed = parts.slice(1, -1).map((text) => JSON.parse(Buffer.from(text, 'base64url').toString())[1] as string)
  return { response, disclosed: disclosed.sort() }
}

/** Checks that the wallet presents nothing. */
async function refused(variant: Variant, options: RemoteRequestOptions, message: string, dcqlQuery: unknown = query()) {
  const refusal = await world.refusalOf({ ...variant, ...options }, dcqlQuery)
  expect(refusal).toMatchObject({ presented: 0, message: expect.stringContaining(message) })
  expect([400, 500]).toContain(refusal.status)
}

describe.each(titled(ALL))('modules that the wallet answers: %s', (_name, variant) => {
  it('oid4vp-1final-wallet-happy-flow', async () => {
    const { response, disclosed } = await answered(variant, query(), { payload: { state: undefined } })
    expect([response.state, disclosed]).toEqual([undefined, ['degree', 'university']])
  })

  it('oid4vp-1final-wallet-alternate-happy-flow', async () => {
    const state = randomBytes(48).toString('base64url')
    const payload = {
      state,
      nonce: randomBytes(32).toString('base64url'),
      unknown_parameter: 'to be ignored',
      // §5: any value is accepted.
      iss: 'https://somebody-else.example',
      // §5.9.3: the response_uri is the client identifier.
      ...(variant.prefix === 'redirect_uri' ? { response_uri: undefined } : {}),
    }
    const keys: RemoteRequestOptions['keys'] = ({ use: _, ...key }) => [key]
    const { response, disclosed } = await answered(variant, query(), { payload, keys })
    expect([response.state, disclosed]).toEqual([state, ['degree', 'university']])
  })

  it('oid4vp-1final-wallet-fewer-claims-than-available', async () => {
    expect((await answered(variant, query(CLAIMS.slice(0, 1)))).disclosed).toEqual(['degree'])
  })

  it('oid4vp-1final-wallet-optional-credential-set', async () => {
    expect((await answered(variant, withAnother(false))).disclosed).toEqual(['degree', 'university'])
  })

  it('oid4vp-1final-wallet-no-claims-in-dcql-query', async () => {
    expect((await answered(variant, query([]))).disclosed).toEqual([])
  })
})

describe.each(titled(ALL.filter(({ mode }) => mode === 'direct_post.jwt')))(
  'the module about encryption: %s',
  (_name, variant) => {
    it('oid4vp-1final-wallet-ignores-unusable-encryption-key', async () => {
      const unusable = [
        { kty: 'AKP', alg: 'ML-KEM-9999', use: 'enc', kid: 'post-quantum', pub: 'AAAA' },
        { kty: 'UNKNOWN', alg: 'UNKNOWN', use: 'enc', kid: 'made-up' },
      ]
      await answered(variant, query(), { keys: (usable) => [...unusable, usable] })
    })
  },
)

describe.each(titled(SIGNED))('modules about request objects: %s', (_name, variant) => {
  it('oid4vp-1final-wallet-request-uri-method-post', async () => {
    await answered(variant, query(), { method: 'post' })
    const fetched = world.verifier.seen.findLast(({ path }) => path === '/request')
    expect([fetched?.method, fetched?.headers.get('accept'), fetched?.headers.get('content-type')]).toEqual([
      'POST',
      'application/oauth-authz-req+jwt',
      expect.stringMatching(/^application\/x-www-form-urlencoded/),
    ])
    expect([...new URLSearchParams(fetched?.text).keys()].sort()).toEqual(['wallet_metadata', 'wallet_nonce'])
  })

  it('oid4vp-1final-wallet-negative-test-invalid-request-object-signature', async () => {
    await refused(variant, { signer: await newRemoteKey() }, "The authorization request's signature is refused")
  })

  it('oid4vp-1final-wallet-negative-test-mismatched-client-id', () =>
    refused(variant, { clientId: 'x509_san_dns:another.example' }, 'has another client_id than its address'))
})

describe.each(titled(ALL))('modules that the wallet refuses: %s', (_name, variant) => {
  it('oid4vp-1final-wallet-negative-test-redirect-uri-with-direct-post', () =>
    refused(variant, { payload: { redirect_uri: `${world.verifier.url}/done` } }, 'and no redirect_uri'))

  it('oid4vp-1final-wallet-negative-test-missing-nonce', () =>
    refused(variant, { payload: { nonce: undefined } }, 'has no valid nonce'))

  it('oid4vp-1final-wallet-negative-test-invalid-client-id-prefix', () =>
    refused(variant, { payload: { client_id: 'invalid_scheme:verifier' } }, 'are not known to this wallet'))

  it('oid4vp-1final-wallet-negative-test-unknown-transaction-data-type', () => {
    const transaction = Buffer.from(JSON.stringify(TRANSACTION)).toString('base64url')
    return refused(variant, { payload: { transaction_data: [transaction] } }, 'transaction data')
  })

  it('oid4vp-1final-wallet-negative-test-required-non-matching-credential', () =>
    refused(variant, {}, 'Could not find the required credentials', withAnother(true)))
})

describe.each(titled(UNSIGNED))('the module about the address of the answer: %s', (_name, variant) => {
  it('oid4vp-1final-wallet-negative-test-response-uri-not-client-id', () =>
    refused(
      variant,
      { payload: { response_uri: `${world.elsewhere.url}/response` } },
      'The response_uri does not match the client identifier.',
    ))
})
