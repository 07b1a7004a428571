import { type Fragment, fragment } from '../../../database/fragment.js'
import { CLOCK_SKEW_SECONDS, secondsBefore } from '../../../maintenance/task.js'
import { accessTokenSeconds } from '../access-token.js'

/** No valid token expires later than this many seconds from now, even if a process with a different clock issued it. */
const LATEST_SECONDS = accessTokenSeconds(true) + CLOCK_SKEW_SECONDS

/**
 * Condition: the row of `issuance_tokens` belongs to the token, and the token has not expired. The two limits on
 * `expires_at` let PostgreSQL read only one or two partitions.
 */
export const goodToken = (tokenHash: string, now: Date): Fragment => fragment`
  token_hash = ${tokenHash} AND expires_at > ${now} AND expires_at <= ${secondsBefore(now, -LATEST_SECONDS)}`
