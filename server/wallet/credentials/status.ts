import type { Deps } from '../../deps.js'
import { CredentialError } from '../../protocol/credential/verification.js'
import { LruMap } from '../../protocol/jose/lru-map.js'
import {
  issuerKeyResolution,
  type VerificationFetches,
  verificationFetches,
} from '../../verifier/verify/issuer-keys.js'
import { readStatus } from '../../verifier/verify/status.js'
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

/** Reads the status of held credentials live, eight seconds for all of them together. */
export async function statusesOf(deps: Deps, credentials: readonly HeldCredential[]): Promise<HeldStatus[]> {
  const now = deps.clock()
  const fetches = sharing(verificationFetches(deps))
  const resolveIssuerKey = issuerKeyResolution(deps, fetches, now)
  const statusOf = async ({ format, compact, content }: HeldCredential): Promise<HeldStatus> => {
    if (content.expiresAt !== undefined && content.expiresAt <= now.getTime() / 1000) return 'expired'
    try {
      const references = await deps.formats.named(format).holding.statusOf(compact)
      return await readStatus(deps, { fetches, resolveIssuerKey, now }, references, content.issuerKey)
    } catch (thrown) {
      if (thrown instanceof CredentialError) return 'unknown'
      throw thrown
    }
  }
  const statuses: HeldStatus[] = []
  for (let start = 0; start < credentials.length; start += AT_ONCE) {
    statuses.push(...(await Promise.all(credentials.slice(start, start + AT_ONCE).map(statusOf))))
  }
  return statuses
}
