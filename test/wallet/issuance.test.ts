import { digest } from '@sd-jwt/crypto-nodejs'
import { SDJwtVcInstance } from '@sd-jwt/sd-jwt-vc'
import { compactVerify, decodeJwt, decodeProtectedHeader, importJWK } from 'jose'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { query } from '../support/postgres.js'
import {
  DIPLOMA,
  DIPLOMA_JWT,
  DIPLOMA_SD_JWT,
  type RemoteIssuer,
  type RemoteIssuerOptions,
  startRemoteIssuer,
} from '../support/remote-issuer.js'
import { startService, type TestService } from '../support/service.js'
import { type HostedWallet, LOOPBACK, newWallet } from '../support/wallet.js'

let service: TestService

beforeAll(async () => {
  service = await startService({ env: LOOPBACK })
})
afterAll(() => service.close())

/** A new wallet takes an offer of a new independent issuer. */
async function taking(options: RemoteIssuerOptions = {}, more: Record<string, unknown> = {}) {
  const issuer = await startRemoteIssuer(options)
  const wallet = await newWallet(service)
  const answer = await wallet.process(await issuer.offer(), more)
  return { issuer, wallet, answer, [Symbol.asyncDispose]: () => issuer.close() }
}

const requestsTo = (issuer: RemoteIssuer, path: string) => issuer.seen.filter((request) => request.path === path)

async function compactOf(wallet: HostedWallet, credential: { id: string }): Promise<string> {
  return (await wallet.get(`/credentials/${credential.id}`)).json.credential
}

/** The proofs of the last credential request. */
function lastProofs(issuer: RemoteIssuer): string[] {
  const text = requestsTo(issuer, '/credential').at(-1)?.text ?? '{}'
  return JSON.parse(text).proofs.jwt
}

describe('a hosted wallet takes an offer of an independent issuer (OpenID4VCI 1.0)', () => {
  it('takes every configuration of an offer by value and stores it (§4.1.2)', async () => {
    await using taken = await taking()
    const { issuer, wallet, answer } = taken
    expect(answer.status).toBe(200)
    expect(answer.json.type).toBe('credential_offer')
    expect(answer.json.credentials).toMatchObject([
      { format: 'jwt_vc_json', type: ['VerifiableCredential', 'Diploma'], issuer: issuer.key.did, status: 'valid' },
      { format: 'dc+sd-jwt', type: [`${issuer.url}/vct/diploma`], issuer: issuer.key.did, status: 'valid' },
    ])
    const listed = await wallet.get('/credentials')
    const ids = (credentials: { id: string }[]) => credentials.map(({ id }) => id).sort()
    expect(ids(listed.json)).toEqual(ids(answer.json.credentials))
    expect(listed.json[0]).toMatchObject({ credentialIssuer: issuer.url, status: 'valid' })
  })

  it('takes an offer by reference (§4.1.3)', async () => {
    await using issuer = await startRemoteIssuer()
    const wallet = await newWallet(service)
    const answer = await wallet.process(await issuer.offerByReference([DIPLOMA_SD_JWT]))
    expect(answer.json.credentials).toMatchObject([{ configurationId: DIPLOMA_SD_JWT, format: 'dc+sd-jwt' }])
  })

  it('holds an SD-JWT VC that an independent library verifies, bound to the key of its DID', async () => {
    await using taken = await taking()
    const compact = await compactOf(taken.wallet, taken.answer.json.credentials[1])
    const key = await importJWK(taken.issuer.key.publicJwk, 'ES256')
    const library = new SDJwtVcInstance({
      hasher: digest,
      verifier: async (data, signature) => {
        await compactVerify(`${data}.${signature}`, key)
        return true
      },
    })
    const { payload } = await library.verify(compact)
    expect(payload).toMatchObject({ ...DIPLOMA, vct: `${taken.issuer.url}/vct/diploma` })
    const [proof = ''] = lastProofs(taken.issuer)
    expect(decodeProtectedHeader(proof)).toMatchObject({ typ: 'openid4vci-proof+jwt', alg: 'ES256' })
    expect(decodeProtectedHeader(proof).kid?.split('#')[0]).toBe(taken.wallet.did)
  })

  it('holds a JWT VC that an independent library verifies, whose subject is its DID', async () => {
    await using taken = await taking()
    const compact = await compactOf(taken.wallet, taken.answer.json.credentials[0])
    await compactVerify(compact, await importJWK(taken.issuer.key.publicJwk, 'ES256'))
    expect(decodeJwt(compact)).toMatchObject({ sub: taken.wallet.did, vc: { credentialSubject: DIPLOMA } })
  })

  it('proves possession to the issuer alone, with a fresh nonce for each request (Appendix F.1, §7)', async () => {
    await using taken = await taking()
    const proofs = requestsTo(taken.issuer, '/credential').map(({ text }) => decodeJwt(JSON.parse(text).proofs.jwt[0]))
    expect(proofs).toHaveLength(2)
    expect(proofs.map(({ aud }) => aud)).toEqual([taken.issuer.url, taken.issuer.url])
    expect(new Set(proofs.map(({ nonce }) => nonce)).size).toBe(2)
    // An anonymous client has no identifier to name.
    expect(proofs.map(({ iss }) => iss)).toEqual([undefined, undefined])
    expect(taken.issuer.seen.find(({ path }) => path === '/token')?.text).not.toContain('client_id')
  })

  it('names the installation, not the holder, where the server takes no anonymous clients (§12.3)', async () => {
    await using taken = await taking({ anonymous: false })
    expect(taken.answer.status).toBe(200)
    const form = new URLSearchParams(requestsTo(taken.issuer, '/token')[0]?.text)
    expect(form.get('client_id')).toBe(service.url)
    expect(decodeJwt(lastProofs(taken.issuer)[0] ?? '').iss).toBe(service.url)
  })

  it('tells the issuer that it accepted each credential (§11)', async () => {
    await using taken = await taking()
    expect([...taken.issuer.notifications]).toEqual([
      `${DIPLOMA_JWT} credential_accepted`,
      `${DIPLOMA_SD_JWT} credential_accepted`,
    ])
  })

  it('asks again with another nonce where the first went stale (§8.3.1.2 invalid_nonce)', async () => {
    await using taken = await taking({ staleNonces: 1 })
    expect(taken.answer.json.credentials).toHaveLength(2)
    expect(requestsTo(taken.issuer, '/credential')).toHaveLength(3)
  })

  it('uses the credential identifiers of the token response (§6.2, §8.2)', async () => {
    await using taken = await taking({ identifiers: true })
    expect(taken.answer.json.credentials).toHaveLength(2)
    const asked = requestsTo(taken.issuer, '/credential').map(({ text }) => JSON.parse(text))
    expect(asked.map(({ credential_identifier: id }) => id)).toEqual(['Diploma/first', 'Diploma-sd-jwt/first'])
    expect(asked.every((body) => !('credential_configuration_id' in body))).toBe(true)
  })
})

