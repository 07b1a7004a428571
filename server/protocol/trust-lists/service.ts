import { MAX_ALL_CERTIFICATES } from './limits.js'
import { requireAtMost } from './members.js'
import type { ServiceStatus, TrustedService } from './trust-list.js'

/** Counts the certificates and keys of a whole list. */
export class CertificateBudget {
  #taken = 0

  /** Throws ListRefusedError if the list has too many. */
  take(count: number): void {
    this.#taken += count
    requireAtMost(this.#taken, MAX_ALL_CERTIFICATES, 'too-many-certificates', 'certificates')
  }
}

/**
 * The period in which a service is trusted, by its state and the time since when it has this state. A withdrawn service
 * ends at this time, and at once if the list gives no time.
 */
export function periodOf(status: ServiceStatus, since: Date | undefined): Pick<TrustedService, 'startsAt' | 'endsAt'> {
  if (status === 'withdrawn') return { endsAt: since ?? new Date(0) }
  return since === undefined ? {} : { startsAt: since }
}
