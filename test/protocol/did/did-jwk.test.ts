import { describe, expect, it } from 'vitest'
import { decodeDidJwk, didJwk, didJwkDocument } from '../../../server/protocol/did/did-jwk.js'
import { DidResolutionError } from '../../../server/protocol/did/resolve-did.js'
import { SIGNATURE_ALGORITHMS } from '../../../server/protocol/jose/algorithms.js'
import { generateKeyPair, type Jwk } from '../../../server/protocol/jose/jws.js'

// The P-256 example of the did:jwk specification.
const DID =
  'did:jwk:eyJjcnYiOiJQLTI1NiIsImt0eSI6IkVDIiwieCI6ImFjYklRaXVNczNpOF91c3pFakoydHBUdFJNNEVVM3l6OTFQSDZDZEgyVjAiLCJ5IjoiX0tjeUxqOXZXTXB0bm1LdG00NkdxRHo4d2Y3NEk1TEtncmwyR3pIM25TRSJ9'
const JWK: Jwk = {
  crv: 'P-256',
  kty: 'EC',
  x: 'acbIQiuMs3i8_uszEjJ2tpTtRM4EU3yz91PH6CdH2V0',
  y: '_KcyLj9vWMptnmKtm46GqDz8wf74I5LKgrl2GzH3nSE',
}
// The X25519 example of the specification: a key with `use` `enc`.
const ENCRYPTION_DID =
  'did:jwk:eyJrdHkiOiJPS1AiLCJjcnYiOiJYMjU1MTkiLCJ1c2UiOiJlbmMiLCJ4IjoiM3A3YmZYdDl3YlRUVzJIQzdPUTFOei1EUThoYmVHZE5yZngtRkctSUswOCJ9'

const didOf = (value: unknown) => `did:jwk:${Buffer.from(JSON.stringify(value)).toString('base64url')}`

describe('did:jwk', () => {
  it('reads and writes the example of its specification', () => {
    expect(decodeDidJwk(DID)).toEqual(JWK)
    expect(didJwk(JWK)).toBe(DID)
  })

  it('has a document with one method, #0', () => {
    expect(didJwkDocument(DID)).toEqual({
      '@context': ['https://www.w3.org/ns/did/v1', 'https://w3id.org/security/suites/jws-2020/v1'],
      id: DID,
      verificationMethod: [{ id: `${DID}#0`, type: 'JsonWebKey2020', controller: DID, publicKeyJwk: JWK }],
      authentication: [`${DID}#0`],
      assertionMethod: [`${DID}#0`],
    })
  })

  it('is the same DID for one key, with any order and any further members', () => {
    expect(
      didJwk({ y: JWK.y ?? '', x: JWK.x ?? '', kty: 'EC', crv: 'P-256', alg: 'ES256', kid: 'a', use: 'sig' }),
    ).toBe(DID)
  })

  it('never contains a private key', async () => {
    for (const alg of SIGNATURE_ALGORITHMS) {
      const { privateJwk, publicJwk } = await generateKeyPair(alg)
      expect(didJwk(privateJwk)).toBe(didJwk(publicJwk))
      const { alg: _, ...key } = publicJwk
      expect(decodeDidJwk(didJwk(privateJwk))).toEqual(key)
    }
  })

  it('of another issuer may carry alg and kid, but its method is still #0', () => {
    const did = didOf({ ...JWK, alg: 'ES256', kid: 'theirs' })
    expect(didJwkDocument(did).assertionMethod).toEqual([`${did}#0`])
    expect(decodeDidJwk(did)).toEqual({ ...JWK, alg: 'ES256', kid: 'theirs' })
  })

  it.each([
    ['an encryption key', ENCRYPTION_DID],
    ['a signature curve marked for encryption', didOf({ ...JWK, use: 'enc' })],
    ['a private key', didOf({ ...JWK, d: 'AAAA' })],
    ['a symmetric key', didOf({ kty: 'oct', k: 'AAAA' })],
    ['an array', didOf([JWK])],
    ['no JSON', `did:jwk:${Buffer.from('{').toString('base64url')}`],
    ['characters outside base64url', 'did:jwk:e.e'],
    ['a second identifier segment', `did:jwk:a:${DID.slice(8)}`],
    ['a DID URL', `${DID}#0`],
    ['another method', 'did:key:z6MkiTBz1ymuepAQ4HEHYSF1H8quG5GLVVQR3djdX3mDooWp'],
  ])('refuses %s', (_, did) => {
    expect(() => decodeDidJwk(did)).toThrow(DidResolutionError)
  })

  it('is not made from a key that could not be read again', () => {
    expect(() => didJwk({ kty: 'OKP', crv: 'X25519', x: JWK.x ?? '' })).toThrow(
      expect.objectContaining({ code: 'key' }),
    )
  })
})
