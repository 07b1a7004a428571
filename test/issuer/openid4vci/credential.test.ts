import { createHmac } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { didKeyFromJwk } from '../../../server/protocol/did/did-key.js'
import { SIGNATURE_ALGORITHMS } from '../../../server/protocol/jose/algorithms.js'
import { thumbprint } from '../../../server/protocol/jose/jws.js'
import { newWallet, type ProofChanges, type WalletActor } from '../../support/wallet-actor.js'
import {
  credentialOf,
  type Issuer,
  JWT_VC,
  movingClock,
  PRE_AUTHORIZED,
  payloadOf,
  refusalOf,
  SD_JWT,
  startIssuer,
} from './actors.js'

const clock = movingClock()
let issuer: Issuer
let wallet: WalletActor

beforeAll(async () => {
  issuer = await startIssuer({ clock: clock.now })
  wallet = await newWallet()
  await issuer.service.request('POST', '/schemas', {
    authorization: await issuer.authorization(),
    body: { name: 'Other', version: 1, schema: { type: 'object' } },
  })
})
afterAll(() => issuer.service.close())

const newToken = async (members?: Record<string, unknown>) =>
  issuer.token((await issuer.makeOffer(members)).credentialOfferSessionId)
const proofs = async (changes?: ProofChanges) => ({
  jwt: [await wallet.proof(issuer.service.url, await issuer.nonce(), changes)],
})

describe('the nonce endpoint (OpenID4VCI 1.0 §7)', () => {
  it('needs neither token nor body nor content type, and its answer is not cached', async () => {
    const answer = await issuer.service.request('POST', '/openid4vci/nonce')
    expect(answer.status).toBe(200)
    expect(answer.headers.get('cache-control')).toBe('no-store')
    expect(answer.json).toEqual({ c_nonce: expect.stringMatching(/^[\w-]{40,}$/) })
  })

  it('reads no body, and gives another nonce each time', async () => {
    const form = { 'content-type': 'application/x-www-form-urlencoded' }
    const answers = await Promise.all([
      issuer.service.request('POST', '/openid4vci/nonce', { body: {} }),
      issuer.service.request('POST', '/openid4vci/nonce', { body: 'a=1&b=2', headers: form }),
      issuer.service.request('POST', '/openid4vci/nonce', { headers: form }),
    ])
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200])
    expect(new Set(answers.map(({ json }) => json.c_nonce)).size).toBe(3)
  })
})

describe('the credential endpoint (§8)', () => {
  it('answers with credentials and a notification id, not cached', async () => {
    const answer = await issuer.take(await newToken(), SD_JWT, wallet)
    expect(answer.headers.get('cache-control')).toBe('no-store')
    expect(answer.headers.get('content-type')).toBe('application/json')
    expect(answer.json).toEqual({
      credentials: [{ credential: expect.stringContaining('~') }],
      notification_id: expect.stringMatching(/^[\w-]+$/),
    })
  })

  it('accepts the credential_identifier of the token response, and also the configuration', async () => {
    for (const name of ['credential_identifier', 'credential_configuration_id']) {
      const { credentialOfferSessionId: id } = await issuer.makeOffer()
      const details = JSON.stringify([{ type: 'openid_credential', credential_configuration_id: SD_JWT }])
      const token = await issuer.token(id, { authorization_details: details })
      const answer = await issuer.requestCredential(token, { [name]: SD_JWT, proofs: await proofs() })
      expect(answer.status, answer.text).toBe(200)
    }
  })

  it('accepts the single proof of a draft wallet, and answers in both forms', async () => {
    const [jwt] = (await proofs()).jwt
    const request = { credential_configuration_id: SD_JWT, format: 'dc+sd-jwt', proof: { proof_type: 'jwt', jwt } }
    const { status, json } = await issuer.requestCredential(await newToken(), request)
    expect(status).toBe(200)
    expect(json.credentials).toEqual([{ credential: json.credential }])
  })

  it('ignores unknown parameters and a DPoP header', async () => {
    const answer = await issuer.service.request('POST', '/openid4vci/credential', {
      authorization: `Bearer ${await newToken()}`,
      headers: { dpop: 'x' },
      body: { credential_configuration_id: JWT_VC, proofs: await proofs(), issuer_state: 'x', unknown: [1] },
    })
    expect(answer.status, answer.text).toBe(200)
  })

  it('gives each offered configuration under one token, also repeatedly', async () => {
    const token = await newToken()
    for (const configuration of [JWT_VC, SD_JWT, JWT_VC])
      expect((await issuer.take(token, configuration)).status).toBe(200)
  })
})

