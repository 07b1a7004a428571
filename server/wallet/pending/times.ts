import { DAY_SECONDS } from '../../maintenance/task.js'
import type { Deferral } from '../openid4vci/deferral.js'

/** How long at most: as long as refresh tokens are usually good. */
const MAX_SECONDS = 90 * DAY_SECONDS
/** From then on an issuer is asked once an hour, unless it wants to be asked less. */
const HOUR_SECONDS = 3_600

const after = (now: Date, seconds: number) => new Date(now.getTime() + seconds * 1000)

/**
 * When to ask next: no sooner than the issuer said (OpenID4VCI 1.0 §8.3), and less often the longer it takes. An answer may come in
 * seconds or in weeks, and nothing says which.
 */
export function nextAsk({ transactions }: Deferral, createdAt: Date, now: Date): Date {
  const age = (now.getTime() - createdAt.getTime()) / 1000
  const asked = Math.max(...transactions.map(({ intervalSeconds }) => intervalSeconds))
  return after(now, Math.min(Math.max(asked, Math.min(age / 20, HOUR_SECONDS)), MAX_SECONDS))
}

/** When nothing can come any more: without a refresh token, not after the end of the access token. */
export function lastAsk({ grant: { token, expiresAt } }: Deferral, now: Date): Date {
  const last = after(now, MAX_SECONDS)
  return token.refresh_token === undefined && expiresAt !== undefined && expiresAt < last ? expiresAt : last
}
