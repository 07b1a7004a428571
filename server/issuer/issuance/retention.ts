import type { Config } from '../../config/config.js'

/**
 * How long claims are stored.
 *
 * - `never`: no time ends their storage.
 * - `untilIssued`: until the credential is issued.
 * - `days`: this number of days after the credential is issued.
 */
export type ClaimsRetention = 'never' | 'untilIssued' | { readonly days: number }

/** How long a type stores the claims and the records of its credentials. */
export interface Retention {
  readonly claims: ClaimsRetention
  /** The record is removed this number of days after its last instance. Without it, records stay. */
  readonly record?: { readonly days: number } | undefined
}

/** The parts of a type and of the configuration that decide about retention. */
export interface Retained {
  readonly retention: Retention | null
}

/** When claims are to be erased and a record is to be removed; null for no such time. */
export interface DueTimes {
  readonly claimsDueAt: Date | null
  readonly recordDueAt: Date | null
}

export type RetentionConfig = Pick<Config, 'retentionClaimsDays'>

const DAY_MS = 24 * 60 * 60 * 1000

const daysAfter = (moment: Date, days: number): Date => new Date(moment.getTime() + days * DAY_MS)

function claimsRetentionOf({ retention }: Retained, { retentionClaimsDays }: RetentionConfig): ClaimsRetention {
  if (retention !== null) return retention.claims
  return retentionClaimsDays === undefined ? 'never' : { days: retentionClaimsDays }
}

/** How long the claims of a credential are stored. The removal of its record ends the storage too. */
export function claimsStored(type: Retained, config: RetentionConfig): ClaimsRetention {
  const claims = claimsRetentionOf(type, config)
  const record = type.retention?.record
  if (record === undefined || claims === 'untilIssued') return claims
  return { days: claims === 'never' ? record.days : Math.min(claims.days, record.days) }
}

/**
 * When claims are to be erased; null if they stay.
 *
 * @param issuedAt when the credential is issued, or its offering closes
 * @param takenUntil when the issuance ends, for `untilIssued`: a wallet takes its credentials in several requests
 */
export function claimsDueAt(
  type: Retained,
  config: RetentionConfig,
  issuedAt: Date,
  takenUntil = issuedAt,
): Date | null {
  const claims = claimsRetentionOf(type, config)
  if (claims === 'never') return null
  return claims === 'untilIssued' ? takenUntil : daysAfter(issuedAt, claims.days)
}

/** The due times of a credential with an instance issued at a moment. @param takenUntil as in {@link claimsDueAt} */
export const dueTimes = (type: Retained, config: RetentionConfig, issuedAt: Date, takenUntil?: Date): DueTimes => ({
  claimsDueAt: claimsDueAt(type, config, issuedAt, takenUntil),
  recordDueAt: type.retention?.record === undefined ? null : daysAfter(issuedAt, type.retention.record.days),
})

/** When the claims of an offering are to be erased if nobody redeems it; null if they stay. */
export const offeredClaimsDueAt = (type: Retained, config: RetentionConfig, expiresAt: Date | null): Date | null =>
  expiresAt === null ? null : claimsDueAt(type, config, expiresAt)

/** The reason why a type cannot have a retention; undefined if it can. */
export function retentionFault(retention: Retention, expiresInDays: number | undefined): string | undefined {
  const { record } = retention
  if (record === undefined) return undefined
  if (expiresInDays === undefined)
    return 'retention.record needs expiresInDays: without it the credentials do not expire, and their status entries must stay'
  if (record.days >= expiresInDays) return undefined
  return (
    `retention.record.days (${record.days}) must not be less than expiresInDays (${expiresInDays}): ` +
    'status entries must stay as long as the credentials are valid'
  )
}
