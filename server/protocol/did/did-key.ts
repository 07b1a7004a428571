import type { Jwk } from '../jose/jwk.js'
import { type DidDocument, didDocument } from './did-document.js'
import { DidResolutionError } from './did-resolution-error.js'
import { parseDidUrl } from './did-url.js'
import { decodeMultikey, encodeMultikey } from './multikey.js'

/** The did:key of a public key (The did:key Method v0.9). Throws JwsError `key` for a key of no supported type. */
export function didKeyFromJwk(jwk: Jwk): string {
  return `did:key:${encodeMultikey(jwk)}`
}

/**
 * The public key in a did:key. The key may be a `jwk_jcs-pub` key, as in the DIDs of natural persons in EBSI. Throws
 * DidResolutionError.
 */
export function decodeDidKey(did: string): Jwk {
  return decodeMultikey(multibaseOf(did))
}

/** The document of a did:key. Its only method is `<did>#<multibase value>`. Throws DidResolutionError. */
export function didKeyDocument(did: string): DidDocument {
  return didDocument({ did, keys: [{ id: `#${multibaseOf(did)}`, jwk: decodeDidKey(did) }] })
}

function multibaseOf(did: string): string {
  const url = parseDidUrl(did)
  if (url?.method !== 'key' || url.did !== did) throw new DidResolutionError(`${did} is not a did:key.`)
  return url.methodSpecificId
}
