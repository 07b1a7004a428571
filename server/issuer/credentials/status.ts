import { type Fragment, fragment } from '../../database/fragment.js'

/** The statuses that a credential on record, and each of its instances, can have. */
export const CREDENTIAL_STATUSES = ['active', 'revoked'] as const

export type CredentialStatus = (typeof CREDENTIAL_STATUSES)[number]

/** The status that the stored columns stand for. */
export const statusOf = ({ revokedAt }: { readonly revokedAt: Date | string | null }): CredentialStatus =>
  revokedAt === null ? 'active' : 'revoked'

/** The same in SQL, for a row of `credentials` in a statement without another table. */
export const statusColumn: Fragment = fragment`CASE WHEN revoked_at IS NULL THEN 'active' ELSE 'revoked' END`

/** The condition of each status in SQL, for a row `c` of `credentials`. */
export const STATUS_CONDITIONS: Readonly<Record<CredentialStatus, Fragment>> = {
  active: fragment`c.revoked_at IS NULL`,
  revoked: fragment`c.revoked_at IS NOT NULL`,
}
