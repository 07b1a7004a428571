import type { Deps } from '../../deps.js'
import { CredentialError } from '../../protocol/credential/verification.js'
import { LruMap } from '../../protocol/jose/lru-map.js'
import { type Work, WorkExceededError } from '../../protocol/work.js'
import {
  issuerKeyResolution,
  type VerificationFetches,
  verificationFetches,
} from '../../verifier/verify/issuer-keys.js'
import { readStatus, type StatusReading } from '../../verifier/verify/status.js'
import type { HeldCredential } from './held.js'

/** `unknown`: its status list cannot be had now. */
export type HeldStatus = 'valid' | 'expired' | 'revoked' | 'suspended' | 'unknown'

const AT_ONCE = 8
/** Lists that are kept until all credentials have been looked at, each of 2 MiB at most. */
const MAX_SHARED = 8

/** One issuer's list serves many credentials: each is fetched once for all of them, while few others come between. */
function sharing(fetches: VerificationFetches): VerificationFetches {
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

export function statusReader(deps: Deps, { totalMs, work }: StatusBounds = {}): ReadStatuses {
  const now = deps.clock()
  const fetches = sharing(verificationFetches(deps, undefined, totalMs))
  const resolveIssuerKey = issuerKeyResolution(deps, fetches, now)
  const reading: StatusReading = { fetches, resolveIssuerKey, now, ...(work === undefined ? {} : { work }) }
  const statusOf = async (held: HeldCredential): Promise<HeldStatus> => {
    if (hasExpired(held, now)) return 'expired'
    try {
      const references = await deps.formats.named(held.format).holding.statusOf(held.compact)
      return await readStatus(deps, reading, references, held.content.issuerKey)
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

/** Reads the status of held credentials live, eight seconds for all of them together. */
export const statusesOf = (deps: Deps, credentials: readonly HeldCredential[]): Promise<HeldStatus[]> =>
  statusReader(deps)(credentials)
