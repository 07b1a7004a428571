import { createHash, createPublicKey, generateKeyPairSync, sign, verify } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { signedHeaders } from '../../../server/keys/providers/aws-kms/signature-v4.js'
import { crc32c } from '../../../server/keys/providers/google-kms/crc32c.js'
import { joseSignatureOf } from '../../../server/keys/providers/remote/ecdsa-signature.js'

/** The keys, scope and moment of the test suite that AWS publishes for Signature Version 4. */
const SUITE = {
  keys: { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY' },
  place: { host: 'example.amazonaws.com', region: 'us-east-1', service: 'service' },
  moment: new Date('2015-08-30T12:36:00Z'),
}

describe('AWS Signature Version 4: the test suite of AWS', () => {
  const token =
    'AQoDYXdzEPT//////////wEXAMPLEtc764bNrC9SAPBSM22wDOk4x4HIZ8j4FZTwdQWLWsKWHGBuFqwAeMicRXmxfpSPfIeoIYRqTflfKD8YUuwthAx7mSEI/qkPpKPi/kMcGdQrmGdeehM4IC1NtBmUpp2wUE8phUZampKsburEDy0KPkyQDYwT7WZ0wq5VSXDvp75YU9HFvlRd8Tx6q6fE8YQcHNVXAkiY9q6d+xo0rKwT38xVqr7ZD0u0iPPkUL64lIZbqBAz+scqKmlzm8FDrypNC9Yjc8fPOLn9FX9KSYvKTr4rvx3iSIlTJabIQwj2ICCR/oLxBA=='
  test.each([
    [
      'post-vanilla',
      {},
      '',
      undefined,
      'host;x-amz-date',
      '5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b',
    ],
    [
      'post-header-key-sort',
      { 'my-header1': 'value1' },
      '',
      undefined,
      'host;my-header1;x-amz-date',
      'c5410059b04c1ee005303aed430f6e6645f61f4dc9e1461ec8f8916fdf18852c',
    ],
    [
      'post-header-value-case',
      { 'my-header1': 'VALUE1' },
      '',
      undefined,
      'host;my-header1;x-amz-date',
      'cdbc9802e29d2942e5e10b5bccfdd67c5f22c7c4e8ae67b53629efa58b974b7d',
    ],
    [
      'post-x-www-form-urlencoded',
      { 'content-type': 'application/x-www-form-urlencoded' },
      'Param1=value1',
      undefined,
      'content-type;host;x-amz-date',
      'ff11897932ad3f4e8b18135d722051e5ac45fc38421b1da7b9d196a0fe09473a',
    ],
    [
      'post-sts-header-before',
      {},
      '',
      token,
      'host;x-amz-date;x-amz-security-token',
      '85d96828115b5dc0cfc3bd16ad9e210dd772bbebba041836c64533a82be05ead',
    ],
  ])('%s', (_name, headers, body, sessionToken, names, signature) => {
    const signed = signedHeaders({ ...SUITE.place, headers, body }, { ...SUITE.keys, sessionToken }, SUITE.moment)
    expect(signed.authorization).toBe(
      `AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/service/aws4_request, SignedHeaders=${names}, Signature=${signature}`,
    )
    expect(signed['x-amz-date']).toBe('20150830T123600Z')
    expect(signed['x-amz-security-token']).toBe(sessionToken)
  })
})

describe('CRC-32C (RFC 3720 §B.4)', () => {
  test.each([
    ['32 octets of zeros', new Uint8Array(32), 0x8a9136aa],
    ['32 octets of ones', new Uint8Array(32).fill(0xff), 0x62a8ab43],
    ['32 octets that rise', Uint8Array.from({ length: 32 }, (_, at) => at), 0x46dd794e],
    ['32 octets that fall', Uint8Array.from({ length: 32 }, (_, at) => 31 - at), 0x113fdb5c],
    ['the digits 1 to 9', Buffer.from('123456789'), 0xe3069283],
    ['nothing', new Uint8Array(), 0],
  ])('%s', (_what, octets, checksum) => expect(crc32c(octets)).toBe(checksum))
})

describe('the JOSE form of an ECDSA signature (RFC 7518 §3.4)', () => {
  const integer = (...octets: number[]) => [0x02, octets.length, ...octets]
  const sequence = (...content: number[]) => Uint8Array.from([0x30, content.length, ...content])

  test.each([
    ['P-256', 'sha256', 32],
    ['P-384', 'sha384', 48],
  ])('of 300 signatures on %s: each is the same signature', (namedCurve, hash, octets) => {
    const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve })
    for (let at = 0; at < 300; at += 1) {
      const data = createHash('sha256').update(String(at)).digest()
      const jose = joseSignatureOf(sign(hash, data, privateKey), octets)
      expect(jose?.length).toBe(2 * octets)
      const key = createPublicKey(publicKey.export({ format: 'pem', type: 'spki' }))
      expect(verify(hash, data, { key, dsaEncoding: 'ieee-p1363' }, jose ?? Buffer.alloc(0))).toBe(true)
    }
  })

  test('small numbers get leading zeros', () => {
    const jose = joseSignatureOf(sequence(...integer(0x01), ...integer(0x00, 0x80)), 32)
    const expected = Array.from({ length: 64 }, (_, at) => (at === 31 ? 1 : at === 63 ? 0x80 : 0))
    expect([...(jose ?? [])]).toEqual(expected)
  })

  test.each([
    ['nothing', new Uint8Array()],
    ['no sequence', Uint8Array.from(integer(1))],
    ['one number', sequence(...integer(1))],
    ['three numbers', sequence(...integer(1), ...integer(1), ...integer(1))],
    ['octets after the sequence', Uint8Array.from([...sequence(...integer(1), ...integer(1)), 0])],
    ['a sequence that is too long', Uint8Array.from([0x30, 7, ...integer(1), ...integer(1)])],
    ['an indefinite length', Uint8Array.from([0x30, 0x80, ...integer(1), ...integer(1), 0, 0])],
    ['a long form of a short length', Uint8Array.from([0x30, 0x81, 6, ...integer(1), ...integer(1)])],
    ['a number of no octets', sequence(...integer(), ...integer(1))],
    ['zero', sequence(...integer(0), ...integer(1))],
    ['a negative number', sequence(...integer(0x80), ...integer(1))],
    ['a leading zero too many', sequence(...integer(0, 1), ...integer(1))],
    ['a number that is too long', sequence(...integer(...Array(33).fill(1)), ...integer(1))],
  ])('%s is no signature', (_what, der) => expect(joseSignatureOf(der, 32)).toBeUndefined())
})
