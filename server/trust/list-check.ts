import { LIST_CHECKS } from '../protocol/trust-lists/read-list.js'

/** Why the address of a list gave no list. */
export const FETCH_CHECKS = ['unreachable', 'too-slow', 'too-large'] as const

/** Why a list cannot be used although nothing is wrong with its content: it was never read, is too old, or the service failed. */
const STATE_CHECKS = ['not-read', 'failed', 'not-confirmed'] as const

/** Every check that the service can name for a list. The console has a sentence for each of them. */
export const TRUST_LIST_CHECKS = [...new Set([...LIST_CHECKS, ...FETCH_CHECKS, ...STATE_CHECKS])] as const

export type FetchCheck = (typeof FETCH_CHECKS)[number]

export type TrustListCheck = (typeof TRUST_LIST_CHECKS)[number]

/** A check as the database has it. A newer version of the service may have stored a check that this one does not know. */
export const listCheckOf = (stored: string): TrustListCheck =>
  TRUST_LIST_CHECKS.find((check) => check === stored) ?? 'failed'
