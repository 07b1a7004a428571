import type { DidDocument } from '../protocol/did/did-document.js'
import { DidResolutionError, type DidResolutionIo, resolveDid } from '../protocol/did/resolve-did.js'
import { LruMap } from '../protocol/jose/lru-map.js'

/**
 * Resolves DIDs to their documents; rejects with DidResolutionError. Documents are shared: they must not be changed.
 */
export interface DidResolver {
  resolve(did: string): Promise<DidDocument>
}

interface CacheEntry {
  document: Promise<DidDocument>
  /**
   * Milliseconds of the clock; infinite while the document is being fetched, so that those who ask meanwhile share one
   * request.
   */
  expiresAt: number
}

const NEGATIVE_TTL_SECONDS = 15

/**
 * Makes a resolver for did:key and did:jwk, which are computed and kept for as long as there is room (they never change), and
 * did:web. A did:web of this service is read by
 * `localDocument` at every call and never cached, so that a rotated key counts at once; a foreign one is fetched and
 * remembered for `ttlSeconds` (300), a failure for 15 seconds, at most `maxEntries` (500) of them.
 */
export function createDidResolver(
  options: DidResolutionIo & {
    /** This service's own document of a DID, undefined when the DID is not one of its own. */
    localDocument(did: string): Promise<DidDocument | undefined>
    clock: () => Date
    ttlSeconds?: number
    maxEntries?: number
  },
): DidResolver {
  const { localDocument, clock, ttlSeconds = 300, maxEntries = 500 } = options
  const cache = new LruMap<string, CacheEntry>(maxEntries)
  const computed = new LruMap<string, DidDocument>(maxEntries)

  const compute = async (did: string): Promise<DidDocument> => {
    const known = computed.get(did)
    if (known !== undefined) return known
    const document = await resolveDid(did, options)
    computed.set(did, document)
    return document
  }

  const fetchOnce = (did: string): Promise<DidDocument> => {
    const now = clock().getTime()
    const cached = cache.get(did)
    if (cached !== undefined && now < cached.expiresAt) return cached.document
    const entry: CacheEntry = { document: resolveDid(did, options), expiresAt: Number.POSITIVE_INFINITY }
    cache.set(did, entry)
    const remember = (seconds: number) => {
      entry.expiresAt = clock().getTime() + seconds * 1000
    }
    entry.document.then(
      () => remember(ttlSeconds),
      (error: unknown) => remember(error instanceof DidResolutionError ? NEGATIVE_TTL_SECONDS : 0),
    )
    return entry.document
  }

  return {
    resolve: async (did) => {
      if (!did.startsWith('did:web:')) return compute(did)
      return (await localDocument(did)) ?? fetchOnce(did)
    },
  }
}
