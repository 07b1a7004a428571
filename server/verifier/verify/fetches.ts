import type { Admit, TimedDidResolver } from '../../dids/resolver.js'
import type { Outbound } from '../../outbound/guard.js'
import { CredentialError } from '../../protocol/credential/verification.js'
import type { DidKeys } from '../../protocol/did/did-document.js'
import { MAX_STATUS_LIST_BYTES } from '../../protocol/status-list/compression.js'

/** Limit for all fetches of one verification together. */
const TOTAL_FETCH_MS = 8_000

/** Fetches of one verification, through the outbound guard. By default all fetches together have eight seconds. */
export interface VerificationFetches {
  fetchJson(url: string): Promise<unknown>
  /** The text of a status list, which may be larger than any other fetched document. */
  fetchStatusList(url: string, accept: string): Promise<string>
  /** A status list that is not text. */
  fetchStatusListBytes(url: string, accept: string): Promise<Uint8Array>
  /** The type metadata of an SD-JWT VC: at most ten types, each fetched once. */
  fetchTypeMetadata(vct: string): Promise<string>
  resolveDid(did: string): Promise<DidKeys>
  /** When the document of a DID on another host was fetched, if it was cached. */
  readonly fetchedAt: (did: string) => Date | undefined
}

/** Enough for two credentials whose types are five levels away from the requested type. */
const MAX_TYPES = 10

const tooManyTypes = () =>
  new CredentialError(`More than ${MAX_TYPES} types would have to be looked up.`, { check: 'query' })

const tooLong = () =>
  new CredentialError('Fetching what the verification needs took too long.', { check: 'issuer-key' })

/** Dependencies of {@link createFetches}. */
export interface FetchesPorts {
  readonly outbound: Pick<Outbound, 'fetchJson' | 'fetchText' | 'fetchBytes'>
  readonly resolver: TimedDidResolver
}

/**
 * Begins the fetches of one verification.
 *
 * @param admit may refuse the resolution of a DID on another host.
 * @param totalMs milliseconds for all fetches together, counted from the first fetch.
 */
export type StartFetches = (admit?: Admit, totalMs?: number) => VerificationFetches

export const createFetches =
  ({ outbound, resolver }: FetchesPorts): StartFetches =>
  (admit, totalMs = TOTAL_FETCH_MS) => {
    let deadline: number | undefined
    const within = async <T>(start: () => Promise<T>): Promise<T> => {
      deadline ??= performance.now() + totalMs
      const left = deadline - performance.now()
      if (left <= 0) throw tooLong()
      let timer: NodeJS.Timeout | undefined
      const expired = new Promise<never>((_, reject) => {
        timer = setTimeout(() => reject(tooLong()), left)
      })
      try {
        return await Promise.race([start(), expired])
      } finally {
        clearTimeout(timer)
      }
    }
    const types = new Map<string, Promise<string>>()
    const fetchTypeMetadata = (vct: string): Promise<string> => {
      const known = types.get(vct)
      if (known !== undefined) return known
      if (types.size === MAX_TYPES) throw tooManyTypes()
      const fetched = within(async () => (await outbound.fetchText(vct, { accept: 'application/json' })).text)
      types.set(vct, fetched)
      return fetched
    }
    return {
      fetchedAt: resolver.fetchedAt,
      fetchTypeMetadata,
      fetchJson: (url) => within(() => outbound.fetchJson(url)),
      fetchStatusList: (url, accept) =>
        within(async () => (await outbound.fetchText(url, { accept, maxBytes: MAX_STATUS_LIST_BYTES })).text),
      fetchStatusListBytes: (url, accept) =>
        within(() => outbound.fetchBytes(url, { accept, maxBytes: MAX_STATUS_LIST_BYTES })),
      // The DIDs of all other methods are resolved without a fetch.
      resolveDid: (did) =>
        did.startsWith('did:web:') ? within(() => resolver.resolve(did, admit)) : resolver.resolve(did),
    }
  }
