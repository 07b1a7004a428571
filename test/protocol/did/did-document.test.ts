import { describe, expect, it } from 'vitest'
import {
  type DidKeys,
  didDocument,
  findVerificationMethod,
  onlyVerificationMethod,
  zDidKeys,
} from '../../../server/protocol/did/did-document.js'
import { DidResolutionError } from '../../../server/protocol/did/resolve-did.js'
import type { Jwk } from '../../../server/protocol/jose/jws.js'

const DID = 'did:web:issuer.example'
const JWK: Jwk = {
  kty: 'EC',
  crv: 'P-256',
  x: 'igrFmi0whuihKnj9R3Om1SoMph72wUGeFaBbzG2vzns',
  y: 'efsX5b10x8yjyrj4ny3pGfLcY7Xby1KzgqOdqnsrJIM',
}
const MULTIBASE = 'zDnaerx9CtbPJ1q36T5Ln5wYt3MQYeGRG5ehnPAmxcf5mDZpv'

const method = (id: string, extra: object = {}) => ({
  id,
  type: 'JsonWebKey2020',
  controller: DID,
  publicKeyJwk: JWK,
  ...extra,
})
const read = (document: object): DidKeys => zDidKeys.parse({ id: DID, ...document })

describe('didDocument', () => {
  it('lists every key for both purposes', () => {
    expect(
      didDocument({
        did: DID,
        keys: [
          { id: '#a', jwk: { ...JWK, alg: 'ES256' } },
          { id: 'b', jwk: JWK },
        ],
      }),
    ).toEqual({
      '@context': ['https://www.w3.org/ns/did/v1', 'https://w3id.org/security/suites/jws-2020/v1'],
      id: DID,
      verificationMethod: [
        { id: `${DID}#a`, type: 'JsonWebKey2020', controller: DID, publicKeyJwk: { ...JWK, alg: 'ES256' } },
        { id: `${DID}#b`, type: 'JsonWebKey2020', controller: DID, publicKeyJwk: JWK },
      ],
      authentication: [`${DID}#a`, `${DID}#b`],
      assertionMethod: [`${DID}#a`, `${DID}#b`],
    })
  })

  it('publishes no private member', () => {
    const document = didDocument({
      did: DID,
      keys: [{ id: `${DID}#a`, jwk: { ...JWK, d: 'secret', key_ops: ['sign'] } }],
    })
    expect(document.verificationMethod).toEqual([method(`${DID}#a`)])
  })

  it('has the context of a LinkedDomains service', () => {
    const service = {
      id: `${DID}#linked`,
      type: 'LinkedDomains',
      serviceEndpoint: { origins: ['https://issuer.example'] },
    }
    const document = didDocument({ did: DID, keys: [], alsoKnownAs: ['did:jwk:e30'], services: [service] })
    expect(document).toMatchObject({
      '@context': [
        'https://www.w3.org/ns/did/v1',
        'https://w3id.org/security/suites/jws-2020/v1',
        'https://identity.foundation/.well-known/did-configuration/v1',
      ],
      alsoKnownAs: ['did:jwk:e30'],
      service: [service],
    })
  })

  it('can be read by the reader for documents of other parties', () => {
    const service = { id: `${DID}#linked`, type: 'LinkedDomains', serviceEndpoint: 'https://issuer.example' }
    const document = didDocument({
      did: DID,
      keys: [{ id: '#a', jwk: JWK }],
      services: [service],
      alsoKnownAs: ['did:a:b'],
    })
    const { id, verificationMethod, authentication, assertionMethod } = document
    const keys = { id, verificationMethod, authentication, assertionMethod }
    expect(zDidKeys.parse(JSON.parse(JSON.stringify(document)))).toEqual(keys)
  })
})

