import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Answer } from '../../support/service.js'
import { newWallet, type WalletActor } from '../../support/wallet-actor.js'
import { credentialOf, refusalOf } from './actors.js'
import { CREDENTIAL, type Sent, type Suite, startSuite } from './conformance-actors.js'
import { type CredentialFormat, certified, FORMATS, ISSUED } from './conformance-formats.js'
import { encryptFor, ISSUER_METADATA, newAnswerKey, requestKey } from './encryption-actors.js'

/** The value of `credential_format` for the running modules. */
let format: CredentialFormat
let suite: Suite

/** The started suite of each format. */
const suites = new Map<CredentialFormat, Suite>()

async function suiteFor(of: CredentialFormat): Promise<Suite> {
  const started = await startSuite(of.configuration)
  if (of.type !== undefined) await started.postSchema(of.type.name, of.type.members)
  suites.set(of, started)
  return started
}

const useSuite = (of: CredentialFormat) =>
  beforeAll(async () => {
    format = of
    suite = suites.get(of) ?? (await suiteFor(of))
  })
afterAll(() => Promise.all([...suites.values()].map((each) => each.close())))

/** Takes a credential with a fresh key or with the key of a given holder, and checks it. */
async function taken(token: string, headers: Record<string, string> = {}, holder?: WalletActor) {
  const wallet = holder ?? (await newWallet())
  const answer = await suite.take(token, headers, [wallet])
  return { answer, wallet, ...(await format.check(suite, credentialOf(answer), wallet)) }
}

type Json = Answer['json']

/** Yields every value inside a JSON value, with its path. */
function* leaves(value: unknown, path = '$'): Generator<[string, unknown]> {
  if (typeof value !== 'object' || value === null) yield [path, value]
  else for (const [name, member] of Object.entries(value)) yield* leaves(member, `${path}.${name}`)
}

const notify = async (token: string, notification_id: string) =>
  suite.service.request('POST', '/openid4vci/notification', {
    authorization: `DPoP ${token}`,
    headers: { dpop: await suite.proofOf(suite.first.key, '/openid4vci/notification', token) },
    body: { notification_id, event: 'credential_accepted' },
  })

/** Returns the JWT with a different signature. */
const reversed = (compact: string): string => {
  const [header, payload, signature = ''] = compact.split('.')
  return `${header}.${payload}.${signature.split('').reverse().join('')}`
}

/** Sends a credential request with one changed member. Returns the refusal. */
async function refused(request: object): Promise<unknown[]> {
  const { access_token: token } = await suite.tokens()
  const proofs = { jwt: [await suite.keyProof(await newWallet())] }
  const answer = await suite.requestCredential(token, {
    credential_configuration_id: format.configuration,
    proofs,
    ...request,
  })
  expect(Object.keys(answer.json).sort()).toEqual(['error', 'error_description'])
  return refusalOf(answer).slice(0, 2)
}

