import { type Fragment, fragment } from '../../../database/fragment.js'
import { CLOCK_SKEW_SECONDS, secondsBefore } from '../../../maintenance/task.js'
import { accessTokenSeconds } from '../access-token.js'

/** No token that is good expires later than this many seconds from now, by whatever process's clock it was given. */
const LATEST_SECONDS = accessTokenSeconds(true) + CLOCK_SKEW_SECONDS

/** Which row of `issuance_tokens` is that of a token, while it is good. By the times PostgreSQL looks in the present partition alone, or in two. */
export const goodToken = (tokenHash: string, now: Date): Fragment => fragment`
  token_hash = ${tokenHash} AND expires_at > ${now} AND expires_at <= ${secondsBefore(now, -LATEST_SECONDS)}`
