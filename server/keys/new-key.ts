import type { SignatureAlgorithm } from '../protocol/jose/algorithms.js'
import { generateKeyPair, type Jwk } from '../protocol/jose/jws.js'
import type { KeyProviders } from './providers/providers.js'
import type { Vault } from './vault.js'

/** Where a key lies: encrypted in the database, or in a key provider. */
export type KeyPlace =
  | { readonly privateJwk: string; readonly provider: null; readonly reference: null }
  | { readonly privateJwk: null; readonly provider: string; readonly reference: string }

/** A key that is not stored yet. */
export type NewKey = KeyPlace & {
  readonly id: string
  readonly alg: string
  readonly publicJwk: Jwk
  /** The key's certificate chain, leaf first, each certificate as base64 DER. */
  readonly x5c?: readonly string[]
}

export interface KeyMaking {
  readonly vault: Pick<Vault, 'protect'>
  readonly newId: () => string
  readonly providers: Pick<KeyProviders, 'generate'>
}

/** A key for the database, with its private key encrypted for its row. */
export async function keyInDatabase(
  { vault, newId }: Pick<KeyMaking, 'vault' | 'newId'>,
  { alg, publicJwk, privateJwk }: { readonly alg: string; readonly publicJwk: Jwk; readonly privateJwk: Jwk },
): Promise<NewKey> {
  const id = newId()
  const protectedJwk = await vault.protect({ column: 'keys.private_jwk', id }, JSON.stringify(privateJwk))
  return { id, alg, publicJwk, privateJwk: protectedJwk, provider: null, reference: null }
}

/**
 * Makes a signing key.
 *
 * @param provider the key provider that makes and keeps the key; undefined for the database
 * @throws 503 if the provider cannot make the key now
 */
export async function newSigningKey(
  making: KeyMaking,
  alg: SignatureAlgorithm & ('ES256' | 'EdDSA'),
  provider: string | undefined,
): Promise<NewKey> {
  if (provider === undefined) return keyInDatabase(making, { alg, ...(await generateKeyPair(alg)) })
  const id = making.newId()
  const { publicJwk, reference } = await making.providers.generate(provider, `credence-${id}`, alg)
  return { id, alg, publicJwk, privateJwk: null, provider, reference }
}