describe('binding (§8.1)', () => {
  it('an SD-JWT VC is bound to the key of the proof by cnf: the key itself, or the DID URL that the proof named', async () => {
    const bare = payloadOf(credentialOf(await issuer.take(await newToken(), SD_JWT, wallet)))
    expect([bare.cnf, bare.sub]).toEqual([{ jwk: wallet.publicJwk }, undefined])
    const jwt = [await wallet.proofByDid(issuer.service.url, await issuer.nonce())]
    const request = { credential_configuration_id: SD_JWT, proofs: { jwt } }
    const named = payloadOf(credentialOf(await issuer.requestCredential(await newToken(), request)))
    expect([named.cnf, named.sub]).toEqual([{ kid: wallet.kid }, wallet.did])
    expect(wallet.kid).toBe(`${wallet.did}#0`)
  })

  it('a proof that names a DID with a single key gives a credential with the DID URL of that key', async () => {
    const kid = { header: { kid: wallet.did } }
    const jwt = [await wallet.proofByDid(issuer.service.url, await issuer.nonce(), kid)]
    const request = { credential_configuration_id: SD_JWT, proofs: { jwt } }
    const { cnf } = payloadOf(credentialOf(await issuer.requestCredential(await newToken(), request)))
    expect(cnf).toEqual({ kid: wallet.kid })
  })

  it('a relative DID URL names no key', async () => {
    const kid = { header: { kid: '#0' }, payload: { iss: wallet.did } }
    const jwt = [await wallet.proofByDid(issuer.service.url, await issuer.nonce(), kid)]
    const request = { credential_configuration_id: SD_JWT, proofs: { jwt } }
    expect(refusalOf(await issuer.requestCredential(await newToken(), request))).toEqual([
      400,
      'invalid_proof',
      'The kid of the proof is not a DID URL.',
    ])
  })

  it('a JWT VC is bound by the DID of its subject, and also by cnf if the proof had only a jwk', async () => {
    const bare = payloadOf(credentialOf(await issuer.take(await newToken(), JWT_VC, wallet)))
    expect(bare).toMatchObject({
      sub: wallet.did,
      cnf: { jwk: wallet.publicJwk },
      vc: { credentialSubject: { id: wallet.did } },
    })
    const jwt = [await wallet.proofByDid(issuer.service.url, await issuer.nonce())]
    const request = { credential_configuration_id: JWT_VC, proofs: { jwt } }
    const named = payloadOf(credentialOf(await issuer.requestCredential(await newToken(), request)))
    expect([named.sub, named.cnf]).toEqual([wallet.did, undefined])
  })

  it('the subject of the offering stays the subject; the key is in cnf', async () => {
    const id = 'urn:customer:7'
    const token = await newToken({ credentialSubject: { id, product: 'Kettle' } })
    for (const configuration of [JWT_VC, SD_JWT]) {
      const payload = payloadOf(credentialOf(await issuer.take(token, configuration, wallet)))
      expect([payload.sub, payload.cnf]).toEqual([id, { jwk: wallet.publicJwk }])
    }
  })

  it('a key of each supported algorithm can be bound', async () => {
    for (const alg of SIGNATURE_ALGORITHMS) {
      const holder = await newWallet(alg)
      const { cnf } = payloadOf(credentialOf(await issuer.take(await newToken(), SD_JWT, holder)))
      expect(thumbprint(cnf.jwk)).toBe(thumbprint(holder.publicJwk))
    }
  })

  it('an offering for a recipient is issued only to a key of this DID, whether the proof names the DID or has only a jwk', async () => {
    const offering = await issuer.makeOffering({ recipient: wallet.did })
    const denied = [
      400,
      'credential_request_denied',
      'The offer is for another recipient: prove a key of the DID that the offer is bound to.',
    ]
    const token = await issuer.token(offering.id)
    const stranger = await newWallet()
    expect(refusalOf(await issuer.take(token, SD_JWT, stranger))).toEqual(denied)
    const named = [await stranger.proofByDid(issuer.service.url, await issuer.nonce())]
    const request = { credential_configuration_id: SD_JWT, proofs: { jwt: named } }
    expect(refusalOf(await issuer.requestCredential(token, request))).toEqual(denied)
    // With the name of another DID, the same key would get a credential for that DID.
    const renamed = didKeyFromJwk(wallet.publicJwk)
    const header = { kid: `${renamed}#${renamed.slice('did:key:'.length)}` }
    const other = [await wallet.proofByDid(issuer.service.url, await issuer.nonce(), { header })]
    const asOther = { credential_configuration_id: SD_JWT, proofs: { jwt: other } }
    expect(refusalOf(await issuer.requestCredential(token, asOther))).toEqual(denied)
    // A batch must not contain a stranger's key.
    expect(refusalOf(await issuer.take(token, SD_JWT, wallet, stranger))).toEqual(denied)
    const bare = payloadOf(credentialOf(await issuer.take(token, SD_JWT, wallet)))
    expect([bare.sub, bare.cnf.jwk]).toEqual([wallet.did, wallet.publicJwk])
    const own = [await wallet.proofByDid(issuer.service.url, await issuer.nonce())]
    const taken = await issuer.requestCredential(token, { credential_configuration_id: JWT_VC, proofs: { jwt: own } })
    expect(payloadOf(credentialOf(taken)).sub).toBe(wallet.did)
  })
})

