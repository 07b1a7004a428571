import { type Fragment, fragment } from '../../database/fragment.js'

/** The statuses of a stored credential and of its instances. */
export const CREDENTIAL_STATUSES = ['active', 'suspended', 'expired', 'revoked'] as const

export type CredentialStatus = (typeof CREDENTIAL_STATUSES)[number]

/** The changes of a status by operators: active ↔ suspended → revoked. A revoked credential stays revoked. */
export const STATUS_CHANGES = ['suspend', 'reinstate', 'revoke'] as const

export type StatusChange = (typeof STATUS_CHANGES)[number]

/** The reasons for a change. The first four are names of RFC 5280 §5.3.1. */
export const STATUS_REASONS = [
  'keyCompromise',
  'superseded',
  'cessation',
  'privilegeWithdrawn',
  'holderRequest',
  'other',
] as const

export type StatusReason = (typeof STATUS_REASONS)[number]

/** The columns of a status. A credential that was suspended before it was revoked has both times. */
export interface StatusTimes {
  readonly revokedAt: Date | string | null
  readonly suspendedAt: Date | string | null
  /** When the maintenance job recorded the expiry; null before. An instance has no such time. */
  readonly expiredAt?: Date | string | null
}

/** The status of a stored credential or instance. */
export function statusOf({ revokedAt, suspendedAt, expiredAt = null }: StatusTimes): CredentialStatus {
  if (revokedAt !== null) return 'revoked'
  if (expiredAt !== null) return 'expired'
  return suspendedAt === null ? 'active' : 'suspended'
}

/** The status as an SQL column, for a statement that reads only the table `credentials`. */
export const statusColumn: Fragment = fragment`
  CASE WHEN revoked_at IS NOT NULL THEN 'revoked' WHEN expired_at IS NOT NULL THEN 'expired' WHEN suspended_at IS NOT NULL THEN 'suspended' ELSE 'active' END`

/** The condition of each status in SQL, for a row `c` of `credentials`. */
export const STATUS_CONDITIONS: Readonly<Record<CredentialStatus, Fragment>> = {
  active: fragment`c.revoked_at IS NULL AND c.suspended_at IS NULL AND c.expired_at IS NULL`,
  suspended: fragment`c.suspended_at IS NOT NULL AND c.revoked_at IS NULL AND c.expired_at IS NULL`,
  expired: fragment`c.expired_at IS NOT NULL AND c.revoked_at IS NULL`,
  revoked: fragment`c.revoked_at IS NOT NULL`,
}

/** The condition of active, suspended and expired credentials together, which have one index. */
export const NOT_REVOKED: Fragment = fragment`c.revoked_at IS NULL`
