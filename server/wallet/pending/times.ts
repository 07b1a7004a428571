import { DAY_SECONDS } from '../../maintenance/task.js'
import type { Deferral } from '../openid4vci/deferral.js'

/** Maximum wait: the usual lifetime of a refresh token. */
const MAX_SECONDS = 90 * DAY_SECONDS
/** The longest interval, unless the issuer asks for a longer interval. */
const HOUR_SECONDS = 3_600

const after = (now: Date, seconds: number) => new Date(now.getTime() + seconds * 1000)

/**
 * When to ask next: not before the issuer's interval (OpenID4VCI 1.0 §8.3), and less often the longer the wait lasts.
 * An answer may take seconds or weeks, and nobody can predict the time.
 */
export function nextAsk({ transactions }: Deferral, createdAt: Date, now: Date): Date {
  const age = (now.getTime() - createdAt.getTime()) / 1000
  const asked = Math.max(...transactions.map(({ intervalSeconds }) => intervalSeconds))
  return after(now, Math.min(Math.max(asked, Math.min(age / 20, HOUR_SECONDS)), MAX_SECONDS))
}

/** When the wait ends. Without a refresh token, the wait ends when the access token expires. */
export function lastAsk({ grant: { token, expiresAt } }: Deferral, now: Date): Date {
  const last = after(now, MAX_SECONDS)
  return token.refresh_token === undefined && expiresAt !== undefined && expiresAt < last ? expiresAt : last
}