describe('a batch (§8.2, §15.4.1)', () => {
  const saltsOf = (sdJwt: string) =>
    sdJwt
      .split('~')
      .slice(1, -1)
      .map((disclosure) => JSON.parse(Buffer.from(disclosure, 'base64url').toString())[0])

  it('gives each key its own copy, and the copies cannot be linked', async () => {
    const holders = await Promise.all(Array.from({ length: 5 }, () => newWallet()))
    const answer = await issuer.take(await newToken(), SD_JWT, ...holders)
    const copies: string[] = answer.json.credentials.map((entry: { credential: string }) => entry.credential)
    const payloads = copies.map((copy) => payloadOf(copy))
    expect(payloads.map(({ cnf }) => cnf.jwk)).toEqual(holders.map(({ publicJwk }) => publicJwk))
    const salts = copies.flatMap(saltsOf)
    expect(salts).toHaveLength(10)
    expect(new Set(salts).size).toBe(10)
    expect(new Set(payloads.flatMap(({ _sd }) => _sd)).size).toBe(10)
    const indices: number[] = payloads.map(({ status }) => status.status_list.idx).sort((a, b) => a - b)
    const gaps = indices.slice(1).map((index, at) => index - (indices[at] ?? 0))
    expect(Math.min(...gaps)).toBeGreaterThan(0)
    expect(gaps.filter((gap) => gap === 1).length).toBeLessThan(4)
    for (const { iat } of payloads) expect(iat % 3600).toBe(0)
  })

  it('of JWT VCs has another id in each copy', async () => {
    const holders = await Promise.all(Array.from({ length: 5 }, () => newWallet()))
    const answer = await issuer.take(await newToken(), JWT_VC, ...holders)
    const payloads = answer.json.credentials.map((entry: { credential: string }) => payloadOf(entry.credential))
    for (const member of ['jti', 'sub']) {
      expect(new Set(payloads.map((payload: Record<string, unknown>) => payload[member])).size).toBe(5)
    }
    for (const { nbf } of payloads) expect(nbf % 3600).toBe(0)
  })

  it('is refused as a whole, and the error names the proof', async () => {
    const token = await newToken()
    const nonce = await issuer.nonce()
    const good = await wallet.proof(issuer.service.url, nonce)
    const bad = await (await newWallet()).proof('https://other.example', nonce)
    const request = { credential_configuration_id: SD_JWT, proofs: { jwt: [good, bad] } }
    expect(refusalOf(await issuer.requestCredential(token, request))).toEqual([
      400,
      'invalid_proof',
      'Key proof 2 of 2: The aud of the proof must be the credential issuer identifier.',
    ])
    expect((await issuer.take(token, SD_JWT, wallet)).status).toBe(200)
  })

  it('binds no key twice', async () => {
    expect(refusalOf(await issuer.take(await newToken(), SD_JWT, wallet, wallet))).toEqual([
      400,
      'invalid_proof',
      'Each key proof of a batch must be made with a key of its own.',
    ])
  })

  it('has at most 20 copies', async () => {
    const token = await newToken()
    const answer = await issuer.requestCredential(token, {
      credential_configuration_id: SD_JWT,
      proofs: { jwt: Array(21).fill('a.b.c') },
    })
    expect(refusalOf(answer)).toEqual([400, 'invalid_proof', 'proofs.jwt must hold at most 20 key proofs.'])
  })
})

