import { algorithmOfJwk } from '../jose/algorithms.js'
import { decodeBase64url, encodeBase64url } from '../jose/base64url.js'
import { type Jwk, readPublicJwk, requiredMembersOf } from '../jose/jwk.js'
import { JwsError } from '../jose/jws-error.js'
import { type DidDocument, didDocument } from './did-document.js'
import { DidResolutionError } from './did-resolution-error.js'
import { parseDidUrl } from './did-url.js'

/**
 * The did:jwk of a public key (did:jwk Method). It contains only the members of which the key consists, in
 * lexicographic order, so that a key has the same DID with any `kid` or `alg`. Throws JwsError `key` for a key of no
 * supported type.
 */
export function didJwk(jwk: Jwk): string {
  if (algorithmOfJwk(jwk) === undefined) throw new JwsError('key', 'The key is of no supported type.')
  return `did:jwk:${encodeBase64url(JSON.stringify(requiredMembersOf(jwk)))}`
}

/** The public key in a did:jwk. Throws DidResolutionError, also for a private key and for an encryption key. */
export function decodeDidJwk(did: string): Jwk {
  const url = parseDidUrl(did)
  if (url?.method !== 'jwk' || url.did !== did) throw new DidResolutionError(`${did} is not a did:jwk.`)
  const jwk = readPublicJwk(parseJson(url.methodSpecificId))
  if (jwk === undefined) throw new DidResolutionError(`${did} holds no supported public key.`)
  // did:jwk Method, "To create the DID Document": the only relationship of a key with `use` `enc` is keyAgreement.
  if (jwk.use !== undefined && jwk.use !== 'sig')
    throw new DidResolutionError(`The key of ${did} is not for signatures.`)
  return jwk
}

/**
 * The document of a did:jwk. Its only method is `<did>#0`, even if the key has a `kid`. Throws
 * DidResolutionError.
 */
export function didJwkDocument(did: string): DidDocument {
  return didDocument({ did, keys: [{ id: '#0', jwk: decodeDidJwk(did) }] })
}

function parseJson(segment: string): unknown {
  const octets = decodeBase64url(segment)
  if (octets === undefined) return undefined
  try {
    return JSON.parse(Buffer.from(octets).toString('utf8'))
  } catch {
    return undefined
  }
}
