import { exportJWK, generateKeyPair } from 'jose'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { RequestEncryption } from '../../support/remote-verifier.js'
import { type HostileWorld, makeHostileWorld } from '../hostile-world.js'

let world: HostileWorld

beforeAll(async () => {
  world = await makeHostileWorld()
})
afterAll(() => world.close())

/** Returns the metadata that the wallet sent when it last fetched a request object. */
function lastMetadata() {
  const { text = '' } =
    world.verifier.seen.findLast(({ path, method }) => path === '/request' && method === 'POST') ?? {}
  return JSON.parse(new URLSearchParams(text).get('wallet_metadata') ?? '{}')
}

async function answered(encrypted?: RequestEncryption) {
  const before = world.verifier.responses.length
  const options = { method: 'post', ...(encrypted === undefined ? {} : { encrypted }) } as const
  const answer = await world.wallet.process(await world.verifier.request(world.diploma(), options))
  return { status: answer.status, presented: world.verifier.responses.length - before }
}

describe('a request object may be encrypted for the wallet that fetches it (OpenID4VP 1.0 §5.10)', () => {
  it.each([
    ['A256GCM', 'oauth-authz-req+jwt'],
    ['A128GCM', 'JWT'],
    ['A256GCM', 'application/oauth-authz-req+jwt'],
    ['A256GCM', undefined],
  ])('by %s, cty %s', async (enc, cty) => {
    expect(await answered({ header: { enc, cty } })).toEqual({ status: 200, presented: 1 })
  })

  it('and may be unencrypted, because verifiers may ignore the key', async () => {
    expect(await answered()).toEqual({ status: 200, presented: 1 })
  })

  it('for a P-256 key that is made for each fetch; the wallet sends only the public key with its algorithms (RFC 9101 §10.4)', async () => {
    const keys = []
    for (let count = 0; count < 2; count += 1) {
      await answered({})
      const metadata = lastMetadata()
      expect(metadata).toMatchObject({
        request_object_encryption_alg_values_supported: ['ECDH-ES'],
        request_object_encryption_enc_values_supported: ['A256GCM', 'A128GCM'],
      })
      const { x, y, ...key } = metadata.jwks.keys[0]
      expect([metadata.jwks.keys.length, typeof x, typeof y]).toEqual([1, 'string', 'string'])
      expect(key).toEqual({ kty: 'EC', crv: 'P-256', kid: expect.any(String), use: 'enc', alg: 'ECDH-ES' })
      keys.push(`${x} ${key.kid}`)
    }
    expect(new Set(keys).size).toBe(2)
  })

  it('the wallet sends its capabilities (§10.1), and nothing about its holder', async () => {
    await answered()
    expect(lastMetadata()).toMatchObject({
      response_modes_supported: ['direct_post', 'direct_post.jwt'],
      client_id_prefixes_supported: expect.arrayContaining(['decentralized_identifier', 'redirect_uri', 'x509_hash']),
      request_object_signing_alg_values_supported: expect.arrayContaining(['ES256']),
      vp_formats_supported: {
        'dc+sd-jwt': { 'sd-jwt_alg_values': expect.arrayContaining(['ES256']), 'kb-jwt_alg_values': ['ES256'] },
        jwt_vc_json: { alg_values: expect.arrayContaining(['ES256']) },
      },
    })
    expect(JSON.stringify(lastMetadata())).not.toContain(world.wallet.did)
  })
})

describe('an encrypted request object that is refused', () => {
  const refusal = (encrypted: RequestEncryption) => world.refusalOf({ method: 'post', encrypted })
  const refused = (message: string) => ({ status: 500, message, presented: 0 })

  it('for a key of an earlier fetch, by its kid', async () => {
    await answered({})
    const [earlier] = lastMetadata().jwks.keys
    expect(await refusal({ key: earlier, header: { kid: earlier.kid } })).toEqual(
      refused('The authorization request is not encrypted for the key of the wallet.'),
    )
  })

  it('for another key with the kid of the key of the wallet', async () => {
    const { publicKey } = await generateKeyPair('ECDH-ES', { extractable: true })
    expect(await refusal({ key: await exportJWK(publicKey) })).toEqual(
      refused('The authorization request cannot be decrypted.'),
    )
  })

  it('without a kid', async () => {
    expect(await refusal({ header: { kid: undefined } })).toEqual(
      refused('The authorization request is not encrypted for the key of the wallet.'),
    )
  })

  it.each([
    ['enc A128CBC-HS256', { enc: 'A128CBC-HS256' }],
    ['alg ECDH-ES+A256KW', { alg: 'ECDH-ES+A256KW' }],
  ])('%s, which the wallet did not name', async (_what, header) => {
    expect(await refusal({ header })).toEqual(refused('The authorization request cannot be decrypted.'))
  })

  it('with a shared key (alg dir)', async () => {
    const secret = { kty: 'oct', k: Buffer.alloc(32).toString('base64url') }
    expect(await refusal({ key: secret, header: { alg: 'dir' } })).toEqual(
      refused('The authorization request cannot be decrypted.'),
    )
  })

  it('whose cty does not name a JWT', async () => {
    expect(await refusal({ header: { cty: 'json' } })).toEqual(
      refused('The encrypted authorization request holds no JWT.'),
    )
  })

  const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')

  it.each([
    ['is not signed', JSON.stringify({ client_id: 'redirect_uri:https://attacker.example/response' })],
    ['says alg none', `${part({ alg: 'none', typ: 'oauth-authz-req+jwt' })}.${part({ client_id: 'x' })}.`],
    ['is encrypted again', 'a.b.c.d.e'],
  ])('with content that %s', async (_what, content) => {
    expect(await refusal({ content })).toEqual(refused('The authorization request is not a signed request object.'))
  })
})
