import type { Config } from '../../config/config.js'
import type { Formats } from '../../formats/registry.js'
import { CredentialError, type IssuerKey, type StatusReference } from '../../protocol/credential/verification.js'
import { IssuerKeyError } from '../../protocol/issuer-keys/issuer-key-error.js'
import { trustedChain } from '../../protocol/issuer-keys/trusted-chain.js'
import { isSameKey } from '../../protocol/jose/jws.js'
import { LruMap } from '../../protocol/jose/lru-map.js'
import type { CredentialStatus } from '../../protocol/status-list/foreign-status.js'
import { type Work, WorkExceededError } from '../../protocol/work.js'
import type { HeldCredential } from './held.js'

/** `unknown`: the status list cannot be read now. */
export type HeldStatus = 'valid' | 'expired' | 'revoked' | 'suspended' | 'unknown'

const AT_ONCE = 8
/** Status lists kept during one reading, each at most 2 MiB. */
const MAX_SHARED = 8

/** Fetches status lists of other hosts, as text or as bytes. */
export interface StatusListFetches {
  fetchStatusList(url: string, accept: string): Promise<string>
  fetchStatusListBytes(url: string, accept: string): Promise<Uint8Array>
}

/** Fetches a list once for all credentials of this list, unless too many other lists are read in between. */
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

/** Limits for one reading, instead of the eight seconds of a verification. */
export interface StatusBounds {
  /** For all fetches together, in milliseconds. */
  readonly totalMs?: number
  /** The budget for the lists of other hosts. */
  readonly work?: Work
}

/** Whether the credential has expired by its own times. */
export const hasExpired = ({ content }: Pick<HeldCredential, 'content'>, now: Date): boolean =>
  content.expiresAt !== undefined && content.expiresAt <= now.getTime() / 1000

/** Reads statuses of held credentials. Several calls share the limits, and each list is fetched once. */
export type ReadStatuses = (credentials: readonly HeldCredential[]) => Promise<HeldStatus[]>

/** One reading of several statuses. */
export interface StatusReading extends StatusBounds {
  readonly now: Date
  /** Wraps fetches so that the reading fetches each list once. */
  readonly sharing: <Fetches extends StatusListFetches>(fetches: Fetches) => Fetches
}

/** Dependencies of {@link createHeldStatuses}. */
export interface HeldStatusesPorts {
  readonly formats: Pick<Formats, 'named'>
  /**
   * Begins a reading of current statuses. The returned function takes a credential's references and its issuer's key, and returns
   * the first status other than `valid`. It throws CredentialError if a status cannot be read.
   */
  readonly startReading: (
    reading: StatusReading,
  ) => (references: readonly StatusReference[], issuer: IssuerKey) => Promise<CredentialStatus>
  /** Roots and trusted lists for issuers. Lists change, so the entity of an issuer is found at each reading. */
  readonly config: Pick<Config, 'trustAnchors' | 'listed'>
  readonly clock: () => Date
}

export type HeldStatuses = ReturnType<typeof createHeldStatuses>

/** The current statuses of held credentials. */
export function createHeldStatuses({ formats, startReading, config, clock }: HeldStatusesPorts) {
  /** The issuer of a credential, with its entity if a trusted list vouches for the issuer now. */
  const issuerOf = async ({ format, compact, content }: HeldCredential, now: Date): Promise<IssuerKey> => {
    const { issuerKey, types } = content
    const lists = config.listed?.credentials
    if (lists?.exists() !== true) return issuerKey
    const x5c = await formats.named(format).holding.x5cOf(compact)
    if (x5c === undefined) return issuerKey
    try {
      const { jwk, listed } = trustedChain(x5c, {
        trustAnchors: config.trustAnchors,
        lists,
        now,
        purpose: 'credential',
        types,
      })
      return listed !== undefined && isSameKey(jwk, issuerKey.jwk) ? { ...issuerKey, listed } : issuerKey
    } catch (thrown) {
      if (thrown instanceof IssuerKeyError) return issuerKey
      throw thrown
    }
  }

  /** @param bounds the limits for the whole reading; by default eight seconds for all fetches */
  const reader = (bounds: StatusBounds = {}): ReadStatuses => {
    const now = clock()
    const read = startReading({ ...bounds, now, sharing })
    const statusOf = async (held: HeldCredential): Promise<HeldStatus> => {
      if (hasExpired(held, now)) return 'expired'
      try {
        const references = await formats.named(held.format).holding.statusOf(held.compact)
        return await read(references, await issuerOf(held, now))
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

    /** Reads the status of held credentials, within eight seconds for all credentials together. */
    of: (credentials: readonly HeldCredential[]): Promise<HeldStatus[]> => reader()(credentials),
  }
}