describe('requests that are wrong (§8.3.1.2)', () => {
  const both = 'Request body needs exactly one of credential_identifier and credential_configuration_id'
  it.each<[string, Record<string, unknown>, string, string]>([
    ['neither identifier nor configuration', {}, 'invalid_credential_request', both],
    [
      'both of them',
      { credential_identifier: JWT_VC, credential_configuration_id: JWT_VC },
      'invalid_credential_request',
      both,
    ],
    [
      'a configuration that is not a text',
      { credential_configuration_id: 7 },
      'invalid_credential_request',
      'credential_configuration_id must be a string',
    ],
    [
      'an unknown configuration',
      { credential_configuration_id: 'Nothing' },
      'unknown_credential_configuration',
      'The credential_configuration_id is not known.',
    ],
    [
      'an unknown identifier',
      { credential_identifier: JWT_VC },
      'unknown_credential_identifier',
      'The credential_identifier was not given with this access token.',
    ],
    [
      'no proofs',
      { credential_configuration_id: JWT_VC },
      'invalid_proof',
      'proofs is missing: prove the key that the credential is to be bound to.',
    ],
    [
      'an attestation proof that is none',
      { credential_configuration_id: JWT_VC, proofs: { attestation: ['a.b.c'] } },
      'invalid_proof',
      'The key attestation is not a well-formed JWT.',
    ],
    [
      'an encrypted answer',
      { credential_configuration_id: JWT_VC, credential_response_encryption: { jwk: {}, enc: 'A128GCM' } },
      'invalid_encryption_parameters',
      'A request with credential_response_encryption must be encrypted itself.',
    ],
  ])('%s', async (_, body, error, description) => {
    const answer = await issuer.requestCredential(await newToken(), body)
    expect(refusalOf(answer)).toEqual([400, error, description])
    expect(Object.keys(answer.json)).toEqual(['error', 'error_description'])
    expect(answer.headers.get('cache-control')).toBe('no-store')
    expect(answer.headers.get('content-type')).toBe('application/json')
  })

  it('a body that is not JSON', async () => {
    const authorization = `Bearer ${await newToken()}`
    const send = (body: string, type: string) =>
      issuer.service.request('POST', '/openid4vci/credential', {
        authorization,
        body,
        headers: { 'content-type': type },
      })
    const broken = await send('{"credential_configuration_id":', 'application/json')
    expect(refusalOf(broken)).toEqual([400, 'invalid_credential_request', 'Request body is not valid JSON.'])
    const form = await send('credential_configuration_id=x', 'application/x-www-form-urlencoded')
    expect([form.status, form.json.error]).toEqual([415, 'invalid_credential_request'])
    const encrypted = await send('a.b.c.d.e', 'application/jwt')
    expect(refusalOf(encrypted)).toEqual([400, 'invalid_encryption_parameters', 'The request is not a compact JWE.'])
  })

  it('a wrong request uses up nothing, and the token stays valid', async () => {
    const token = await newToken()
    await issuer.requestCredential(token, { credential_configuration_id: SD_JWT, proofs: { jwt: ['a.b.c'] } })
    expect((await issuer.take(token, SD_JWT, wallet)).status).toBe(200)
  })
})