describe('zDidKeys', () => {
  it('ignores a malformed method instead of the whole document', () => {
    const document = read({
      verificationMethod: [
        null,
        { id: 5 },
        { id: '#x', type: 'T' },
        method('#a'),
        method('#b', { publicKeyJwk: 'no' }),
      ],
      assertionMethod: ['#a', 7, '#b'],
    })
    expect(document.verificationMethod).toEqual([method('#a')])
    expect(findVerificationMethod(document, '#a', 'assertionMethod')).toEqual({ id: `${DID}#a`, jwk: JWK })
    expect(findVerificationMethod(document, '#b', 'assertionMethod')).toBeUndefined()
  })

  it('keeps only the used parts, so that a large document is small after it has been read', () => {
    const filler = Array.from({ length: 1_000 }, () => ({}))
    const key = { ...JWK, x5c: filler, ext: filler, key_ops: ['verify', ...filler] }
    const large = {
      '@context': filler,
      controller: filler,
      service: filler,
      keyAgreement: filler,
      verificationMethod: [
        method('#a', { publicKeyJwk: key, filler }),
        method('#b', { publicKeyJwk: { ...key, d: 'A' } }),
      ],
      assertionMethod: ['#a', '#b'],
    }
    expect(read(large)).toEqual({
      id: DID,
      verificationMethod: [
        method('#a', { publicKeyJwk: { ...JWK, key_ops: ['verify'] } }),
        method('#b', { publicKeyJwk: {} }),
      ],
      assertionMethod: ['#a', '#b'],
    })
  })

  it.each([
    [null],
    [[]],
    [{}],
    [{ id: 5 }],
    [{ id: DID, verificationMethod: {} }],
    [{ id: DID, assertionMethod: new Array(101).fill('#a') }],
  ])('refuses %j', (value) => {
    expect(zDidKeys.safeParse(value).success).toBe(false)
  })
})

describe('findVerificationMethod', () => {
  const document = read({
    verificationMethod: [method(`${DID}#absolute`), method('#relative'), method('#unlisted')],
    assertionMethod: ['#absolute', `${DID}#relative`],
    authentication: [method('#embedded')],
  })

  it.each([
    ['#absolute', `${DID}#absolute`],
    [`${DID}#absolute`, `${DID}#absolute`],
    ['#relative', `${DID}#relative`],
    [`${DID}#relative`, `${DID}#relative`],
  ])('finds %s; absolute and relative ids mean the same (DID Core 1.0 §3.2.2)', (kid, id) => {
    expect(findVerificationMethod(document, kid, 'assertionMethod')).toEqual({ id, jwk: JWK })
  })

  it('finds an embedded method only for its own purpose (DID Core 1.0 §5.3)', () => {
    expect(findVerificationMethod(document, '#embedded', 'authentication')).toEqual({ id: `${DID}#embedded`, jwk: JWK })
    expect(findVerificationMethod(document, '#embedded', 'assertionMethod')).toBeUndefined()
  })

  it.each([['#unlisted'], ['#missing'], ['relative'], [''], ['#'], ['did:web:other.example#absolute']])(
    'does not find %j',
    (kid) => {
      expect(findVerificationMethod(document, kid, 'assertionMethod')).toBeUndefined()
    },
  )

  it('finds the only method by the DID without a fragment', () => {
    expect(findVerificationMethod(document, DID, 'authentication')).toEqual({ id: `${DID}#embedded`, jwk: JWK })
    expect(findVerificationMethod(document, DID, 'assertionMethod')).toBeUndefined()
  })

  it('reads publicKeyMultibase', () => {
    const multikey = { id: '#m', type: 'Multikey', controller: DID, publicKeyMultibase: MULTIBASE }
    const found = findVerificationMethod(read({ assertionMethod: [multikey] }), '#m', 'assertionMethod')
    expect(found).toEqual({ id: `${DID}#m`, jwk: JWK })
  })

  it.each([
    ['is controlled by another DID', method('#a', { controller: 'did:web:mallory.example' })],
    ['has two public keys', method('#a', { publicKeyMultibase: MULTIBASE })],
    ['has a private key', method('#a', { publicKeyJwk: { ...JWK, d: 'AAAA' } })],
    ['has an unsupported key', method('#a', { publicKeyJwk: { kty: 'OKP', crv: 'X25519', x: 'AA' } })],
    ['has no key', { id: '#a', type: 'Other', controller: DID }],
    ['has a malformed multibase key', { id: '#a', type: 'Multikey', controller: DID, publicKeyMultibase: 'zz' }],
  ])('refuses a method that %s', (_, listed) => {
    const unusable = read({ verificationMethod: [listed], assertionMethod: ['#a'] })
    expect(() => findVerificationMethod(unusable, '#a', 'assertionMethod')).toThrow(DidResolutionError)
  })
})

describe('onlyVerificationMethod', () => {
  it('needs exactly one', () => {
    const verificationMethod = [method('#a'), method('#b')]
    const only = (assertionMethod?: string[]) =>
      onlyVerificationMethod(
        read({ verificationMethod, ...(assertionMethod && { assertionMethod }) }),
        'assertionMethod',
      )
    expect(only(['#a'])).toEqual({ id: `${DID}#a`, jwk: JWK })
    expect(only(['#a', '#b'])).toBeUndefined()
    expect(only([])).toBeUndefined()
    expect(only()).toBeUndefined()
  })
})
