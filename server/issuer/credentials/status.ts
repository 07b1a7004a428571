import { type Fragment, fragment } from '../../database/fragment.js'

/** The statuses of a stored credential and of its instances. */
export const CREDENTIAL_STATUSES = ['active', 'revoked'] as const

export type CredentialStatus = (typeof CREDENTIAL_STATUSES)[number]

/** The status of a stored credential or instance. */
export const statusOf = ({ revokedAt }: { readonly revokedAt: Date | string | null }): CredentialStatus =>
  revokedAt === null ? 'active' : 'revoked'

/** The status as an SQL column, for a statement that reads only the table `credentials`. */
export const statusColumn: Fragment = fragment`CASE WHEN revoked_at IS NULL THEN 'active' ELSE 'revoked' END`

/** The condition of each status in SQL, for a row `c` of `credentials`. */
export const STATUS_CONDITIONS: Readonly<Record<CredentialStatus, Fragment>> = {
  active: fragment`c.revoked_at IS NULL`,
  revoked: fragment`c.revoked_at IS NOT NULL`,
}