describe('transaction code (OpenID4VCI 1.0 §6)', () => {
  it('is sent where the offer asks for one', async () => {
    await using taken = await taking({ txCode: '493536' }, { txCode: '493536' })
    expect(taken.answer.status).toBe(200)
    expect(new URLSearchParams(requestsTo(taken.issuer, '/token')[0]?.text).get('tx_code')).toBe('493536')
  })

  it('is not sent where the offer asks for none (§6.3)', async () => {
    await using taken = await taking({}, { txCode: '493536' })
    expect(taken.answer.status).toBe(200)
    expect(requestsTo(taken.issuer, '/token')[0]?.text).not.toContain('493536')
  })

  it('a wrong PIN is a 500 with the reason, and nothing is stored', async () => {
    await using taken = await taking({ txCode: '493536' }, { txCode: '000000' })
    expect(taken.answer.status).toBe(500)
    expect(taken.answer.json.message).toBe(
      "The authorization server refused the request: invalid_grant: Invalid 'tx_code' provided",
    )
    expect((await taken.wallet.get('/credentials')).json).toEqual([])
  })

  it('a missing one is the caller’s to mend: 400, before the code of the offer is used', async () => {
    await using taken = await taking({ txCode: '493536' })
    expect(taken.answer.status).toBe(400)
    expect(taken.answer.json.message).toEqual(['txCode must be defined: the offer asks for a transaction code'])
    expect(requestsTo(taken.issuer, '/token')).toEqual([])
  })
})

