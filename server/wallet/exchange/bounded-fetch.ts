import type { OutboundFetch } from '../../outbound/guard.js'
import { WalletError } from './wallet-error.js'

/** More requests than any regular exchange needs. Without a limit, a hostile issuer could name servers endlessly. */
const MAX_REQUESTS = 60
const TOTAL_MS = 30_000

/**
 * Limits the number of requests and the time of one exchange with an issuer or verifier. The outbound guard already limits each
 * single request.
 */
export function boundedFetch(fetch: OutboundFetch, totalMs = TOTAL_MS): OutboundFetch {
  const startedAt = performance.now()
  let requests = 0
  return async (input, init) => {
    requests += 1
    const left = totalMs - (performance.now() - startedAt)
    if (requests > MAX_REQUESTS) throw new WalletError('The exchange takes too many requests.')
    if (left <= 0) throw new WalletError('The exchange takes too long.')
    return fetch(input, { ...init, signal: AbortSignal.timeout(Math.ceil(left)) })
  }
}
