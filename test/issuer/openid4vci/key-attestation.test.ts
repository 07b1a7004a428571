import { deflateSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { signCompact } from '../../../server/protocol/jose/jws.js'
import { makeCertificate } from '../../protocol/issuer-keys/certificates.js'
import { query } from '../../support/postgres.js'
import type { Answer } from '../../support/service.js'
import { newWallet, type WalletActor } from '../../support/wallet-actor.js'
import { startWebServer, type WebServer } from '../../verifier/web-server.js'
import { credentialOf, type Issuer, payloadOf, refusalOf, SD_JWT, startIssuer } from './actors.js'
import {
  type Changes,
  knownWallet,
  newCertifiedProvider,
  newProvider,
  newProviderRoot,
  type Provider,
  trusting,
} from './attestation-actors.js'

const root = newProviderRoot()
const somebodyElse = makeCertificate({ subject: 'Other Provider', keyUsage: 0x80, issuer: root })
const ANY = 'AnyAttested-sd-jwt'
const STRONG = 'StronglyAttested-sd-jwt'
const STRONG_KEYS = { key_storage: ['iso_18045_moderate'], user_authentication: ['iso_18045_high'] }

let issuer: Issuer
let provider: Provider
let web: WebServer
let wallets: WalletActor[]

beforeAll(async () => {
  web = await startWebServer()
  provider = await newProvider()
  wallets = await Promise.all(Array.from({ length: 3 }, () => newWallet()))
  const env = await trusting([knownWallet('https://pocket.example', ['pocket:done'], provider)], [root])
  issuer = await startIssuer({ env: { ...env, OUTBOUND_ALLOWED_HOSTS: `127.0.0.1:${web.port}` } })
  await postSchema(issuer, 'AnyAttested', {})
  await postSchema(issuer, 'StronglyAttested', {
    keyStorage: ['iso_18045_high', 'iso_18045_moderate'],
    userAuthentication: ['iso_18045_high'],
  })
})
afterAll(async () => {
  await issuer.service.close()
  await web[Symbol.asyncDispose]()
})

async function postSchema(at: Issuer, name: string, keyAttestation: unknown): Promise<Answer> {
  return at.service.request('POST', '/schemas', {
    authorization: await at.authorization(),
    body: { name, version: 1, schema: { type: 'object', properties: { product: { type: 'string' } } }, keyAttestation },
  })
}

const seconds = () => Math.floor(Date.now() / 1000)
const jwksOf = (of: readonly WalletActor[]) => of.map(({ publicJwk }) => publicJwk)

async function newToken(configuration = SD_JWT, at: Issuer = issuer): Promise<string> {
  const made = await at.makeOffer({
    credentialConfigurationIds: [configuration],
    credentialSubject: { product: 'Mill' },
  })
  return at.token(made.credentialOfferSessionId)
}

const request = (token: string, proofs: unknown, configuration = SD_JWT, at: Issuer = issuer): Promise<Answer> =>
  at.requestCredential(token, { credential_configuration_id: configuration, proofs })

/** Makes the member `proofs` with a key attestation, in one of the two ways. */
type Way = (attestation: string, nonce: string) => Promise<Record<string, readonly string[]>>

const alone: Way = async (attestation) => ({ attestation: [attestation] })

/** The attestation is in the header of a proof, which the first key signs. */
const inProof: Way = async (attestation, nonce) => ({ jwt: [await proofBy(0, attestation, nonce, { kid: '0' })] })

function proofBy(signer: number, attestation: string, nonce: string, names: Record<string, unknown>): Promise<string> {
  const header = { kid: undefined, jwk: undefined, key_attestation: attestation, ...names }
  return (wallets[signer] as WalletActor).proof(issuer.service.url, nonce, { header })
}

async function taken(way: Way, by: Provider, changes: Changes = {}, configuration = SD_JWT): Promise<Answer> {
  const nonce = await issuer.nonce()
  const attestation = await by.attestKeys(jwksOf(wallets), nonce, changes)
  return request(await newToken(configuration), await way(attestation, nonce), configuration)
}

/** Returns the keys to which the credentials of an answer are bound. */
const boundTo = (answer: Answer) => {
  expect(answer.status, answer.text).toBe(200)
  return answer.json.credentials.map(({ credential }: { credential: string }) => payloadOf(credential).cnf)
}

const WAYS: readonly (readonly [string, Way])[] = [
  ['proofs.attestation', alone],
  ['key_attestation in a jwt proof', inProof],
]

describe('keys that a wallet provider attests (OpenID4VCI 1.0 Appendix D, F.1, F.3)', () => {
  const each = () => jwksOf(wallets).map((jwk) => ({ jwk }))

  it.each(WAYS)('get a credential each by %s, from a provider that is known by iss and kid', async (_name, way) => {
    expect(boundTo(await taken(way, provider))).toEqual(each())
  })

  it.each(WAYS)('get a credential each by %s, from a provider with a certificate', async (_name, way) => {
    const certified = await newCertifiedProvider(root)
    expect(boundTo(await taken(way, certified))).toEqual(each())
    // The service has now cached the chain as verified, but it still checks the signature of each attestation.
    const forged = { by: (await newWallet()).signer }
    expect(refusalOf(await taken(way, certified, forged)).slice(0, 2)).toEqual([400, 'invalid_proof'])
  })

  it('are named in the proof by their kid, their position, themselves or a DID', async () => {
    const [first, second] = wallets as [WalletActor, WalletActor]
    const keys = [{ ...first.publicJwk, kid: 'phone' }, second.publicJwk]
    const named = async (signer: number, names: Record<string, unknown>) => {
      const nonce = await issuer.nonce()
      const attestation = await provider.attestKeys(keys, nonce)
      return boundTo(await request(await newToken(), { jwt: [await proofBy(signer, attestation, nonce, names)] }))
    }
    const both = jwksOf([first, second]).map((jwk) => ({ jwk }))
    expect(await named(0, { kid: 'phone' })).toEqual(both)
    expect(await named(1, { kid: '1' })).toEqual(both)
    expect(await named(1, { jwk: second.publicJwk })).toEqual(both)
    expect(await named(1, { kid: second.kid })).toEqual([both[0], { kid: second.kid }])
  })

  it('get one credential each, with any number of proofs with the attestation', async () => {
    const nonce = await issuer.nonce()
    const attestation = await provider.attestKeys(jwksOf(wallets), nonce)
    const jwt = await Promise.all([2, 0].map((signer) => proofBy(signer, attestation, nonce, { kid: `${signer}` })))
    expect(boundTo(await request(await newToken(), { jwt }))).toEqual(each())
  })

  it.each(WAYS)('have the typ of 1.0 or of the drafts, which a library still uses: %s', async (_name, way) => {
    expect(boundTo(await taken(way, provider, { header: { typ: 'keyattestation+jwt' } }))).toEqual(each())
    for (const typ of ['key-attestation', 'Key-Attestation+jwt', 'oauth-client-attestation+jwt', 7, undefined])
      expect(refusalOf(await taken(way, provider, { header: { typ } })).slice(0, 2)).toEqual([400, 'invalid_proof'])
  })

  it('need no expiry if the attestation is the proof', async () => {
    expect((await taken(alone, provider, { payload: { exp: undefined } })).status).toBe(200)
  })

  it('are twenty at most, over all proofs of a request', async () => {
    const many = await Promise.all(Array.from({ length: 20 }, () => newWallet()))
    const nonce = await issuer.nonce()
    const token = await newToken()
    const attestation = await provider.attestKeys(jwksOf(many), nonce)
    const [first] = many
    const header = { jwk: undefined, kid: '0', key_attestation: attestation }
    const jwt = [
      await first?.proof(issuer.service.url, nonce, { header }),
      await wallets[0]?.proof(issuer.service.url, nonce),
    ]
    expect(refusalOf(await request(token, { jwt }))).toEqual([
      400,
      'invalid_proof',
      'A request can have at most 20 keys.',
    ])
    const answer = await request(token, { attestation: [attestation] })
    expect(boundTo(answer)).toHaveLength(20)
  })
})

const ATTACKS: readonly (readonly [string, () => Changes | Promise<Changes>])[] = [
  ['a signature by another key', async () => ({ by: (await newWallet()).signer })],
  ['one that has expired', () => ({ payload: { exp: seconds() - 1 } })],
  ['one of the future', () => ({ payload: { iat: seconds() + 3_600 } })],
  ['an attestation that is not valid yet', () => ({ payload: { nbf: seconds() + 3_600 } })],
  ['no iat', () => ({ payload: { iat: undefined } })],
  ['no nonce', () => ({ payload: { nonce: undefined } })],
  ['another typ', () => ({ header: { typ: 'JWT' } })],
  ['an unknown provider', () => ({ payload: { iss: 'https://nobody.example' } })],
  ['no provider', () => ({ payload: { iss: undefined } })],
  ['an unknown kid', () => ({ header: { kid: 'other' } })],
  ['no kid', () => ({ header: { kid: undefined } })],
  [
    'a key in its own header',
    async () => {
      const thief = await newWallet()
      return { by: thief.signer, header: { kid: undefined, jwk: thief.publicJwk } }
    },
  ],
  ['an address of keys', () => ({ header: { kid: undefined, jku: 'https://provider.example/jwks' } })],
  ['no keys', () => ({ payload: { attested_keys: [] } })],
  ['no list of keys', () => ({ payload: { attested_keys: { 0: {} } } })],
  [
    'too many keys',
    async () => ({
      payload: { attested_keys: jwksOf(await Promise.all(Array.from({ length: 21 }, () => newWallet()))) },
    }),
  ],
  ['one key twice', () => ({ payload: { attested_keys: [...jwksOf(wallets), { ...jwksOf(wallets)[0], kid: 'b' }] } })],
  ['a private key', () => ({ payload: { attested_keys: wallets.map(({ privateJwk }) => privateJwk) } })],
  ['a symmetric key', () => ({ payload: { attested_keys: [...jwksOf(wallets), { kty: 'oct', k: 'c2VjcmV0' }] } })],
  [
    'a key that is not a point of its curve',
    () => ({ payload: { attested_keys: [...jwksOf(wallets), { ...jwksOf(wallets)[0], y: 'A'.repeat(43) }] } }),
  ],
  ['a key for encryption', () => ({ payload: { attested_keys: [{ ...jwksOf(wallets)[0], use: 'enc' }] } })],
  ['a status of an unknown kind', () => ({ payload: { status: { other: 1 } } })],
  ['a key_storage that is not a list', () => ({ payload: { key_storage: 'iso_18045_high' } })],
]

describe.each(WAYS)('attacks with %s', (_way, way) => {
  it.each(ATTACKS)('%s: invalid_proof, and nothing is used up', async (_name, changesOf) => {
    const [nonce, token] = [await issuer.nonce(), await newToken()]
    const bad = await provider.attestKeys(jwksOf(wallets), nonce, await changesOf())
    expect(refusalOf(await request(token, await way(bad, nonce))).slice(0, 2)).toEqual([400, 'invalid_proof'])
    const good = await provider.attestKeys(jwksOf(wallets), nonce)
    expect((await request(token, await way(good, nonce))).status).toBe(200)
  })

  it.each<[string, () => Promise<Provider>]>([
    ['to an anchor that is not trusted', () => newCertifiedProvider(newProviderRoot('Elsewhere'))],
    ['to an anchor of the same name that is not trusted', () => newCertifiedProvider(newProviderRoot())],
    ['of a self-signed certificate', () => newCertifiedProvider(undefined)],
    ['that contains the trust anchor', () => newCertifiedProvider(root, { x5c: ({ x5c }) => [x5c, root.x5c] })],
    ['of an expired certificate', () => newCertifiedProvider(root, { notAfter: '2026-01-31T00:00:00Z' })],
    ['that is broken', () => newCertifiedProvider(root, { x5c: () => ['AAAA'] })],
    ['that is empty', () => newCertifiedProvider(root, { x5c: () => [] })],
    ['of somebody else', () => newCertifiedProvider(root, { x5c: () => [somebodyElse.x5c] })],
  ])('a chain %s: invalid_proof', async (_name, providerOf) => {
    expect(refusalOf(await taken(way, await providerOf())).slice(0, 2)).toEqual([400, 'invalid_proof'])
  })

  it('a nonce of another server: invalid_nonce', async () => {
    const refused = refusalOf(await taken(way, provider, { payload: { nonce: 'made-up' } }))
    expect(refused).toEqual([400, 'invalid_nonce', 'The nonce of the key attestation is unknown or has expired.'])
  })

  it('an attestation that was used before: invalid_nonce', async () => {
    const nonce = await issuer.nonce()
    const attestation = await provider.attestKeys(jwksOf(wallets), nonce)
    expect((await request(await newToken(), await way(attestation, nonce))).status).toBe(200)
    const again = await request(await newToken(), await way(attestation, await issuer.nonce()))
    expect(refusalOf(again).slice(0, 2)).toEqual([400, 'invalid_nonce'])
  })

  it('two attestations in proofs.attestation, or no string: invalid_proof', async () => {
    const nonce = await issuer.nonce()
    const attestation = await provider.attestKeys(jwksOf(wallets), nonce)
    const { jwt, attestation: list } = await way(attestation, nonce)
    const proofs =
      jwt === undefined
        ? { attestation: [...(list ?? []), attestation] }
        : { jwt: [await proofBy(0, [attestation] as unknown as string, nonce, { kid: '0' })] }
    expect(refusalOf(await request(await newToken(), proofs)).slice(0, 2)).toEqual([400, 'invalid_proof'])
  })
})

describe('attacks with the proof around an attestation: invalid_proof', () => {
  it.each<[string, number, () => Record<string, unknown>]>([
    ['a key that is not attested, named by itself', 2, () => ({ jwk: wallets[2]?.publicJwk })],
    ['a key that is not attested, named by its DID', 2, () => ({ kid: wallets[2]?.kid })],
    ['a key that is not attested, with the name of an attested key', 2, () => ({ kid: '0' })],
    ['a position beyond the list', 0, () => ({ kid: '2' })],
    ['an invalid position', 0, () => ({ kid: '-1' })],
    ['a position with a leading zero', 0, () => ({ kid: '00' })],
    ['a position that is not a string', 0, () => ({ kid: 0 })],
    ['an unknown kid', 0, () => ({ kid: 'phone' })],
    ['no name of its key', 0, () => ({})],
    ['two names', 0, () => ({ kid: '0', jwk: wallets[0]?.publicJwk })],
  ])('%s', async (_name, signer, names) => {
    const [nonce, token] = [await issuer.nonce(), await newToken()]
    const attestation = await provider.attestKeys(jwksOf(wallets.slice(0, 2)), nonce)
    const refused = await request(token, { jwt: [await proofBy(signer, attestation, nonce, names())] })
    expect(refusalOf(refused).slice(0, 2)).toEqual([400, 'invalid_proof'])
    expect((await request(token, { jwt: [await proofBy(0, attestation, nonce, { kid: '0' })] })).status).toBe(200)
  })

  it('an attestation without exp', async () => {
    expect(refusalOf(await taken(inProof, provider, { payload: { exp: undefined } }))).toEqual([
      400,
      'invalid_proof',
      'The key attestation has no exp.',
    ])
  })
})

describe('the status of a key attestation (Token Status List §8.3)', () => {
  let made = 0
  async function listOf(by: Provider, revoked: readonly number[]): Promise<{ path: string; status: unknown }> {
    made += 1
    const path = `/list-${made}`
    const uri = `http://127.0.0.1:${web.port}${path}`
    web.documents.set(path, { body: await by.statusList(uri, revoked), type: 'application/statuslist+jwt' })
    return { path, status: { status_list: { uri, idx: 7 } } }
  }

  it.each(WAYS)('is fetched each time: %s', async (_name, way) => {
    const { path, status } = await listOf(provider, [8])
    for (let time = 0; time < 2; time += 1)
      expect((await taken(way, provider, { payload: { status } })).status).toBe(200)
    expect(web.requests.filter((asked) => asked === path)).toHaveLength(2)
    const { status: revoked } = await listOf(provider, [7])
    expect(refusalOf(await taken(way, provider, { payload: { status: revoked } }))).toEqual([
      400,
      'invalid_proof',
      'The key attestation is no longer valid.',
    ])
  })

  it('that says suspended makes it invalid', async () => {
    const { path, status } = await listOf(provider, [])
    const { uri } = (status as { status_list: { uri: string } }).status_list
    const lst = deflateSync(Uint8Array.from({ length: 16 }, (_, at) => (at === 1 ? 2 << 6 : 0))).toString('base64url')
    const payload = { iss: provider.iss, sub: uri, iat: seconds(), status_list: { bits: 2, lst } }
    const body = await signCompact(provider.signer, { typ: 'statuslist+jwt' }, payload)
    web.documents.set(path, { body, type: 'application/statuslist+jwt' })
    expect(refusalOf(await taken(alone, provider, { payload: { status } }))).toEqual([
      400,
      'invalid_proof',
      'The key attestation is no longer valid.',
    ])
    const other = { status_list: { uri, idx: 6 } }
    expect((await taken(alone, provider, { payload: { status: other } })).status).toBe(200)
  })

  /** Makes proofs with one attestation each. The attestations have as many status lists as there are `paths`. */
  async function manyAttested(statuses: readonly unknown[]): Promise<Answer> {
    const nonce = await issuer.nonce()
    const many = await Promise.all(statuses.map(async (status) => ({ status, wallet: await newWallet() })))
    const jwt = await Promise.all(
      many.map(async ({ status, wallet }) => {
        const attestation = await provider.attestKeys([wallet.publicJwk], nonce, { payload: { status } })
        return wallet.proof(issuer.service.url, nonce, { header: { key_attestation: attestation } })
      }),
    )
    return request(await newToken(), { jwt })
  }

  it('of several attestations is read from at most four lists, each fetched once', async () => {
    const lists = await Promise.all(Array.from({ length: 5 }, () => listOf(provider, [])))
    const paths = lists.map(({ path }) => path)
    const fetched = () => web.requests.filter((asked) => paths.includes(asked))
    const shared = Array.from({ length: 12 }, (_, at) => lists[at % 4]?.status)
    expect(boundTo(await manyAttested(shared))).toHaveLength(12)
    expect(fetched().sort()).toEqual(paths.slice(0, 4))
    const refused = refusalOf(await manyAttested([...shared, lists[4]?.status]))
    expect(refused.slice(0, 2)).toEqual([400, 'invalid_proof'])
    expect(refused[2]).toContain('More than 4 status lists would have to be fetched.')
    expect(fetched()).not.toContain(paths[4])
  })

  it('is charged to the work budget of the request', async () => {
    const { path, status } = await listOf(provider, [])
    const { uri } = (status as { status_list: { uri: string } }).status_list
    const payload = {
      iss: provider.iss,
      sub: uri,
      iat: seconds(),
      status_list: { bits: 1, lst: deflateSync(new Uint8Array(2_097_152)).toString('base64url') },
    }
    const body = await signCompact(provider.signer, { typ: 'statuslist+jwt' }, payload)
    web.documents.set(path, { body, type: 'application/statuslist+jwt' })
    expect((await manyAttested([status])).status).toBe(200)
    const refused = refusalOf(await manyAttested(Array(20).fill(status)))
    expect(refused).toEqual([400, 'invalid_proof', 'The status of the key attestation cannot be read: Too much work.'])
  })

  it('comes from a list whose signer is certified like attesters, not from a list of another provider', async () => {
    const certified = await newCertifiedProvider(root)
    const { status } = await listOf(await newCertifiedProvider(root), [])
    expect((await taken(alone, certified, { payload: { status } })).status).toBe(200)
    const { status: foreign } = await listOf(await newCertifiedProvider(newProviderRoot('Elsewhere')), [])
    expect(refusalOf(await taken(alone, certified, { payload: { status: foreign } }))[1]).toBe('invalid_proof')
    const { status: others } = await listOf(provider, [])
    expect(refusalOf(await taken(alone, certified, { payload: { status: others } }))[1]).toBe('invalid_proof')
  })

  it('that cannot be fetched is invalid, and its nonce is used up, so that a wallet cannot cause a second fetch with it', async () => {
    const uri = `http://127.0.0.1:${web.port}/nowhere`
    const [nonce, token] = [await issuer.nonce(), await newToken()]
    const status = { status_list: { uri, idx: 7 } }
    const attestation = await provider.attestKeys(jwksOf(wallets), nonce, { payload: { status } })
    const first = await request(token, { attestation: [attestation] })
    expect(refusalOf(first).slice(0, 2)).toEqual([400, 'invalid_proof'])
    const second = await request(token, { attestation: [attestation] })
    expect(refusalOf(second).slice(0, 2)).toEqual([400, 'invalid_nonce'])
    expect(web.requests.filter((asked) => asked === '/nowhere')).toHaveLength(1)
  })

  it.each([{ uri: 'ftp://x', idx: 7 }, { uri: 7, idx: 7 }, { uri: 'https://x.example', idx: -1 }, { idx: 7 }])(
    'that is not a valid reference: %j',
    async (list) => {
      const refused = refusalOf(await taken(alone, provider, { payload: { status: { status_list: list } } }))
      expect(refused.slice(0, 2)).toEqual([400, 'invalid_proof'])
    },
  )
})

describe('a schema with keyAttestation', () => {
  it('has keyAttestation in every version', async () => {
    const versions = await issuer.service.request('GET', '/schemas/StronglyAttested/versions', {
      authorization: await issuer.authorization(),
    })
    expect(versions.json[0].keyAttestation).toEqual({
      keyStorage: ['iso_18045_high', 'iso_18045_moderate'],
      userAuthentication: ['iso_18045_high'],
    })
    const [{ id }] = versions.json
    const read = await issuer.service.request('GET', `/schemas/${id}`, { authorization: await issuer.authorization() })
    expect(read.json.keyAttestation).toEqual(versions.json[0].keyAttestation)
  })

  it('publishes its demands for both proof types (§12.2.4); other schemas publish nothing', async () => {
    const { json } = await issuer.service.request('GET', '/.well-known/openid-credential-issuer')
    const required = (id: string) => {
      const { jwt, attestation } = json.credential_configurations_supported[id].proof_types_supported
      expect(attestation.proof_signing_alg_values_supported).toContain('ES256')
      expect(attestation.key_attestations_required).toEqual(jwt.key_attestations_required)
      return jwt.key_attestations_required
    }
    expect(required(STRONG)).toEqual({
      key_storage: ['iso_18045_high', 'iso_18045_moderate'],
      user_authentication: ['iso_18045_high'],
    })
    expect(required(ANY)).toEqual({})
    expect(required(SD_JWT)).toBeUndefined()
  })

  it.each(WAYS)('is issued to keys with an accepted value of each property: %s', async (_name, way) => {
    expect((await taken(way, provider, { payload: STRONG_KEYS }, STRONG)).status).toBe(200)
    expect((await taken(way, provider, {}, ANY)).status).toBe(200)
  })

  it.each<[string, Record<string, unknown>]>([
    ['a weaker storage', { ...STRONG_KEYS, key_storage: ['iso_18045_basic'] }],
    ['a weaker authentication', { ...STRONG_KEYS, user_authentication: ['iso_18045_moderate'] }],
    ['without a value for key storage', { ...STRONG_KEYS, key_storage: undefined }],
    ['without a value for user authentication', { ...STRONG_KEYS, user_authentication: undefined }],
    ['an empty list', { ...STRONG_KEYS, key_storage: [] }],
    ['a string that contains the value', { ...STRONG_KEYS, key_storage: 'iso_18045_high' }],
    ['another case', { ...STRONG_KEYS, key_storage: ['ISO_18045_HIGH'] }],
  ])('is not issued to keys with %s: invalid_proof', async (_name, payload) => {
    for (const way of [alone, inProof])
      expect(refusalOf(await taken(way, provider, { payload }, STRONG)).slice(0, 2)).toEqual([400, 'invalid_proof'])
  })

  it.each([ANY, STRONG])(
    'is not issued for a proof without an attestation, also if only one of several has none: %s',
    async (id) => {
      const token = await newToken(id)
      expect(refusalOf(await issuer.take(token, id)).slice(0, 2)).toEqual([400, 'invalid_proof'])
      const nonce = await issuer.nonce()
      const attestation = await provider.attestKeys(jwksOf(wallets.slice(0, 1)), nonce, { payload: STRONG_KEYS })
      const attested = await proofBy(0, attestation, nonce, { kid: '0' })
      const bare = (await wallets[1]?.proof(issuer.service.url, nonce)) ?? ''
      expect(refusalOf(await request(token, { jwt: [attested, bare] }, id)).slice(0, 2)).toEqual([400, 'invalid_proof'])
      credentialOf(await request(token, { jwt: [attested] }, id))
    },
  )

  it.each([
    { keyStorage: [] },
    { userAuthentication: [] },
    { keyStorage: 'iso_18045_high' },
    { keyStorage: [''] },
    { storage: ['iso_18045_high'] },
    null,
    true,
  ])('with %j is a 400', async (keyAttestation) => {
    expect((await postSchema(issuer, 'Refused', keyAttestation)).status).toBe(400)
  })
})

describe('without trusted providers', () => {
  let plain: Issuer
  beforeAll(async () => {
    plain = await startIssuer()
  })
  afterAll(() => plain.service.close())

  it('a schema cannot demand an attestation, and metadata name none', async () => {
    const refused = await postSchema(plain, 'Attested', {})
    expect([refused.status, refused.json.message]).toEqual([
      400,
      ['keyAttestation needs WALLET_TRUST_ANCHORS, or a provider in WALLET_CLIENTS'],
    ])
    const { json } = await plain.service.request('GET', '/.well-known/openid-credential-issuer')
    const types = json.credential_configurations_supported[SD_JWT].proof_types_supported
    expect([Object.keys(types), Object.keys(json.proof_types_supported)]).toEqual([['jwt'], ['jwt']])
  })

  it('proofs.attestation is an invalid_proof; a jwt proof counts as a plain proof, with any attestation', async () => {
    const token = await newToken(SD_JWT, plain)
    const nonce = await plain.nonce()
    const attestation = await provider.attestKeys(jwksOf(wallets), nonce)
    const refused = await request(token, { attestation: [attestation] }, SD_JWT, plain)
    expect(refusalOf(refused).slice(0, 2)).toEqual([400, 'invalid_proof'])
    const jwt = [await wallets[0]?.proof(plain.service.url, nonce, { header: { key_attestation: attestation } })]
    expect(boundTo(await request(token, { jwt }, SD_JWT, plain))).toEqual([{ jwk: wallets[0]?.publicJwk }])
  })

  it('a schema from a time with trusted providers is not issued', async () => {
    expect((await postSchema(plain, 'Attested', undefined)).status).toBe(201)
    await query(plain.service.databaseUrl, "UPDATE schemas SET key_attestation = '{}' WHERE name = 'Attested'")
    const token = await newToken('Attested-sd-jwt', plain)
    expect(refusalOf(await plain.take(token, 'Attested-sd-jwt')).slice(0, 2)).toEqual([400, 'invalid_proof'])
  })
})