describe('an offer that cannot be taken', () => {
  it('a consumed offer is a 500 with the reason', async () => {
    await using issuer = await startRemoteIssuer()
    const wallet = await newWallet(service)
    const offer = await issuer.offer()
    expect((await wallet.process(offer)).status).toBe(200)
    const again = await wallet.process(offer)
    expect(again.status).toBe(500)
    expect(again.json).toMatchObject({
      statusCode: 500,
      message: 'The authorization server refused the request: invalid_grant: The code is used or unknown.',
      path: `/holders/${wallet.id}/process`,
    })
    expect(again.json.error).toBeUndefined()
  })

  it('an issuer that binds to no DID of the holder is refused before a code is used', async () => {
    await using taken = await taking({ bindingMethods: ['did:ebsi'] })
    expect(taken.answer.status).toBe(500)
    expect(taken.answer.json.message).toBe("The issuer binds the credential to none of the holder's DIDs.")
  })

  it('in production the reason is not told', async () => {
    await using production = await startService({ env: { ...LOOPBACK, NODE_ENV: 'production' } })
    await using issuer = await startRemoteIssuer({ txCode: '1' })
    const wallet = await newWallet(production)
    const answer = await wallet.process(await issuer.offer(), { txCode: '2' })
    expect([answer.status, answer.json.message]).toEqual([500, 'Internal server error'])
  })

  it('a holder without a DID is a 400, and the issuer is not asked', async () => {
    await using issuer = await startRemoteIssuer()
    const wallet = await newWallet(service)
    expect((await wallet.request('DELETE', `/dids/${encodeURIComponent(wallet.did)}`)).status).toBe(204)
    const answer = await wallet.process(await issuer.offerByReference())
    expect(answer.status).toBe(400)
    expect(answer.json.message).toBe('Holder has no DIDs created. Cannot accept credential offer.')
    expect(issuer.seen).toEqual([])
  })

  it.each([
    ['mailto:somebody@example.org'],
    ['openid4vci'],
    ['openid-credential-offer:?credential_offer_uri=https%3A%2F%2Fissuer.example'],
    ['javascript://openid4vp://'],
    ['ftp://issuer.example/offer'],
  ])('%s is no offer and no request: 400', async (uri) => {
    const answer = await (await newWallet(service)).process(uri)
    expect(answer.status).toBe(400)
    expect(answer.json.message).toBe('Unknown URI protocol. Expected openid-credential-offer:// or openid4vp://')
  })

  it.each([
    [
      'openid-credential-offer://?foo=bar',
      'The offer has not exactly one of credential_offer and credential_offer_uri.',
    ],
    [
      'openid-credential-offer://?credential_offer=%7B%7D&credential_offer_uri=https%3A%2F%2Fa.example',
      'The offer has not exactly one of credential_offer and credential_offer_uri.',
    ],
    [
      'openid-credential-offer://?credential_offer=%7B%7D&credential_offer=%7B%7D',
      'The parameter credential_offer is given more than once.',
    ],
  ])('%s is malformed: 400', async (uri, message) => {
    const answer = await (await newWallet(service)).process(uri)
    expect([answer.status, answer.json.message]).toEqual([400, [message]])
  })

  it('a body without uri, and one with a foreign property, are a 400', async () => {
    const wallet = await newWallet(service)
    expect((await wallet.request('POST', '/process', {})).json.message).toEqual(['uri must be defined'])
    expect((await wallet.process('openid4vp://', { pin: '1' })).json.message).toEqual(['property pin should not exist'])
  })
})

describe('DPoP (RFC 9449)', () => {
  it('is used where the server wants it, with the server’s nonce, at every endpoint', async () => {
    await using taken = await taking({ dpop: true })
    expect(taken.answer.status).toBe(200)
    expect(taken.answer.json.credentials).toHaveLength(2)
    const last = requestsTo(taken.issuer, '/token').at(-1)
    const proof = last?.headers.get('dpop') ?? ''
    expect(decodeProtectedHeader(proof)).toMatchObject({ typ: 'dpop+jwt', alg: 'ES256' })
    expect(decodeJwt(proof)).toMatchObject({
      htm: 'POST',
      htu: `${taken.issuer.url}/token`,
      nonce: 'a-nonce-of-the-server',
    })
    for (const request of requestsTo(taken.issuer, '/credential')) {
      expect(request.headers.get('authorization')).toMatch(/^DPoP /)
    }
  })

  it('proves another key than the one that credentials are bound to', async () => {
    await using taken = await taking({ dpop: true })
    const proof = requestsTo(taken.issuer, '/token').at(-1)?.headers.get('dpop') ?? ''
    const { jwk } = decodeProtectedHeader(proof)
    const compact = await compactOf(taken.wallet, taken.answer.json.credentials[1])
    const cnf = decodeJwt(compact.split('~')[0] ?? '').cnf as { jwk: { x: string } }
    expect(jwk?.x).not.toBe(cnf.jwk.x)
  })
})

