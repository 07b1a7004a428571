import type { DidKeys } from '../protocol/did/did-document.js'
import { DidResolutionError, type DidResolutionIo, resolveDid } from '../protocol/did/resolve-did.js'
import { LruMap } from '../protocol/jose/lru-map.js'

/** Called before a DID of a foreign host is resolved. If the function throws, the DID is not resolved. */
export type Admit = (did: string) => void | Promise<void>

/**
 * Resolves DIDs to their keys; rejects with DidResolutionError. Callers share the returned keys and must not change
 * them.
 */
export interface DidResolver {
  resolve(did: string, admit?: Admit): Promise<DidKeys>
}

/** A resolver that knows how old its results are. */
export interface TimedDidResolver extends DidResolver {
  /** When the cached document of another host was fetched; undefined if the keys of a DID are not cached. */
  fetchedAt(did: string): Date | undefined
}

/** The cached result for a DID of another host: its keys, or the reason of the failure. */
interface Known {
  readonly outcome: DidKeys | string
  /** Expiry in milliseconds since the epoch. */
  readonly expiresAt: number
}

const NEGATIVE_TTL_SECONDS = 15
/**
 * Memory limit of each of the two caches (fetched and computed keys). The size of an entry is computed from its JSON
 * text, at two bytes per character.
 */
const MAX_BYTES = 4 * 1024 * 1024

const bytesOf = (did: string, outcome: DidKeys | string): number => 2 * (did.length + JSON.stringify(outcome).length)

/** Copies a text. A substring of a larger text would keep the whole larger text in memory. */
const copyOf = (text: string): string => Buffer.from(text).toString()

/** Makes the resolver for did:key and did:jwk. Their results never expire. */
function createComputed(options: DidResolutionIo, maxEntries: number): (did: string) => Promise<DidKeys> {
  const computed = new LruMap<string, DidKeys>(maxEntries, MAX_BYTES)
  return async (did) => {
    const known = computed.get(did)
    if (known !== undefined) return known
    const keys = await resolveDid(did, options)
    computed.set(copyOf(did), keys, bytesOf(did, keys))
    return keys
  }
}

/**
 * Makes the resolver for did:web. Concurrent calls for one DID share a request. Expired entries are removed from the
 * cache.
 */
function createFetched(
  options: DidResolutionIo & { clock: () => Date; ttlSeconds: number },
  maxEntries: number,
): { resolve: (did: string) => Promise<DidKeys>; fetchedAt: TimedDidResolver['fetchedAt'] } {
  const { clock, ttlSeconds } = options
  const remembered = new LruMap<string, Known>(maxEntries, MAX_BYTES)
  const underWay = new Map<string, Promise<DidKeys>>()

  const remember = (did: string, outcome: DidKeys | string, seconds: number): void => {
    const now = clock().getTime()
    remembered.deleteWhere(({ expiresAt }) => expiresAt <= now)
    remembered.set(copyOf(did), { outcome, expiresAt: now + seconds * 1000 }, bytesOf(did, outcome))
  }

  const fetchNow = async (did: string): Promise<DidKeys> => {
    try {
      const keys = await resolveDid(did, options)
      remember(did, keys, ttlSeconds)
      return keys
    } catch (error) {
      if (error instanceof DidResolutionError) remember(did, error.message, NEGATIVE_TTL_SECONDS)
      throw error
    } finally {
      underWay.delete(did)
    }
  }

  return {
    resolve: async (did) => {
      const known = remembered.get(did)
      if (known !== undefined && clock().getTime() < known.expiresAt) {
        if (typeof known.outcome === 'string') throw new DidResolutionError(known.outcome)
        return known.outcome
      }
      const running = underWay.get(did) ?? fetchNow(did)
      underWay.set(did, running)
      return running
    },
    fetchedAt: (did) => {
      const known = remembered.get(did)
      if (known === undefined || typeof known.outcome === 'string') return undefined
      return new Date(known.expiresAt - ttlSeconds * 1000)
    },
  }
}

/**
 * Makes a resolver for did:key, did:jwk and did:web. The keys of a did:key or did:jwk are computed and cached. A
 * did:web of this service is read with `localDocument` at each call, without a cache. So a rotated key is used
 * immediately. The document of any other did:web is fetched. Its keys are cached for `ttlSeconds` (300), and a failure
 * is cached for 15 seconds. Each of the two caches has at most `maxEntries` (500) entries and 4 MiB.
 */
export function createDidResolver(
  options: DidResolutionIo & {
    /** The document of a DID of this service; undefined for any other DID. */
    localDocument(did: string): Promise<DidKeys | undefined>
    clock: () => Date
    ttlSeconds?: number
    maxEntries?: number
  },
): TimedDidResolver {
  const { localDocument, ttlSeconds = 300, maxEntries = 500 } = options
  const compute = createComputed(options, maxEntries)
  const fetched = createFetched({ ...options, ttlSeconds }, maxEntries)
  return {
    resolve: async (did, admit) => {
      if (!did.startsWith('did:web:')) return compute(did)
      const own = await localDocument(did)
      if (own !== undefined) return own
      await admit?.(did)
      return fetched.resolve(did)
    },
    fetchedAt: fetched.fetchedAt,
  }
}
