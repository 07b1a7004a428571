import type { Formats } from '../../formats/registry.js'
import { CredentialError, type IssuerKey, type StatusReference } from '../../protocol/credential/verification.js'
import { LruMap } from '../../protocol/jose/lru-map.js'
import type { CredentialStatus } from '../../protocol/status-list/foreign-status.js'
import { type Work, WorkExceededError } from '../../protocol/work.js'
import type { HeldCredential } from './held.js'

/** `unknown`: its status list cannot be had now. */
export type HeldStatus = 'valid' | 'expired' | 'revoked' | 'suspended' | 'unknown'

const AT_ONCE = 8
/** Lists that are kept until all credentials have been looked at, each of 2 MiB at most. */
const MAX_SHARED = 8

/** What fetches status lists of other hosts: their text, or the bytes of those that are no text. */
export interface StatusListFetches {
  fetchStatusList(url: string, accept: string): Promise<string>
  fetchStatusListBytes(url: string, accept: string): Promise<Uint8Array>
}

/** One issuer's list serves many credentials: each is fetched once for all of them, while few others come between. */
function sharing<Fetches extends StatusListFetches>(fetches: Fetches): Fetches {
  const shared = <T>(fetch: (url: string, accept: string) => Promise<T>) => {
    const lists = new LruMap<string, Promise<T>>(MAX_SHARED)
    return (url: string, accept: string): Promise<T> => {
      const name = `${accept} ${url}`
      const known = lists.get(name) ?? fetch(url, accept)
      lists.set(name, known)
      return known
    }
  }
  return {
    ...fetches,
    fetchStatusList: shared(fetches.fetchStatusList),
    fetchStatusListBytes: shared(fetches.fetchStatusListBytes),
  }
}

/** What reading may cost, where it is not the eight seconds of a verification. */
export interface StatusBounds {
  /** For all fetches together, in milliseconds. */
  readonly totalMs?: number
  /** Pays for each list of another host. */
  readonly work?: Work
}

/** Whether it has run out, by its own times. */
export const hasExpired = ({ content }: Pick<HeldCredential, 'content'>, now: Date): boolean =>
  content.expiresAt !== undefined && content.expiresAt <= now.getTime() / 1000

/** Reads statuses of held credentials, of several calls together within the bounds; a list is fetched once for all of them. */
export type ReadStatuses = (credentials: readonly HeldCredential[]) => Promise<HeldStatus[]>

/** Statuses that are read at one moment. */
export interface StatusReading extends StatusBounds {
  readonly now: Date
  /** Makes of fetches those that the reading uses. */
  readonly sharing: <Fetches extends StatusListFetches>(fetches: Fetches) => Fetches
}

/** What {@link createHeldStatuses} is made of. */
export interface HeldStatusesPorts {
  readonly formats: Pick<Formats, 'named'>
  /**
   * Begins to read statuses, live: the first that is not `valid` of a credential's references, whose issuer has a key.
   * What it returns throws CredentialError where a status cannot be had.
   */
  readonly startReading: (
    reading: StatusReading,
  ) => (references: readonly StatusReference[], issuer: IssuerKey) => Promise<CredentialStatus>
  readonly clock: () => Date
}

export type HeldStatuses = ReturnType<typeof createHeldStatuses>

/** The statuses of held credentials as they are now. */
export function createHeldStatuses({ formats, startReading, clock }: HeldStatusesPorts) {
  /** @param bounds for all that the reader reads; eight seconds for all fetches unless given. */
  const reader = (bounds: StatusBounds = {}): ReadStatuses => {
    const now = clock()
    const read = startReading({ ...bounds, now, sharing })
    const statusOf = async (held: HeldCredential): Promise<HeldStatus> => {
      if (hasExpired(held, now)) return 'expired'
      try {
        const references = await formats.named(held.format).holding.statusOf(held.compact)
        return await read(references, held.content.issuerKey)
      } catch (thrown) {
        if (thrown instanceof CredentialError || thrown instanceof WorkExceededError) return 'unknown'
        throw thrown
      }
    }
    return async (credentials) => {
      const statuses: HeldStatus[] = []
      for (let start = 0; start < credentials.length; start += AT_ONCE) {
        statuses.push(...(await Promise.all(credentials.slice(start, start + AT_ONCE).map(statusOf))))
      }
      return statuses
    }
  }

  return {
    reader,

    /** Reads the status of held credentials, eight seconds for all of them together. */
    of: (credentials: readonly HeldCredential[]): Promise<HeldStatus[]> => reader()(credentials),
  }
}
