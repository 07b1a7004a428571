import { decodeJwt, decodeProtectedHeader } from 'jose'
import { describe, expect, it } from 'vitest'
import { createSigner, generateKeyPair, verifyCompact } from '../../../server/protocol/jose/jws.js'
import { headerFor } from '../../../server/protocol/openid4vp/client-identifier.js'
import { authorizationRequestUri, signRequestObject } from '../../../server/protocol/openid4vp/request-object.js'
import { VERIFIED_ALGORITHMS, vpFormatsSupported } from '../../../server/protocol/openid4vp/vp-formats.js'
import { FORMATS } from './formats.js'

const DID = 'did:web:verifier.example'
const CLIENT_ID = `decentralized_identifier:${DID}`
const DCQL = {
  credentials: [{ id: 'a', format: 'dc+sd-jwt' as const, meta: { vct_values: ['https://x.example/vct'] } }],
}

async function request(members: Partial<Parameters<typeof signRequestObject>[0]> = {}) {
  const { privateJwk, publicJwk } = await generateKeyPair('ES256')
  const compact = await signRequestObject({
    signer: await createSigner(privateJwk, `${DID}#key-1`),
    header: headerFor(CLIENT_ID, { kid: `${DID}#key-1`, x5c: null, verifierAttestation: null }),
    clientId: CLIENT_ID,
    responseMode: 'direct_post',
    replyTo: { responseUri: 'https://verifier.example/openid4vp/responses/1', state: 's-1' },
    nonce: 'n-1',
    dcqlQuery: DCQL,
    vpFormats: vpFormatsSupported(FORMATS, VERIFIED_ALGORITHMS, VERIFIED_ALGORITHMS),
    issuedAt: new Date('2026-01-01T00:00:00.900Z'),
    expiresAt: new Date('2026-01-01T00:05:00.100Z'),
    ...members,
  })
  return { compact, publicJwk, payload: decodeJwt(compact), header: decodeProtectedHeader(compact) }
}

describe('a request object (OpenID4VP 1.0 §5, RFC 9101)', () => {
  it('is typed and signed by a key of the DID, named by an absolute DID URL (§5.9.3)', async () => {
    const { compact, publicJwk, header } = await request()
    expect(header).toEqual({ typ: 'oauth-authz-req+jwt', alg: 'ES256', kid: `${DID}#key-1` })
    await expect(verifyCompact(compact, publicJwk)).resolves.toBeDefined()
  })

  it('has only members of version 1.0, because wallets choose the version by the members that they find', async () => {
    const { payload } = await request()
    expect(Object.keys(payload).sort()).toEqual([
      'aud',
      'client_id',
      'client_metadata',
      'dcql_query',
      'exp',
      'iat',
      'nonce',
      'response_mode',
      'response_type',
      'response_uri',
      'state',
    ])
    expect(payload.client_metadata).toEqual({
      vp_formats_supported: {
        'dc+sd-jwt': { 'sd-jwt_alg_values': expect.any(Array), 'kb-jwt_alg_values': expect.any(Array) },
        jwt_vc_json: { alg_values: expect.any(Array) },
        mso_mdoc: { issuerauth_alg_values: expect.any(Array), deviceauth_alg_values: expect.any(Array) },
      },
    })
  })

  it('has an iat in the past, and is valid until its session ends', async () => {
    const { payload } = await request()
    expect([payload.iat, payload.exp]).toEqual([1_767_225_600, 1_767_225_901])
  })

  it("repeats the wallet's nonce (§5.10)", async () => {
    expect((await request({ walletNonce: 'w-1' })).payload.wallet_nonce).toBe('w-1')
  })

  it('names the key for an encrypted answer, and both sizes of AES-GCM (§8.3; HAIP 1.0 §5)', async () => {
    const key = { kty: 'EC', crv: 'P-256', x: 'x', y: 'y', kid: 'k', use: 'enc', alg: 'ECDH-ES' }
    const { payload } = await request({ responseMode: 'direct_post.jwt', encryptionKey: key })
    expect(payload.client_metadata).toMatchObject({
      jwks: { keys: [key] },
      encrypted_response_enc_values_supported: ['A128GCM', 'A256GCM'],
    })
  })
})

describe('the address that a wallet opens', () => {
  it('names the client and the request by reference, percent-encoded', () => {
    expect(authorizationRequestUri({ client_id: CLIENT_ID }, 'https://verifier.example/openid4vp/requests/1')).toBe(
      'openid4vp://?client_id=decentralized_identifier%3Adid%3Aweb%3Averifier.example' +
        '&request_uri=https%3A%2F%2Fverifier.example%2Fopenid4vp%2Frequests%2F1&request_uri_method=post',
    )
  })
})
