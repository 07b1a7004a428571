import { expect, it } from 'vitest'
import { verifyKeyAttestation } from '../../../server/protocol/openid4vci/key-attestation.js'
import { verifyWalletAttestation } from '../../../server/protocol/openid4vci/wallet-attestation.js'

const trust = { trustAnchors: [], providers: [] }
const now = new Date()
/** An unsigned JWT of a given length. */
const long = (length: number) => `e30.e30.${'A'.repeat(length - 8)}`

it('a wallet attestation or a proof of more than 16 KiB is not read (Attestation-Based Client Authentication §5)', () => {
  const read = (attestation: string, proof: string) => () =>
    verifyWalletAttestation(attestation, proof, { trust, audience: 'https://issuer.example', now })
  expect(read(long(16_384), long(16_384))).toThrow('The typ of the wallet attestation must be')
  expect(read(long(16_385), 'e30.e30.')).toThrow('The wallet attestation is longer than 16384 characters.')
  expect(read('e30.e30.', long(16_385))).toThrow('The proof of the wallet attestation is longer than 16384 characters.')
})

it('a key attestation of more than 32 KiB is not read (OpenID4VCI 1.0 Appendix D.1)', () => {
  const options = { trust, types: [], now, nonceIssuedAt: () => now, inProof: true, required: null, certified: false }
  const read = (attestation: string) => () => verifyKeyAttestation(attestation, options)
  expect(read(long(32_768))).toThrow('The typ of the key attestation must be')
  expect(read(long(32_769))).toThrow('The key attestation is longer than 32768 characters.')
})
