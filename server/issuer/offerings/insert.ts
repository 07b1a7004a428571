import { emptyFragment, type Fragment, fragment, Step } from '../../database/fragment.js'

/** An offering that is made. What is absent is as the table has it by default. */
export interface NewOffering {
  readonly id: string
  readonly schemaId: string
  readonly issuerId: string
  readonly credentialSubject: Readonly<Record<string, unknown>>
  readonly recipient: string | null
  readonly redemptionLimit: number | null
  readonly expiresAt: Date | null
  readonly createdAt: Date
}

/** What an offering may have beside. */
export interface OfferingTerms {
  /** Empty: every configuration of the schema. */
  readonly configurationIds?: readonly string[]
  readonly isSession?: boolean
  /** `pre-authorized_code` or `authorization_code`. */
  readonly grant?: string
  /** The `sub` of the user whom it is for, or the column that has it. */
  readonly forSubject?: string | Fragment | null
  readonly deferred?: boolean
  readonly profile?: string
  /** Whether one authorization alone takes it. */
  readonly ofAuthorization?: boolean
}

/** The columns of an offering that is made, in the order in which all statements give them. */
export const insertedColumns = fragment`
  id, schema_id, issuer_id, credential_subject, recipient, redemption_limit, expires_at, created_at,
  configuration_ids, is_session, "grant", for_subject, deferred, profile, of_authorization`

/**
 * The step that makes an offering.
 *
 * @param after a step that must have a row, or nothing is made
 */
export function insertOffering(offering: NewOffering & OfferingTerms, after?: Step): Step<'id'> {
  const { configurationIds = [], isSession = false, grant = 'pre-authorized_code', forSubject = null } = offering
  const { deferred = false, profile = 'final', ofAuthorization = false } = offering
  return new Step(
    'offering',
    fragment`
      INSERT INTO offerings (${insertedColumns})
      SELECT ${offering.id}, ${offering.schemaId}, ${offering.issuerId}, ${JSON.stringify(offering.credentialSubject)}::json,
        ${offering.recipient}, ${offering.redemptionLimit}::int, ${offering.expiresAt}::timestamptz, ${offering.createdAt}::timestamptz,
        ${[...configurationIds]}::text[], ${isSession}::boolean, ${grant}, ${forSubject}, ${deferred}::boolean, ${profile},
        ${ofAuthorization}::boolean
      ${after === undefined ? emptyFragment : fragment`FROM ${after}`}
      RETURNING id`,
  )
}
