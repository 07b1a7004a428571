import { createPublicKey } from 'node:crypto'
import type { Jwk, Signer } from '../protocol/jose/jws.js'

/** The parameters that Web Cryptography uses for the signing algorithms of records. */
export const SIGNING_PARAMETERS: Readonly<
  Record<string, { readonly name: string; readonly namedCurve?: string; readonly hash?: string }>
> = {
  ES256: { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' },
  ES384: { name: 'ECDSA', namedCurve: 'P-384', hash: 'SHA-384' },
  EdDSA: { name: 'Ed25519' },
}

/**
 * Imported on demand: certificates and their requests are made rarely, and loading takes longer than the rest of the work.
 */
export async function x509Library() {
  await import('reflect-metadata')
  return import('@peculiar/x509')
}

/** Replaces Web Cryptography for the library. So the library never gets a private key: the signer signs. */
export const signingWith = (signer: Pick<Signer, 'sign'>, publicJwk: Jwk) => ({
  subtle: {
    exportKey: async () => createPublicKey({ key: publicJwk, format: 'jwk' }).export({ type: 'spki', format: 'der' }),
    sign: async (_algorithm: unknown, _key: unknown, data: ArrayBuffer) =>
      Uint8Array.from(await signer.sign(new Uint8Array(data))).buffer,
  },
})
