import { generateKeyPairSync, sign } from 'node:crypto'
import { expect, it } from 'vitest'
import { isSignature } from '../../../server/protocol/trust-lists/tsl/signature/algorithms.js'

const ECDSA = 'http://www.w3.org/2001/04/xmldsig-more#ecdsa-sha512'
const text = Buffer.from('The signed text')
const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-521' })

/** A signature whose two integers begin with a zero octet, as a quarter of the signatures with P-521. */
function signatureWithZeros(): Buffer {
  for (;;) {
    const signature = sign('sha512', text, { key: privateKey, dsaEncoding: 'ieee-p1363' })
    if (signature[0] === 0 && signature[66] === 0) return signature
  }
}

it('a signature with ECDSA may leave out the zeros at the beginning of both integers, as SD-DSS does', () => {
  const signature = signatureWithZeros()
  const short = Buffer.concat([signature.subarray(1, 66), signature.subarray(67)])
  expect(isSignature(ECDSA, publicKey, text, signature)).toBe(true)
  expect(isSignature(ECDSA, publicKey, text, short)).toBe(true)
  expect(isSignature(ECDSA, publicKey, Buffer.from('Another text'), short)).toBe(false)
  for (const wrong of [
    short.subarray(1),
    short.subarray(2),
    Buffer.alloc(2),
    Buffer.alloc(0),
    Buffer.concat([signature, signature]),
  ]) {
    expect(isSignature(ECDSA, publicKey, text, wrong)).toBe(false)
  }
})

it('a signature with RSA needs a key of at least 2,048 bits', () => {
  const rsa = 'http://www.w3.org/2001/04/xmldsig-more#rsa-sha256'
  const signed = (modulusLength: number) => {
    const pair = generateKeyPairSync('rsa', { modulusLength })
    return isSignature(rsa, pair.publicKey, text, sign('sha256', text, pair.privateKey))
  }
  expect(signed(2_048)).toBe(true)
  expect(() => signed(1_024)).toThrow('The signature algorithm of the list does not fit the signer.')
})