describe('batches (OpenID4VCI 1.0 §3.3)', () => {
  it('takes as many copies as asked for, each bound to a key of its own, as one credential', async () => {
    await using taken = await taking({ batchSize: 3 }, { copies: 3 })
    const proofs = lastProofs(taken.issuer)
    expect(new Set(proofs.map((proof) => decodeProtectedHeader(proof).kid)).size).toBe(3)
    expect(taken.answer.json.credentials).toHaveLength(2)
    const copies = await query<{ credential_id: string; kid: string; own: boolean }>(
      service.databaseUrl,
      `SELECT c.credential_id, c.kid, c.private_jwk IS NOT NULL AS own FROM wallet_credential_copies c
       JOIN wallet_credentials w ON w.id = c.credential_id WHERE w.holder_id = $1`,
      [taken.wallet.id],
    )
    expect(copies).toHaveLength(6)
    expect(new Set(copies.map(({ kid }) => kid)).size).toBe(5)
    expect(copies.filter(({ own }) => own)).toHaveLength(4)
  })

  it('takes no more than the issuer gives at once', async () => {
    await using taken = await taking({ batchSize: 2 }, { copies: 10 })
    expect(lastProofs(taken.issuer)).toHaveLength(2)
  })

  it('takes one where the issuer gives no batches', async () => {
    await using taken = await taking({}, { copies: 10 })
    expect(lastProofs(taken.issuer)).toHaveLength(1)
  })
})

describe('binding methods (OpenID4VCI 1.0 §12.2.4)', () => {
  it('proves a bare key to an issuer that knows no DIDs', async () => {
    await using taken = await taking({ bindingMethods: ['jwk'] })
    expect(taken.answer.status).toBe(200)
    expect(decodeProtectedHeader(lastProofs(taken.issuer)[0] ?? '').jwk).toMatchObject({ kty: 'EC', crv: 'P-256' })
  })

  it('uses the DID whose method the issuer knows', async () => {
    await using issuer = await startRemoteIssuer({ bindingMethods: ['did:web'] })
    const wallet = await newWallet(service)
    const web = await wallet.request('POST', '/dids', { method: 'web' })
    expect(web.status).toBe(201)
    expect((await wallet.process(await issuer.offer([DIPLOMA_JWT]))).status).toBe(200)
    expect(decodeProtectedHeader(lastProofs(issuer)[0] ?? '').kid?.split('#')[0]).toBe(web.json.did)
  })

  it('names itself as a did:web that the issuer can resolve', async () => {
    await using issuer = await startRemoteIssuer()
    const wallet = await newWallet(service, 'alice', 'web')
    const answer = await wallet.process(await issuer.offer([DIPLOMA_JWT]))
    expect(answer.status).toBe(200)
    const compact = await compactOf(wallet, answer.json.credentials[0])
    expect(decodeJwt(compact).sub).toBe(wallet.did)
  })
})

describe('authorization code (OpenID4VCI 1.0 §5)', () => {
  it('is taken from a server that needs nobody to log in, with PKCE and a pushed request', async () => {
    await using taken = await taking({ authorization: 'immediate' })
    expect(taken.answer.status).toBe(200)
    const pushed = new URLSearchParams(requestsTo(taken.issuer, '/par')[0]?.text)
    expect(pushed.get('code_challenge_method')).toBe('S256')
    expect(pushed.get('issuer_state')).toBe('state-of-the-issuer')
    expect(JSON.parse(pushed.get('authorization_details') ?? '[]')).toMatchObject([
      { type: 'openid_credential', credential_configuration_id: DIPLOMA_JWT, locations: [taken.issuer.url] },
      { credential_configuration_id: DIPLOMA_SD_JWT },
    ])
  })

  it('asks by scope where every configuration has one (§5.1.2)', async () => {
    await using issuer = await startRemoteIssuer({ authorization: 'immediate' })
    const wallet = await newWallet(service)
    expect((await wallet.process(await issuer.offer([DIPLOMA_SD_JWT]))).status).toBe(200)
    expect(new URLSearchParams(requestsTo(issuer, '/par')[0]?.text).get('scope')).toBe('diploma')
  })

  it('a server that shows a login page cannot be answered by a wallet without a user', async () => {
    await using taken = await taking({ authorization: 'login' })
    expect(taken.answer.status).toBe(500)
    expect(taken.answer.json.message).toBe(
      'The authorization server asks its user to log in, which a hosted wallet cannot do.',
    )
  })

  it('an answer in the name of another server is refused (RFC 9207 §2.4)', async () => {
    await using taken = await taking({
      authorization: 'immediate',
      replace: {
        '/authorize': () => ({
          status: 302,
          headers: { location: `${service.url}/openid4vci/wallet?code=1&iss=https%3A%2F%2Fattacker.example` },
        }),
      },
    })
    expect(taken.answer.status).toBe(500)
    expect(taken.answer.json.message).toContain('iss')
    expect(requestsTo(taken.issuer, '/token')).toEqual([])
  })
})
