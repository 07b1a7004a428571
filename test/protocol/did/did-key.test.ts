import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { decodeBase58btc, encodeBase58btc } from '../../../server/protocol/did/base58btc.js'
import { decodeDidKey, didKeyDocument, didKeyFromJwk } from '../../../server/protocol/did/did-key.js'
import { DidResolutionError } from '../../../server/protocol/did/resolve-did.js'
import { SIGNATURE_ALGORITHMS } from '../../../server/protocol/jose/algorithms.js'
import { generateKeyPair, type Jwk, publicJwkOf } from '../../../server/protocol/jose/jws.js'

// The vectors of the did:key specification (test-vectors/nist-curves.json, ed25519-x25519.json, secp256k1.json, rsa.json).
const JWK_VECTORS: readonly [string, Jwk][] = [
  [
    'did:key:zDnaerx9CtbPJ1q36T5Ln5wYt3MQYeGRG5ehnPAmxcf5mDZpv',
    {
      kty: 'EC',
      crv: 'P-256',
      x: 'igrFmi0whuihKnj9R3Om1SoMph72wUGeFaBbzG2vzns',
      y: 'efsX5b10x8yjyrj4ny3pGfLcY7Xby1KzgqOdqnsrJIM',
    },
  ],
  [
    'did:key:zDnaerDaTF5BXEavCrfRZEk316dpbLsfPDZ3WJ5hRTPFU2169',
    {
      kty: 'EC',
      crv: 'P-256',
      x: 'fyNYMN0976ci7xqiSdag3buk-ZCwgXU4kz9XNkBlNUI',
      y: 'hW2ojTNfH7Jbi8--CJUo3OCbH3y5n91g-IMA9MLMbTU',
    },
  ],
  [
    'did:key:z82Lm1MpAkeJcix9K8TMiLd5NMAhnwkjjCBeWHXyu3U4oT2MVJJKXkcVBgjGhnLBn2Kaau9',
    {
      kty: 'EC',
      crv: 'P-384',
      x: 'lInTxl8fjLKp_UCrxI0WDklahi-7-_6JbtiHjiRvMvhedhKVdHBfi2HCY8t_QJyc',
      y: 'y6N1IC-2mXxHreETBW7K3mBcw0qGr3CWHCs-yl09yCQRLcyfGv7XhqAngHOu51Zv',
    },
  ],
  [
    'did:key:z82LkvCwHNreneWpsgPEbV3gu1C6NFJEBg4srfJ5gdxEsMGRJUz2sG9FE42shbn2xkZJh54',
    {
      kty: 'EC',
      crv: 'P-384',
      x: 'CA-iNoHDg1lL8pvX3d1uvExzVfCz7Rn6tW781Ub8K5MrDf2IMPyL0RTDiaLHC1JT',
      y: 'Kpnrn8DkXUD3ge4mFxi-DKr0DYO2KuJdwNBrhzLRtfMa3WFMZBiPKUPfJj8dYNl_',
    },
  ],
  [
    'did:key:z4MXj1wBzi9jUstyPMS4jQqB6KdJaiatPkAtVtGc6bQEQEEsKTic4G7Rou3iBf9vPmT5dbkm9qsZsuVNjq8HCuW1w24nhBFGkRE4cd2Uf2tfrB3N7h4mnyPp1BF3ZttHTYv3DLUPi1zMdkULiow3M1GfXkoC6DoxDUm1jmN6GBj22SjVsr6dxezRVQc7aj9TxE7JLbMH1wh5X3kA58H3DFW8rnYMakFGbca5CB2Jf6CnGQZmL7o5uJAdTwXfy2iiiyPxXEGerMhHwhjTA1mKYobyk2CpeEcmvynADfNZ5MBvcCS7m3XkFCMNUYBS9NQ3fze6vMSUPsNa6GVYmKx2x6JrdEjCk3qRMMmyjnjCMfR4pXbRMZa3i',
    {
      kty: 'RSA',
      n: 'sbX82NTV6IylxCh7MfV4hlyvaniCajuP97GyOqSvTmoEdBOflFvZ06kR_9D6ctt45Fk6hskfnag2GG69NALVH2o4RCR6tQiLRpKcMRtDYE_thEmfBvDzm_VVkOIYfxu-Ipuo9J_S5XDNDjczx2v-3oDh5-CIHkU46hvFeCvpUS-L8TJSbgX0kjVk_m4eIb9wh63rtmD6Uz_KBtCo5mmR4TEtcLZKYdqMp3wCjN-TlgHiz_4oVXWbHUefCEe8rFnX1iQnpDHU49_SaXQoud1jCaexFn25n-Aa8f8bc5Vm-5SeRwidHa6ErvEhTvf1dz6GoNPp2iRvm-wJ1gxwWJEYPQ',
      e: 'AQAB',
    },
  ],
]