describe.each(FORMATS)('$name: modules about metadata', (of) => {
  useSuite(of)

  it('oid4vci-1_0-issuer-metadata-test', async () => {
    const { json, headers } = await suite.service.request('GET', ISSUER_METADATA)
    expect(headers.get('content-type')).toMatch(/^application\/json/)
    expect(json).toMatchObject({ credential_issuer: suite.base, authorization_servers: [suite.base] })
    for (const [path, value] of leaves(json)) {
      expect(value, path).not.toBeNull()
      if (/_endpoint$/.test(path)) expect(value, path).toMatch(/^https:\/\//)
    }
    expect(json.batch_credential_issuance.batch_size).toBeGreaterThan(1)
    for (const configuration of Object.values<Json>(json.credential_configurations_supported)) {
      expect(configuration.scope).toEqual(expect.any(String))
      // §12.2.4: the metadata have both members, or none of them.
      expect(configuration).toHaveProperty('cryptographic_binding_methods_supported')
      expect(configuration.proof_types_supported.jwt.proof_signing_alg_values_supported).toContain('ES256')
    }
    expect(json.credential_configurations_supported[format.configuration]).toMatchObject(format.described)
    const server = await suite.service.request('GET', '/.well-known/oauth-authorization-server')
    expect(server.json.issuer).toBe(suite.base)
  })

  it('oid4vci-1_0-issuer-metadata-test-signed', async () => {
    const { text, headers } = await suite.service.request('GET', ISSUER_METADATA, {
      headers: { accept: 'application/jwt' },
    })
    expect(headers.get('content-type')).toBe('application/jwt')
    const { header, payload } = await certified(text)
    expect(header.typ).toBe('openidvci-issuer-metadata+jwt')
    const { iss, sub, iat, ...members } = payload
    expect([sub, Number.isInteger(iat)]).toEqual([suite.base, true])
    expect(members).toEqual((await suite.service.request('GET', ISSUER_METADATA)).json)
  })
})

describe.each(FORMATS)('$name: modules of the flow', (of) => {
  useSuite(of)

  it('oid4vci-1_0-issuer-happy-flow', async () => {
    const { access_token: token } = await suite.tokens()
    const { answer, wallet, key, claims } = await taken(token)
    expect([key, claims]).toEqual([wallet.publicJwk, ISSUED])
    expect((await notify(token, answer.json.notification_id)).status).toBe(204)
  })

  it('oid4vci-1_0-issuer-happy-flow (encrypted)', async () => {
    const { access_token: token } = await suite.tokens()
    const answerKey = await newAnswerKey()
    const holder = await newWallet()
    const request = {
      credential_configuration_id: format.configuration,
      proofs: { jwt: [await suite.keyProof(holder)] },
      credential_response_encryption: { jwk: answerKey.publicJwk, enc: 'A256GCM' },
    }
    const jwe = await encryptFor(await requestKey(suite.service), JSON.stringify(request))
    const answer = await suite.service.request('POST', CREDENTIAL, {
      authorization: `DPoP ${token}`,
      headers: { 'content-type': 'application/jwt', dpop: await suite.proofOf(suite.first.key, CREDENTIAL, token) },
      body: jwe,
    })
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'application/jwt'])
    const { json } = await answerKey.open(answer.text)
    await format.check(suite, json.credentials[0].credential, holder)
  })

  it('oid4vci-1_0-issuer-happy-flow-additional-requests', async () => {
    const { access_token: token } = await suite.tokens()
    const requests = [{}, { 'x-fapi-customer-ip-address': '2001:db8::1' }, { accept: 'application/json, */*;q=0.1' }]
    for (const headers of requests) await taken(token, headers)
  })

  it('oid4vci-1_0-issuer-happy-flow-multiple-clients', async () => {
    const { access_token: mine } = await suite.tokens()
    const { access_token: theirs } = await suite.tokens({}, { by: suite.second })
    expect((await suite.take(mine)).status).toBe(200)
    expect(refusalOf(await suite.take(theirs)).slice(0, 2)).toEqual([401, 'invalid_token'])
    const proofs = { jwt: [await suite.keyProof(await newWallet())] }
    const request = { credential_configuration_id: format.configuration, proofs }
    expect((await suite.requestCredential(theirs, request, {}, suite.second)).status).toBe(200)
  })

  it('oid4vci-1_0-issuer-happy-flow-skip-notification', async () => {
    const { access_token: token } = await suite.tokens()
    await taken(token)
    expect((await suite.take(token)).status).toBe(200)
  })

  it('oid4vci-1_0-issuer-batch-issuance', async () => {
    const { json } = await suite.service.request('GET', ISSUER_METADATA)
    const size = json.batch_credential_issuance.batch_size as number
    const holders = await Promise.all(Array.from({ length: size }, () => newWallet()))
    const { access_token: token } = await suite.tokens()
    const answer = await suite.take(token, {}, holders)
    const credentials = answer.json.credentials as { credential: string }[]
    const copies = await Promise.all(
      holders.map((holder, at) => format.check(suite, credentials[at]?.credential ?? '', holder)),
    )
    expect(copies.map(({ key }) => key)).toEqual(holders.map(({ publicJwk }) => publicJwk))
    const randoms = copies.flatMap((copy) => copy.randoms)
    expect(randoms).toHaveLength(size * Object.keys(ISSUED).length)
    expect(new Set(randoms).size).toBe(randoms.length)
    // RFC 9901 §10.1: the times of the copies are rounded, so that they do not link the copies with each other.
    for (const time of copies.flatMap(({ times }) => times)) expect(time % 3600).toBe(0)
    const indices = copies.map(({ idx }) => idx)
    expect(new Set(indices).size).toBe(size)
    const steps = indices.slice(1).map((idx, at) => idx - (indices[at] ?? 0))
    expect(new Set(steps).size).toBeGreaterThan(size / 2)
  })
})