describe('attacks on the proof', () => {
  const request = async (changes: ProofChanges) =>
    refusalOf(
      await issuer.requestCredential(await newToken(), {
        credential_configuration_id: SD_JWT,
        proofs: await proofs(changes),
      }),
    )

  it.each<[string, ProofChanges, string, string]>([
    [
      'another audience',
      { payload: { aud: 'https://other.example' } },
      'invalid_proof',
      'The aud of the proof must be the credential issuer identifier.',
    ],
    [
      'a nonce of somebody else',
      { payload: { nonce: 'tZignsnFbp' } },
      'invalid_nonce',
      'The nonce of the proof is unknown or has expired.',
    ],
    [
      'no nonce',
      { payload: { nonce: undefined } },
      'invalid_proof',
      'The proof has no nonce: get one from the nonce endpoint.',
    ],
    ['no typ', { header: { typ: undefined } }, 'invalid_proof', 'The typ of the proof must be openid4vci-proof+jwt.'],
    [
      'two keys',
      { header: { kid: 'did:example:1#0' } },
      'invalid_proof',
      'The proof names several keys: its header has kid and jwk.',
    ],
    [
      'a future iat',
      { payload: { iat: Math.floor(Date.now() / 1000) + 3600 } },
      'invalid_proof',
      'The proof was made in the future: check iat and the clock.',
    ],
    [
      'an iat long before its nonce',
      { payload: { iat: Math.floor(Date.now() / 1000) - 3600 } },
      'invalid_proof',
      'The proof is older than its nonce.',
    ],
    [
      'a kid of an unknown DID method',
      { header: { jwk: undefined, kid: 'did:example:1#0' } },
      'invalid_proof',
      'The key that the kid of the proof names cannot be resolved: DID method example is not supported.',
    ],
    [
      "another's DID",
      { header: { jwk: undefined, kid: 'did:web:127.0.0.1%3A1:nobody#0' } },
      'invalid_proof',
      'The key that the kid of the proof names cannot be resolved: The DID document of did:web:127.0.0.1%3A1:nobody could not be fetched.',
    ],
  ])('%s', async (_, changes, error, description) => {
    expect(await request(changes)).toEqual([400, error, description])
  })

  it.each(['none', 'HS256'])('alg %s', async (alg) => {
    const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
    const header = encode({ typ: 'openid4vci-proof+jwt', alg, jwk: wallet.publicJwk })
    const payload = encode({ aud: issuer.service.url, iat: Math.floor(Date.now() / 1000), nonce: await issuer.nonce() })
    const mac = createHmac('sha256', JSON.stringify(wallet.publicJwk))
      .update(`${header}.${payload}`)
      .digest('base64url')
    const jwt = [`${header}.${payload}.${alg === 'none' ? '' : mac}`]
    const answer = await issuer.requestCredential(await newToken(), {
      credential_configuration_id: SD_JWT,
      proofs: { jwt },
    })
    expect(refusalOf(answer)).toEqual([
      400,
      'invalid_proof',
      `The alg of the proof must be one of ${SIGNATURE_ALGORITHMS.join(', ')}.`,
    ])
  })

  it('a nonce that another wallet has used', async () => {
    const nonce = await issuer.nonce()
    const jwt = [await wallet.proof(issuer.service.url, nonce)]
    const token = await newToken()
    expect(
      (await issuer.requestCredential(token, { credential_configuration_id: SD_JWT, proofs: { jwt } })).status,
    ).toBe(200)
    const used = [400, 'invalid_nonce', 'The nonce of the proof has been used already.']
    const again = { credential_configuration_id: JWT_VC, proofs: { jwt } }
    expect(refusalOf(await issuer.requestCredential(token, again))).toEqual(used)
    const other = [await (await newWallet()).proof(issuer.service.url, nonce)]
    const elsewhere = { credential_configuration_id: SD_JWT, proofs: { jwt: other } }
    expect(refusalOf(await issuer.requestCredential(await newToken(), elsewhere))).toEqual(used)
    // With a fresh nonce the token is still valid.
    expect((await issuer.take(token, JWT_VC, wallet)).status).toBe(200)
  })

  it('a nonce that has expired', async () => {
    const jwt = [await wallet.proof(issuer.service.url, await issuer.nonce())]
    clock.ahead = 301
    const request = { credential_configuration_id: SD_JWT, proofs: { jwt } }
    const answer = await issuer.requestCredential(await newToken(), request)
    clock.ahead = 0
    expect(refusalOf(answer)).toEqual([400, 'invalid_nonce', 'The nonce of the proof is unknown or has expired.'])
  })
})

