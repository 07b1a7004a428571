import { type DidKeys, zDidKeys } from './did-document.js'
import { didJwkDocument } from './did-jwk.js'
import { didKeyDocument } from './did-key.js'
import { DidResolutionError } from './did-resolution-error.js'
import { parseDidUrl } from './did-url.js'
import { didWebToUrl } from './did-web.js'

export { DidResolutionError } from './did-resolution-error.js'

/** Access to the network and the configuration that DID resolution needs. */
export interface DidResolutionIo {
  /** Gets a JSON document by its address; rejects if the document is unavailable. */
  fetchJson(url: string): Promise<unknown>
  /** Whether did:web documents of development hosts may be read over http. */
  allowHttp: boolean
}

/**
 * Resolves a did:key, did:jwk or did:web to its keys (DID Core 1.0 §7.1). Throws DidResolutionError for any other
 * method, for a malformed DID, and for a document that cannot be fetched, is malformed, or belongs to a different DID.
 */
export async function resolveDid(did: string, io: DidResolutionIo): Promise<DidKeys> {
  const parsed = parseDidUrl(did)
  if (parsed === undefined || parsed.did !== did) throw new DidResolutionError(`${did.slice(0, 200)} is not a DID.`)
  switch (parsed.method) {
    case 'key':
      return didKeyDocument(did)
    case 'jwk':
      return didJwkDocument(did)
    case 'web':
      return fetchDocument(did, io)
    default:
      throw new DidResolutionError(`DID method ${parsed.method.slice(0, 40)} is not supported.`)
  }
}

async function fetchDocument(did: string, io: DidResolutionIo): Promise<DidKeys> {
  const fetched = await fetchOrExplain(did, didWebToUrl(did, io), io)
  const document = zDidKeys.safeParse(fetched)
  if (!document.success)
    throw new DidResolutionError(`The DID document of ${did} is malformed.`, { cause: document.error })
  // DID Core 1.0 §7.1: the `id` of the document must be the DID that was resolved.
  if (document.data.id !== did) throw new DidResolutionError(`The DID document of ${did} is that of another DID.`)
  return document.data
}

async function fetchOrExplain(did: string, url: string, io: DidResolutionIo): Promise<unknown> {
  try {
    return await io.fetchJson(url)
  } catch (cause) {
    throw new DidResolutionError(`The DID document of ${did} could not be fetched.`, { cause })
  }
}
