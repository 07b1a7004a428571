/**
 * All columns that are stored in the protected form of private keys, each with the column that identifies its rows. A column that is
 * missing here cannot be protected.
 */
const ID_COLUMNS = {
  'keys.private_jwk': 'id',
  'secrets.value': 'name',
  'wallet_credentials.content': 'id',
  'wallet_credential_copies.compact': 'id',
  'wallet_credential_copies.private_jwk': 'id',
  'wallet_presentations.content': 'id',
  'wallet_pending_issuances.content': 'id',
  'flows.content': 'id',
  'verification_sessions.secrets': 'id',
  'authorizations.parameters': 'id',
  'authorizations.login': 'id',
  'authorizations.user_claims': 'id',
  'deferred_issuances.keys': 'transaction_hash',
  'console_sessions.content': 'id_hash',
  'exports.subject': 'id',
} as const

/** `table.column` of a column whose values the vault protects. */
export type ProtectedName = keyof typeof ID_COLUMNS

/** The place of a protected value. A value that is encrypted for one place cannot be decrypted in another. */
export interface Place {
  readonly column: ProtectedName
  /** Id of the row. */
  readonly id: string
}

export interface ProtectedColumn {
  readonly name: ProtectedName
  readonly table: string
  readonly column: string
  readonly idColumn: string
}

export const PROTECTED_COLUMNS: readonly ProtectedColumn[] = (
  Object.entries(ID_COLUMNS) as [ProtectedName, string][]
).map(([name, idColumn]) => {
  const [table = '', column = ''] = name.split('.')
  return { name, table, column, idColumn }
})