describe('attacks with tokens (§8.3.1.1, RFC 6750 §3)', () => {
  const challengeOf = (answer: { headers: Headers }) => answer.headers.get('www-authenticate')
  const realm = () => `Bearer realm="${issuer.service.url}"`
  const algs = 'algs="ES256 ES384 EdDSA PS256"'
  const invalid = 'The access token is unknown or has expired.'

  it('without a token: the challenge has no error code', async () => {
    for (const path of ['/openid4vci/credential', '/openid4vci/notification']) {
      for (const authorization of [undefined, 'Basic eDp5', 'Bearer', 'DPoP']) {
        const answer = await issuer.service.request('POST', path, {
          body: {},
          ...(authorization === undefined ? {} : { authorization }),
        })
        expect([answer.status, answer.json.error, challengeOf(answer)]).toEqual([
          401,
          'invalid_token',
          `${realm()}, DPoP ${algs}`,
        ])
        expect(answer.headers.get('cache-control')).toBe('no-store')
      }
    }
  })

  it('a token in the query is ignored', async () => {
    const token = await newToken()
    const answer = await issuer.service.request('POST', `/openid4vci/credential?access_token=${token}`, { body: {} })
    expect(answer.status).toBe(401)
  })

  it('an unknown token, and a token of the identity provider', async () => {
    const foreign = (await issuer.authorization()).slice('Bearer '.length)
    for (const token of ['nobody', foreign]) {
      const answer = await issuer.requestCredential(token, { credential_configuration_id: JWT_VC })
      expect(refusalOf(answer)).toEqual([401, 'invalid_token', invalid])
      expect(challengeOf(answer)).toBe(
        `${realm()}, error="invalid_token", error_description="${invalid}", DPoP error="invalid_token", ${algs}`,
      )
    }
  })

  it('the management API refuses a token of the token endpoint', async () => {
    const authorization = `Bearer ${await newToken()}`
    for (const [method, path] of [
      ['GET', `/api/v1/credentials/${crypto.randomUUID()}`],
      ['POST', '/credential-offers'],
      ['GET', '/agent/holders'],
    ] as const) {
      const answer = await issuer.service.request(method, path, {
        authorization,
        ...(method === 'POST' ? { body: {} } : {}),
      })
      expect([answer.status, answer.json.message]).toEqual([401, 'Invalid access token.'])
    }
  })

  it('an expired token', async () => {
    const token = await newToken()
    clock.ahead = 300
    const answer = await issuer.take(token, JWT_VC, wallet)
    clock.ahead = 0
    expect(refusalOf(answer)).toEqual([401, 'invalid_token', invalid])
  })

  it('a token of another offering does not work for this one', async () => {
    const token = await newToken({ credentialConfigurationIds: [SD_JWT] })
    for (const configuration of [JWT_VC, 'Other', 'Other-sd-jwt']) {
      const answer = await issuer.take(token, configuration, wallet)
      const description = 'The access token does not cover that configuration.'
      expect(refusalOf(answer)).toEqual([403, 'insufficient_scope', description])
      expect(challengeOf(answer)).toBe(
        `${realm()}, error="insufficient_scope", error_description="${description}", DPoP error="insufficient_scope", ${algs}`,
      )
    }
    expect((await issuer.take(token, SD_JWT, wallet)).status).toBe(200)
  })

  it('a token that authorization_details restricts is valid only for these configurations', async () => {
    const { credentialOfferSessionId: id } = await issuer.makeOffer()
    const details = JSON.stringify([{ type: 'openid_credential', credential_configuration_id: SD_JWT }])
    const token = await issuer.token(id, { authorization_details: details })
    expect((await issuer.take(token, JWT_VC, wallet)).json.error).toBe('insufficient_scope')
  })

  it('a second token of a used-up offer', async () => {
    const { credentialOfferSessionId: id } = await issuer.makeOffer()
    const [first, second] = [await issuer.token(id), await issuer.token(id)]
    expect((await issuer.take(first, JWT_VC)).status).toBe(200)
    expect(refusalOf(await issuer.take(second, JWT_VC))).toEqual([
      400,
      'credential_request_denied',
      'The credential offer has been used up.',
    ])
    expect((await issuer.session(id)).state).toBe('CredentialIssued')
  })

  it('a token whose offer expired meanwhile', async () => {
    const expiresAt = new Date(Date.now() + 60_000).toISOString()
    const token = await issuer.token((await issuer.makeOffering({ expires_at: expiresAt })).id)
    clock.ahead = 61
    const answer = await issuer.take(token, JWT_VC, wallet)
    clock.ahead = 0
    expect(refusalOf(answer)).toEqual([400, 'credential_request_denied', 'The credential offer has expired.'])
  })

  it('a token of an offering that a claim used up meanwhile', async () => {
    const offering = await issuer.makeOffering({ redemption_limit: 1 })
    const token = await issuer.token(offering.id)
    const authorization = await issuer.authorization()
    const claimed = await issuer.service.request('POST', `/api/v1/offerings/${offering.id}/claim`, { authorization })
    expect(claimed.status).toBe(200)
    expect(refusalOf(await issuer.take(token, JWT_VC, wallet))).toEqual([
      400,
      'credential_request_denied',
      'The credential offer has been used up.',
    ])
  })

  it('an issuance that began before the offer expired may be completed, because a further configuration belongs to the redemption', async () => {
    const expiresAt = new Date(Date.now() + 60_000).toISOString()
    const token = await issuer.token((await issuer.makeOffering({ expires_at: expiresAt, redemption_limit: 1 })).id)
    expect((await issuer.take(token, JWT_VC)).status).toBe(200)
    clock.ahead = 61
    const jwt = [
      await wallet.proof(issuer.service.url, await issuer.nonce(), {
        payload: { iat: Math.floor(Date.now() / 1000) + 61 },
      }),
    ]
    const answer = await issuer.requestCredential(token, { credential_configuration_id: SD_JWT, proofs: { jwt } })
    clock.ahead = 0
    expect(answer.status, answer.text).toBe(200)
  })
})

describe('an offer that two wallets read', () => {
  it('serves two wallets if its limit is two, and no third wallet', async () => {
    const offering = await issuer.makeOffering({ redemption_limit: 2 })
    const tokens = [await issuer.token(offering.id), await issuer.token(offering.id), await issuer.token(offering.id)]
    const statuses = []
    for (const token of tokens) statuses.push((await issuer.take(token, SD_JWT)).status)
    expect(statuses).toEqual([200, 200, 400])
    expect((await issuer.requestToken({ grant_type: PRE_AUTHORIZED, 'pre-authorized_code': 'x' })).status).toBe(400)
  })
})
