import { keyIdOf } from '../../dids/identity.js'
import type { StoredDid } from '../../dids/store.js'
import type { Keys } from '../../keys/keys.js'
import { decodeDidJwk } from '../../protocol/did/did-jwk.js'
import { decodeDidKey, didKeyFromJwk } from '../../protocol/did/did-key.js'
import { DidResolutionError } from '../../protocol/did/did-resolution-error.js'
import { createSigner, generateKeyPair, isSameKey, type Jwk, type Signer } from '../../protocol/jose/jws.js'

/** A key of a hosted wallet, with the DID that names the key. */
export interface WalletKey {
  readonly did: string
  /** Its `kid` is the DID URL of the key. */
  readonly signer: Signer
  /** The stored key of one of the holder's DIDs; null for a key of one copy of a credential. */
  readonly keyId: string | null
  /** Set only for a key of one copy. */
  readonly privateJwk: Jwk | null
}

/** The newest key of each DID, in the order of the DIDs. */
export async function holderKeys(keys: Pick<Keys, 'signer'>, dids: readonly StoredDid[]): Promise<WalletKey[]> {
  const found = await Promise.all(
    dids.map(async ({ did, keys: [newest] }) => {
      if (newest === undefined) return undefined
      const signer = await keys.signer(newest.id, keyIdOf(did, newest.publicJwk))
      return { did, signer, keyId: newest.id, privateJwk: null }
    }),
  )
  return found.filter((key) => key !== undefined)
}

/** Creates a key with a did:key for one copy of a credential. No two copies share a key. */
export async function newCopyKey(): Promise<WalletKey> {
  const { privateJwk, publicJwk } = await generateKeyPair('ES256')
  const did = didKeyFromJwk(publicJwk)
  return { did, signer: await createSigner(privateJwk, keyIdOf(did, publicJwk)), keyId: null, privateJwk }
}

/** A key that only one issuance uses. */
export interface SessionKey {
  readonly signer: Signer
  readonly privateJwk: Jwk
}

/** The stored key of an issuance. */
export async function sessionKey(privateJwk: Jwk): Promise<SessionKey> {
  return { signer: await createSigner(privateJwk, 'session'), privateJwk }
}

/** Creates a key for the proofs of possession of one issuance (RFC 9449 §4). The key signs nothing else. */
export async function newSessionKey(): Promise<SessionKey> {
  return sessionKey((await generateKeyPair('ES256')).privateJwk)
}

/** The key inside a did:jwk or did:key; undefined for any other DID, and for a malformed DID. */
function keyWithin(did: string): Jwk | undefined {
  try {
    if (did.startsWith('did:jwk:')) return decodeDidJwk(did)
    return did.startsWith('did:key:') ? decodeDidKey(did) : undefined
  } catch (thrown) {
    if (thrown instanceof DidResolutionError) return undefined
    throw thrown
  }
}

/** Whether an issuer's DID names a key: either the DID that the wallet showed, or a DID made of the key itself. */
export function isNamedBy({ did, signer }: WalletKey, name: string): boolean {
  if (name === did) return true
  const jwk = keyWithin(name)
  return jwk !== undefined && isSameKey(jwk, signer.publicJwk)
}
