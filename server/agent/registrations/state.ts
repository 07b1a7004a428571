import { DAY_SECONDS } from '../../maintenance/task.js'

/** Why requests cannot use a registration certificate. Readiness, metrics and the API name it. */
export const REGISTRATION_STATES = [
  'usable',
  'expired',
  'not-yet-valid',
  'other-subject',
  'signer',
  'revoked',
  'suspended',
  'status-unknown',
  'malformed',
] as const

export type RegistrationState = (typeof REGISTRATION_STATES)[number]

/** A status that is older does not count. The job reads it every hour. */
const LONGEST_SECONDS = DAY_SECONDS

/** What the last looks at a certificate have found. */
export interface Looked {
  readonly status: string | null
  readonly checkedAt: Date | null
  readonly failedCheck: string | null
  readonly failure: string | null
}

/** A state, and one sentence about it. */
export interface Judged {
  readonly state: RegistrationState
  readonly sentence: string | null
}

const USABLE: Judged = { state: 'usable', sentence: null }

const isState = (text: string): text is RegistrationState => REGISTRATION_STATES.some((state) => state === text)

/**
 * Judges the findings of the maintenance job. They are a fault of the signer, a revocation, or a status that
 * could not be read for a day. A status that was never read does not count as valid.
 */
export function judgeLooked({ status, checkedAt, failedCheck, failure }: Looked, now: Date): Judged {
  if (failedCheck !== null && failedCheck !== 'status-unknown' && isState(failedCheck)) {
    return { state: failedCheck, sentence: failure }
  }
  if (status === 'revoked' || status === 'suspended') {
    return { state: status, sentence: `The registration certificate is ${status}.` }
  }
  const age = checkedAt === null ? Number.POSITIVE_INFINITY : (now.getTime() - checkedAt.getTime()) / 1000
  if (status === 'valid' && age <= LONGEST_SECONDS) return USABLE
  const since = checkedAt === null ? 'was never read' : `could not be read since ${checkedAt.toISOString()}`
  const reason = failure === null ? '' : ` ${failure}`
  return { state: 'status-unknown', sentence: `The status of the registration certificate ${since}.${reason}` }
}
