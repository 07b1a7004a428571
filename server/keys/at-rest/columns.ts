/** A secret is encrypted under the key-encryption key itself. Claims have a content key for each row, which that key wraps. */
type Form = 'secret' | 'claims'

/**
 * All columns that are stored in a protected form, each with the column that identifies its rows. A column that is missing here
 * cannot be protected.
 */
const COLUMNS = {
  'keys.private_jwk': { idColumn: 'id', form: 'secret' },
  'secrets.value': { idColumn: 'name', form: 'secret' },
  'wallet_credentials.content': { idColumn: 'id', form: 'secret' },
  'wallet_credential_copies.compact': { idColumn: 'id', form: 'secret' },
  'wallet_credential_copies.private_jwk': { idColumn: 'id', form: 'secret' },
  'wallet_presentations.content': { idColumn: 'id', form: 'secret' },
  'wallet_pending_issuances.content': { idColumn: 'id', form: 'secret' },
  'flows.content': { idColumn: 'id', form: 'secret' },
  'verification_sessions.secrets': { idColumn: 'id', form: 'secret' },
  'authorizations.parameters': { idColumn: 'id', form: 'secret' },
  'authorizations.login': { idColumn: 'id', form: 'secret' },
  'authorizations.user_claims': { idColumn: 'id', form: 'secret' },
  'deferred_issuances.keys': { idColumn: 'transaction_hash', form: 'secret' },
  'console_sessions.content': { idColumn: 'id_hash', form: 'secret' },
  'claims_sources.secret': { idColumn: 'schema_id', form: 'secret' },
  'webhooks.secret': { idColumn: 'id', form: 'secret' },
  'exports.subject': { idColumn: 'id', form: 'secret' },
  'idempotency_keys.answer': { idColumn: 'id', form: 'secret' },
  'credentials.vc': { idColumn: 'id', form: 'claims' },
  'credential_offer_sessions.confidential': { idColumn: 'id', form: 'claims' },
  'offer_batches.confidential': { idColumn: 'id', form: 'claims' },
  'credential_status_jobs.confidential': { idColumn: 'id', form: 'claims' },
  'credentials.status_note': { idColumn: 'id', form: 'claims' },
  'offerings.credential_subject': { idColumn: 'id', form: 'claims' },
  'verification_sessions.result': { idColumn: 'id', form: 'claims' },
  'verification_evidence.evidence': { idColumn: 'id', form: 'claims' },
  'pages.texts': { idColumn: 'id', form: 'claims' },
  'offerings.names': { idColumn: 'id', form: 'claims' },
  'credentials.names': { idColumn: 'id', form: 'claims' },
  'verification_sessions.names': { idColumn: 'id', form: 'claims' },
} as const satisfies Record<string, { readonly idColumn: string; readonly form: Form }>

type Columns = typeof COLUMNS

/** The names of columns of one form. */
type NamesOf<F extends Form> = {
  [Name in keyof Columns]: Columns[Name]['form'] extends F ? Name : never
}[keyof Columns]

/** `table.column` of a column whose values the vault protects. */
export type ProtectedName = NamesOf<'secret'>

/** `table.column` of a column of claims. */
export type ClaimsName = NamesOf<'claims'>

/** The place of a protected value. A value that is encrypted for one place cannot be decrypted in another. */
export interface Place<Name extends ProtectedName | ClaimsName = ProtectedName> {
  readonly column: Name
  /** Id of the row. */
  readonly id: string
}

export interface ProtectedColumn<Name extends ProtectedName | ClaimsName = ProtectedName> {
  readonly name: Name
  readonly table: string
  readonly column: string
  readonly idColumn: string
}

function columnsOf<Name extends ProtectedName | ClaimsName>(form: Form): readonly ProtectedColumn<Name>[] {
  return Object.entries(COLUMNS)
    .filter(([, column]) => column.form === form)
    .map(([name, { idColumn }]) => {
      const [table = '', column = ''] = name.split('.')
      return { name: name as Name, table, column, idColumn }
    })
}

/** The columns of secrets. */
export const PROTECTED_COLUMNS = columnsOf<ProtectedName>('secret')

/** The columns of claims. */
export const CLAIMS_COLUMNS = columnsOf<ClaimsName>('claims')

/** The names of all protected columns. */
export const PROTECTED_NAMES: readonly (ProtectedName | ClaimsName)[] = [...PROTECTED_COLUMNS, ...CLAIMS_COLUMNS].map(
  ({ name }) => name,
)