describe.each(FORMATS)('$name: modules about credential requests that are refused', (of) => {
  useSuite(of)

  it('oid4vci-1_0-issuer-fail-invalid-nonce', async () => {
    const jwt = [await (await newWallet()).proof(suite.base, 'a nonce of nobody')]
    expect(await refused({ proofs: { jwt } })).toEqual([400, 'invalid_nonce'])
  })

  it('oid4vci-1_0-issuer-fail-invalid-jwt-proof-signature', async () => {
    const jwt = [reversed(await suite.keyProof(await newWallet()))]
    expect(await refused({ proofs: { jwt } })).toEqual([400, 'invalid_proof'])
  })

  it('oid4vci-1_0-issuer-fail-invalid-key-attestation-signature', async () => {
    const { configuration, members } = format.attested
    await suite.postSchema('Attested', { ...members, keyAttestation: { keyStorage: ['iso_18045_high'] } })
    const holder = await newWallet()
    const ask = async (attestation: string, way: 'attestation' | 'jwt') => {
      const { access_token: token } = await suite.tokens({ scope: configuration }, { type: configuration })
      const header = { key_attestation: attestation }
      const proof = way === 'jwt' ? await suite.keyProof(holder, { header }) : attestation
      return suite.requestCredential(token, { credential_configuration_id: configuration, proofs: { [way]: [proof] } })
    }
    for (const way of ['attestation', 'jwt'] as const) {
      const refusal = refusalOf(await ask(reversed(await suite.attestedKeys([holder])), way))
      expect(refusal.slice(0, 2)).toEqual([400, 'invalid_proof'])
      const { key } = await format.check(
        suite,
        credentialOf(await ask(await suite.attestedKeys([holder]), way)),
        holder,
      )
      expect(key).toEqual(holder.publicJwk)
    }
  })

  it('oid4vci-1_0-issuer-fail-missing-proof', async () => {
    expect(await refused({ proofs: undefined })).toEqual([400, 'invalid_proof'])
  })

  it('oid4vci-1_0-issuer-fail-unknown-credential-configuration', async () => {
    expect(await refused({ credential_configuration_id: 'of-nobody' })).toEqual([
      400,
      'unknown_credential_configuration',
    ])
  })

  it('oid4vci-1_0-issuer-fail-unknown-credential-identifier', async () => {
    expect(await refused({ credential_configuration_id: undefined, credential_identifier: 'of-nobody' })).toEqual([
      400,
      'unknown_credential_identifier',
    ])
  })

  it('oid4vci-1_0-issuer-fail-unsupported-encryption-algorithm', async () => {
    const { access_token: token } = await suite.tokens()
    const answerKey = await newAnswerKey()
    const request = {
      credential_configuration_id: format.configuration,
      proofs: { jwt: [await suite.keyProof(await newWallet())] },
      credential_response_encryption: { jwk: { ...answerKey.publicJwk, alg: 'unsupported' }, enc: 'A256GCM' },
    }
    const answer = await suite.service.request('POST', CREDENTIAL, {
      authorization: `DPoP ${token}`,
      headers: { 'content-type': 'application/jwt', dpop: await suite.proofOf(suite.first.key, CREDENTIAL, token) },
      body: await encryptFor(await requestKey(suite.service), JSON.stringify(request)),
    })
    expect(refusalOf(answer).slice(0, 2)).toEqual([400, 'invalid_encryption_parameters'])
    expect(answer.headers.get('content-type')).toMatch(/^application\/json/)
  })

  it('oid4vci-1_0-issuer-fail-on-access-token-in-query', async () => {
    const { access_token: token } = await suite.tokens()
    const request = {
      credential_configuration_id: format.configuration,
      proofs: { jwt: [await suite.keyProof(await newWallet())] },
    }
    const answer = await suite.service.request('POST', `${CREDENTIAL}?access_token=${token}`, {
      headers: { dpop: await suite.proofOf(suite.first.key, CREDENTIAL, token) },
      body: request,
    })
    expect(answer.status).toBe(401)
    expect((await suite.requestCredential(token, request)).status).toBe(200)
  })
})

describe.each(FORMATS)('$name: modules about wallet attestations that are refused', (of) => {
  useSuite(of)

  const past = () => Math.floor(Date.now() / 1000) - 600

  it.each<[string, Sent]>([
    ['oid4vci-1_0-issuer-fail-client-attestation-exp-in-past', { attestation: { payload: { exp: past() } } }],
    ['oid4vci-1_0-issuer-fail-client-attestation-no-sub', { attestation: { payload: { sub: undefined } } }],
    [
      'oid4vci-1_0-issuer-fail-client-attestation-pop-wrong-aud',
      { pop: { payload: { aud: 'https://other.example' } } },
    ],
  ])('%s', async (_module, sent) => {
    const { parameters } = await suite.newRequest()
    expect(refusalOf(await suite.push(parameters, sent)).slice(0, 2)).toEqual([401, 'invalid_client'])
    expect((await suite.push(parameters)).status).toBe(201)
  })

  it('oid4vci-1_0-issuer-fail-mismatched-client-attestation-pop-key', async () => {
    const { parameters } = await suite.newRequest()
    const by = (await newWallet()).signer
    expect(refusalOf(await suite.push(parameters, { pop: { by } })).slice(0, 2)).toEqual([401, 'invalid_client'])
  })

  it.each([
    ['oid4vci-1_0-issuer-fail-invalid-client-attestation-signature', 'oauth-client-attestation'],
    ['oid4vci-1_0-issuer-fail-invalid-client-attestation-pop-signature', 'oauth-client-attestation-pop'],
  ])('%s', async (_module, name) => {
    const { parameters } = await suite.newRequest()
    const headers = await suite.headersFor('/openid4vci/par', {})
    const answer = await suite.service.request('POST', '/openid4vci/par', {
      headers: { ...headers, [name]: reversed(headers[name] ?? '') },
      body: new URLSearchParams(parameters).toString(),
    })
    expect(refusalOf(answer).slice(0, 2)).toEqual([401, 'invalid_client'])
  })
})