/** Public keys in base 58, the form of the Ed25519 and secp256k1 vectors. */
const BASE58_VECTORS: readonly [string, string][] = [
  ['did:key:z6MkiTBz1ymuepAQ4HEHYSF1H8quG5GLVVQR3djdX3mDooWp', '4zvwRjXUKGfvwnParsHAS3HuSVzV5cA4McphgmoCtajS'],
  ['did:key:z6MkjchhfUsD6mmvni8mCdXHw216Xrm9bQe2mBH1P5RDjVJG', '6ASf5EcmmEHTgDJ4X4ZT5vT6iHVJBXPg5AN5YoTCpGWt'],
  ['did:key:z6MknGc3ocHs3zdPiJbnaaqDi58NGb4pk1Sp9WxWufuXSdxf', '8pM1DN3RiT8vbom5u1sNryaNT1nyL8CTTW3b5PwWXRBH'],
  ['did:key:zQ3shokFTS3brHcDQrn82RUDfCZESWL1ZdCEJwekUDPQiYBme', '23o6Sau8NxxzXcgSc3PLcNxrzrZpbLeBn1izfv3jbKhuv'],
  ['did:key:zQ3shtxV1FrJfhqE1dvxYRcCknWNjHc3c5X1y3ZSoPDi2aur2', '291KzQhqCPC18PqH83XKhxv1HdqrdnxyS7dh15t2uNRzJ'],
  ['did:key:zQ3shZc2QzApp2oymGvQbzP8eKheVshBHbU4ZYjeXqwSKEn6N', 'oesQ92MLiAkt2pjBcJFbW7H4DvzKJv22cotjYbmC2JEe'],
]

// EBSI's example of a natural person's did:key.
const EBSI_DID =
  'did:key:z2dmzD81cgPx8Vki7JbuuMmFYrWPgYoytykUZ3eyqht1j9KbsEYvdrjxMjQ4tpnje9BDBTzuNDP3knn6qLZErzd4bJ5go2CChoPjd5GAH3zpFJP5fuwSk66U5Pq6EhF4nKnHzDnznEP8fX99nZGgwbAh1o7Gj1X52Tdhf7U4KTk66xsA5r'
const EBSI_JWK: Jwk = {
  crv: 'P-256',
  kty: 'EC',
  x: 'ngy44T1vxAT6Di4nr-UaM9K3Tlnz9pkoksDokKFkmNc',
  y: 'QCRfOKlSM31GTkb4JHx3nXB4G_jSPMsbdjzlkT_UpPc',
}

const hexOf = (text = '') => Buffer.from(text, 'base64url').toString('hex')
const didOfOctets = (hex: string) => `did:key:z${encodeBase58btc(Buffer.from(hex, 'hex'))}`
const jcs = (text: string) => didOfOctets(`d1d603${Buffer.from(text).toString('hex')}`)

describe('did:key vectors', () => {
  it.each(JWK_VECTORS)('decodes and encodes %s', (did, jwk) => {
    expect(decodeDidKey(did)).toEqual(jwk)
    expect(didKeyFromJwk(jwk)).toBe(did)
  })

  it.each(BASE58_VECTORS)('decodes and encodes %s, whose key is in base 58 in the vectors', (did, publicKeyBase58) => {
    const key = Buffer.from(decodeBase58btc(publicKeyBase58) ?? [])
    const jwk = decodeDidKey(did)
    const x = key.subarray(key.length === 33 ? 1 : 0).toString('base64url')
    expect(jwk).toMatchObject(
      key.length === 33 ? { kty: 'EC', crv: 'secp256k1', x } : { kty: 'OKP', crv: 'Ed25519', x },
    )
    expect(didKeyFromJwk(jwk)).toBe(did)
  })

  it("decodes the jwk_jcs-pub form of EBSI's natural persons", () => {
    expect(decodeDidKey(EBSI_DID)).toEqual(EBSI_JWK)
    expect(jcs(JSON.stringify(EBSI_JWK))).toBe(EBSI_DID)
  })
})

