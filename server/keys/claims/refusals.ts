import type { Log } from '../../log/log.js'
import type { SecretError } from '../../protocol/jose/sealed.js'

/** Readiness reports a refused value for this time, in milliseconds. */
const REPORTED_MS = 15 * 60 * 1000

/** Notes refused values of protected columns for readiness and log. */
export interface Refusals {
  readonly note: (refused: SecretError) => void
  /** `degraded` if a value was refused in the last 15 minutes. */
  readonly status: () => 'up' | 'degraded'
}

export function createRefusals(clock: () => Date, log: Pick<Log, 'error'>): Refusals {
  let last = Number.NEGATIVE_INFINITY
  return {
    note(refused) {
      last = clock().getTime()
      log.error({ reason: refused.message }, 'a stored value cannot be decrypted')
    },
    status: () => (clock().getTime() - last < REPORTED_MS ? 'degraded' : 'up'),
  }
}
