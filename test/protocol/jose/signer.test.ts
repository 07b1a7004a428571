import { describe, expect, it } from 'vitest'
import { SIGNATURE_ALGORITHMS, type SignatureAlgorithm } from '../../../server/protocol/jose/algorithms.js'
import {
  createSigner,
  decodeCompact,
  generateKeyPair,
  signCompact,
  verifyCompact,
} from '../../../server/protocol/jose/jws.js'

const unusable = expect.objectContaining({ name: 'JwsError', code: 'key' })

async function signed(alg: SignatureAlgorithm, header: Record<string, unknown> = {}) {
  const { privateJwk, publicJwk } = await generateKeyPair(alg)
  const signer = await createSigner(privateJwk, 'key-1')
  return { signer, publicJwk, jwt: await signCompact(signer, header, { iss: 'joe' }) }
}

describe('signCompact', () => {
  it('sets alg and kid', async () => {
    const { jwt } = await signed('ES256', { typ: 'vc+jwt', alg: 'none' })
    expect(decodeCompact(jwt).header).toEqual({ typ: 'vc+jwt', alg: 'ES256', kid: 'key-1' })
  })

  it('omits kid if the header identifies the key in another way', async () => {
    const { signer, publicJwk } = await signed('ES256')
    const headerOf = async (header: Record<string, unknown>) =>
      decodeCompact(await signCompact(signer, header, {})).header
    await expect(headerOf({ jwk: publicJwk })).resolves.toEqual({ jwk: publicJwk, alg: 'ES256' })
    await expect(headerOf({ x5c: ['AA=='] })).resolves.toEqual({ x5c: ['AA=='], alg: 'ES256' })
    await expect(headerOf({ kid: 'other' })).resolves.toEqual({ kid: 'other', alg: 'ES256' })
    await expect(headerOf({ kid: undefined })).resolves.toEqual({ alg: 'ES256' })
    await expect(headerOf({ x5c: undefined })).resolves.toEqual({ alg: 'ES256', kid: 'key-1' })
  })

  it('signs for a key that is not in this process', async () => {
    const { signer, publicJwk } = await signed('ES256')
    const remote = { alg: signer.alg, kid: 'hsm', publicJwk, sign: (data: Uint8Array) => signer.sign(data) }
    await expect(verifyCompact(await signCompact(remote, {}, {}), publicJwk)).resolves.toMatchObject({
      header: { kid: 'hsm' },
    })
  })
})

describe('createSigner', () => {
  it('publishes no private member', async () => {
    for (const alg of SIGNATURE_ALGORITHMS) {
      const { signer } = await signed(alg)
      expect(
        Object.keys(signer.publicJwk).filter((name) => ['d', 'p', 'q', 'dp', 'dq', 'qi', 'k'].includes(name)),
      ).toEqual([])
    }
  })

  it('refuses a public key and a key of an unsupported type', async () => {
    const { publicJwk } = await generateKeyPair('ES256')
    await expect(createSigner(publicJwk, 'k')).rejects.toEqual(unusable)
    await expect(createSigner({ kty: 'oct', k: 'AAAA' }, 'k')).rejects.toEqual(unusable)
  })
})