describe('did:key', () => {
  it('round-trips every supported kind of key', async () => {
    for (const alg of SIGNATURE_ALGORITHMS) {
      const { publicJwk } = await generateKeyPair(alg)
      const { alg: _, ...key } = publicJwk
      expect(decodeDidKey(didKeyFromJwk(publicJwk))).toEqual(key)
    }
  })

  it('of a private key contains only its public key', async () => {
    const { privateJwk, publicJwk } = await generateKeyPair('ES256')
    expect(didKeyFromJwk(privateJwk)).toBe(didKeyFromJwk(publicJwk))
  })

  it('has a document with one method, named by the multibase value', () => {
    const [did, publicKeyJwk] = JWK_VECTORS[0] ?? ['', {}]
    const id = `${did}#zDnaerx9CtbPJ1q36T5Ln5wYt3MQYeGRG5ehnPAmxcf5mDZpv`
    expect(didKeyDocument(did)).toEqual({
      '@context': ['https://www.w3.org/ns/did/v1', 'https://w3id.org/security/suites/jws-2020/v1'],
      id: did,
      verificationMethod: [{ id, type: 'JsonWebKey2020', controller: did, publicKeyJwk }],
      authentication: [id],
      assertionMethod: [id],
    })
  })

  it('distinguishes keys with leading zeros', () => {
    const x = Buffer.concat([Buffer.alloc(2), createHash('sha256').update('a').digest().subarray(2)]).toString(
      'base64url',
    )
    const did = didKeyFromJwk({ kty: 'OKP', crv: 'Ed25519', x })
    expect(decodeDidKey(did)).toEqual({ kty: 'OKP', crv: 'Ed25519', x })
  })

  it.each([
    ['another method', 'did:jwk:z6MkiTBz1ymuepAQ4HEHYSF1H8quG5GLVVQR3djdX3mDooWp'],
    ['a DID URL', 'did:key:z6MkiTBz1ymuepAQ4HEHYSF1H8quG5GLVVQR3djdX3mDooWp#z6MkiTBz'],
    ['another multibase', 'did:key:u7QEAAAAA'],
    ['another multibase letter', 'did:key:m6MkiTBz1ymuepAQ4HEHYSF1H8quG5GLVVQR3djdX3mDooWp'],
    ['no multibase', 'did:key:6MkiTBz1ymuepAQ4HEHYSF1H8quG5GLVVQR3djdX3mDooWp'],
    ['characters outside base 58', 'did:key:z0OIl'],
    ['only the multibase letter', 'did:key:z'],
    ['a version before the key', 'did:key:1.1:z6MkiTBz1ymuepAQ4HEHYSF1H8quG5GLVVQR3djdX3mDooWp'],
    ['an X25519 key', 'did:key:z6LShs9GGnqk85isEBzzshkuVWrVKsRp24GnDuHk8QWkARMW'],
    [
      'a P-521 key',
      'did:key:z2J9gaYxrKVpdoG9A4gRnmpnRCcxU6agDtFVVBVdn1JedouoZN7SzcyREXXzWgt3gGiwpoHq7K68X4m32D8HgzG8wv3sY5j7',
    ],
    ['a short Ed25519 key', didOfOctets(`ed01${'11'.repeat(31)}`)],
    ['a long Ed25519 key', didOfOctets(`ed01${'11'.repeat(33)}`)],
    ['an uncompressed point', didOfOctets(`802404${hexOf(EBSI_JWK.x)}${hexOf(EBSI_JWK.y)}`)],
    ['a point that is not on the curve', didOfOctets(`802402${'ff'.repeat(32)}`)],
    ['a point without its tag', didOfOctets(`8024${'11'.repeat(32)}`)],
    ['the point at infinity', didOfOctets('802400')],
    ['a prefix that is not the shortest varint', didOfOctets(`ed8100${'11'.repeat(32)}`)],
    ['RSA that is no PKCS#1', didOfOctets('85243003020101')],
    ['jwk_jcs-pub that is not JSON', jcs('{')],
    ['jwk_jcs-pub that is not an object', jcs('"a"')],
    ['jwk_jcs-pub in another order', jcs(JSON.stringify({ kty: 'EC', crv: 'P-256', x: EBSI_JWK.x, y: EBSI_JWK.y }))],
    ['jwk_jcs-pub with spaces', jcs(JSON.stringify(EBSI_JWK, null, 1))],
    ['jwk_jcs-pub with a private key', jcs(JSON.stringify({ crv: 'P-256', d: 'AAAA', ...publicJwkOf(EBSI_JWK) }))],
  ])('refuses %s', (_, did) => {
    expect(() => decodeDidKey(did)).toThrow(DidResolutionError)
  })
})

describe('base58btc', () => {
  // draft-msporny-base58-03 §5.
  it.each([
    ['48656c6c6f20576f726c6421', '2NEpo7TZRRrLZSi2U'],
    [
      '54686520717569636b2062726f776e20666f78206a756d7073206f76657220746865206c617a7920646f672e',
      'USm3fpXnKG5EUBx2ndxBDMPVciP5hGey2Jh4NDv6gmeo1LkMeiKrLJUUBk6Z',
    ],
    ['0000287fb4cd', '11233QC4'],
    ['', ''],
    ['00', '1'],
  ])('encodes %s as %s', (hex, text) => {
    expect(encodeBase58btc(Buffer.from(hex, 'hex'))).toBe(text)
    expect(Buffer.from(decodeBase58btc(text) ?? []).toString('hex')).toBe(hex)
  })
  it('has a limited length, because decoding costs the square of the length', () => {
    expect(decodeBase58btc('2'.repeat(1024))).toHaveLength(750)
    expect(decodeBase58btc('2'.repeat(1025))).toBeUndefined()
  })
})
