import { decodeJwt, decodeProtectedHeader } from 'jose'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { query } from '../../support/postgres.js'
import { DIPLOMA_JWT, DIPLOMA_SD_JWT, startRemoteIssuer } from '../../support/remote-issuer.js'
import { startService, type TestService } from '../../support/service.js'
import { LOOPBACK, newWallet } from '../../support/wallet.js'
import { remoteIssuerMetadata } from '../../support/wallet-remote-credentials.js'
import { compactOf, lastProofs, requestsTo, taking } from '../taking.js'

let service: TestService

beforeAll(async () => {
  service = await startService({ env: LOOPBACK })
})
afterAll(() => service.close())

describe('DPoP (RFC 9449)', () => {
  it('is used if the server supports it, with the nonce of the server, at every endpoint', async () => {
    await using taken = await taking(service, { dpop: true })
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

  it('proves another key than the credentials’ key', async () => {
    await using taken = await taking(service, { dpop: true })
    const proof = requestsTo(taken.issuer, '/token').at(-1)?.headers.get('dpop') ?? ''
    const { jwk } = decodeProtectedHeader(proof)
    const compact = await compactOf(taken.wallet, taken.answer.json.credentials[1])
    const cnf = decodeJwt(compact.split('~')[0] ?? '').cnf as { jwk: { x: string } }
    expect(jwk?.x).not.toBe(cnf.jwk.x)
  })
})

describe('batches (OpenID4VCI 1.0 §3.3)', () => {
  it('takes the requested number of copies, each bound to another key, as one credential', async () => {
    await using taken = await taking(service, { batchSize: 3 }, { copies: 3 })
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

  it('takes at most the number that the issuer gives at once', async () => {
    await using taken = await taking(service, { batchSize: 2 }, { copies: 10 })
    expect(lastProofs(taken.issuer)).toHaveLength(2)
  })

  it('takes one copy if the issuer gives no batches', async () => {
    await using taken = await taking(service, {}, { copies: 10 })
    expect(lastProofs(taken.issuer)).toHaveLength(1)
  })
})

describe('binding methods (OpenID4VCI 1.0 §12.2.4)', () => {
  it('proves a bare key to an issuer that does not support DIDs', async () => {
    await using taken = await taking(service, { bindingMethods: ['jwk'] })
    expect(taken.answer.status).toBe(200)
    expect(decodeProtectedHeader(lastProofs(taken.issuer)[0] ?? '').jwk).toMatchObject({ kty: 'EC', crv: 'P-256' })
  })

  it('uses the DID whose method the issuer supports', async () => {
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
  it('is obtained from a server without sign-in, with PKCE and a pushed request', async () => {
    await using taken = await taking(service, { authorization: 'immediate' })
    expect(taken.answer.status).toBe(200)
    const pushed = new URLSearchParams(requestsTo(taken.issuer, '/par')[0]?.text)
    expect(pushed.get('code_challenge_method')).toBe('S256')
    expect(pushed.get('issuer_state')).toBe('state-of-the-issuer')
    expect(JSON.parse(pushed.get('authorization_details') ?? '[]')).toMatchObject([
      { type: 'openid_credential', credential_configuration_id: DIPLOMA_JWT, locations: [taken.issuer.url] },
      { credential_configuration_id: DIPLOMA_SD_JWT },
    ])
  })

  it('is requested by scope if every configuration has a scope (§5.1.2)', async () => {
    await using issuer = await startRemoteIssuer({ authorization: 'immediate' })
    const wallet = await newWallet(service)
    expect((await wallet.process(await issuer.offer([DIPLOMA_SD_JWT]))).status).toBe(200)
    expect(new URLSearchParams(requestsTo(issuer, '/par')[0]?.text).get('scope')).toBe('diploma')
  })

  it('cannot be obtained from a server with a login page, because the wallet has no user', async () => {
    await using taken = await taking(service, { authorization: 'login' })
    expect(taken.answer.status).toBe(500)
    expect(taken.answer.json.message).toBe(
      'The authorization server requires a login, which a hosted wallet cannot do.',
    )
  })
})

describe('the path of an issuer', () => {
  it.each(['/tenant/', '/test/a/alias/', '/tenant', '/', '/tenant//'])(
    '%s is an unchanged part of the address of its metadata (OpenID4VCI 1.0 §12.2.2)',
    async (path) => {
      await using taken = await taking(service, { path, authorization: 'immediate' })
      expect([taken.answer.status, taken.answer.json.credentials?.length]).toEqual([200, 2])
      const asked = taken.issuer.seen.map((request) => request.path).filter((one) => one.startsWith('/.well-known/'))
      expect(asked).toEqual([
        `/.well-known/openid-credential-issuer${path}`,
        // RFC 8414 §3.1: the slash at the end is removed for authorization servers.
        `/.well-known/oauth-authorization-server${path.replace(/\/$/, '')}`,
      ])
      const proof = decodeJwt(lastProofs(taken.issuer)[0] ?? '')
      expect(proof.aud).toBe(`${taken.issuer.url}${path}`)
    },
  )

  it('is requested without its final slash if nothing is found with it, as in drafts', async () => {
    let url = ''
    const metadata = () => ({ body: remoteIssuerMetadata(url, { path: '/tenant/' }) })
    await using issuer = await startRemoteIssuer({
      path: '/tenant/',
      replace: {
        '/.well-known/openid-credential-issuer/tenant/': () => ({ status: 404 }),
        '/.well-known/openid-credential-issuer/tenant': metadata,
      },
    })
    url = issuer.url
    expect((await (await newWallet(service)).process(await issuer.offer())).status).toBe(200)
  })

  it('with and without a final slash names two issuers (§12.2.1)', async () => {
    await using issuer = await startRemoteIssuer({ path: '/tenant/' })
    const offer = (await issuer.offer()).replace('tenant%2F', 'tenant')
    const answer = await (await newWallet(service)).process(offer)
    expect(answer.status).toBe(500)
    expect(requestsTo(issuer, '/token')).toEqual([])
  })
})

describe('issuers of other versions', () => {
  it('an issuer of only W3C credentials, whose metadata fit both 1.0 and draft 14, gets requests of 1.0', async () => {
    await using issuer = await startRemoteIssuer({
      metadata: {
        credential_configurations_supported: {
          [DIPLOMA_JWT]: {
            format: 'jwt_vc_json',
            credential_definition: { type: ['VerifiableCredential', DIPLOMA_JWT] },
            cryptographic_binding_methods_supported: ['did:key'],
            proof_types_supported: { jwt: { proof_signing_alg_values_supported: ['ES256'] } },
          },
        },
      },
    })
    const wallet = await newWallet(service)
    expect((await wallet.process(await issuer.offer([DIPLOMA_JWT]))).status).toBe(200)
    const asked = JSON.parse(requestsTo(issuer, '/credential')[0]?.text ?? '{}')
    expect(asked).toMatchObject({ credential_configuration_id: DIPLOMA_JWT, proofs: { jwt: [expect.any(String)] } })
  })

  it('formats that the wallet does not support are ignored', async () => {
    await using issuer = await startRemoteIssuer({
      metadata: {
        credential_configurations_supported: {
          Licence: { format: 'mso_mdoc', doctype: 'org.iso.18013.5.1.mDL', scope: 'licence' },
        },
      },
    })
    const answer = await (await newWallet(service)).process(
      (await issuer.offer()).replaceAll(DIPLOMA_SD_JWT, 'Licence'),
    )
    expect([answer.status, answer.json.message]).toEqual([
      500,
      'The offer holds no credential of a format that this wallet knows.',
    ])
    expect(requestsTo(issuer, '/token')).toEqual([])
  })
})

describe('https (OpenID4VCI 1.0 §15.1)', () => {
  it('is required unless ALLOW_INSECURE_HTTP says otherwise', async () => {
    await using strict = await startService({
      env: {
        ...LOOPBACK,
        ALLOW_INSECURE_HTTP: 'false',
        ISSUER_BASE_URL: 'https://issuer.example',
        VERIFIER_BASE_URL: 'https://verifier.example',
      },
    })
    await using issuer = await startRemoteIssuer()
    const wallet = await newWallet(strict)
    const reference = await issuer.offerByReference()
    const fetched = await wallet.process(reference)
    expect([fetched.status, fetched.json.message]).toEqual([500, expect.stringContaining('requested over https')])
    const byValue = await wallet.process(await issuer.offer())
    expect([byValue.status, byValue.json.message]).toEqual([
      400,
      ['credential_issuer must be an https address without query and fragment'],
    ])
    const plain = await wallet.process(new URL(reference).searchParams.get('credential_offer_uri') ?? '')
    expect(plain.status).toBe(400)
    expect(issuer.seen).toEqual([])
  })
})
