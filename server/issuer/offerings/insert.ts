import { emptyFragment, type Fragment, fragment, Step } from '../../database/fragment.js'
import type { ClaimsVault, ProtectedClaims } from '../../keys/claims/vault.js'
import type { HashedNames } from '../../names/names.js'
import { namesColumns, namesValues, protectedNames } from '../../names/names-store.js'

/** A new offering. */
export interface NewOffering {
  readonly id: string
  readonly schemaId: string
  readonly issuerId: string
  readonly credentialSubject: Readonly<Record<string, unknown>>
  readonly recipient: string | null
  readonly redemptionLimit: number | null
  readonly expiresAt: Date | null
  readonly createdAt: Date
  /** When the claims are to be erased if nobody redeems the offering; null if they stay. */
  readonly claimsDueAt: Date | null
  /** The names that its creator gave; null without names. */
  readonly names: HashedNames | null
}

/** Optional members of a new offering. An absent member has the default of {@link insertOffering}. */
export interface OfferingTerms {
  /** Ids of the offered configurations. Empty: every configuration of the schema. */
  readonly configurationIds?: readonly string[]
  readonly isSession?: boolean
  /** `pre-authorized_code` or `authorization_code`. */
  readonly grant?: string
  /** The `sub` of the user who may take the offering, or the column that contains the `sub`. */
  readonly forSubject?: string | Fragment | null
  readonly deferred?: boolean
  readonly profile?: string
  /** Days from issuance to expiry. Null: the schema decides. */
  readonly expiresInDays?: number | null
  /** Its credentials are not valid before this time. Null: the schema decides. */
  readonly validFrom?: Date | null
  /** Whether only one authorization may take the offering. */
  readonly ofAuthorization?: boolean
  /** Whether the claims source of the schema is asked for the claims. The subject then has no members. */
  readonly claimsAtIssuance?: boolean
}

/** The columns of a new offering, in the same order in all statements. */
export const insertedColumns = fragment`
  id, schema_id, issuer_id, credential_subject, recipient, redemption_limit, expires_at, created_at,
  configuration_ids, is_session, "grant", for_subject, deferred, profile, of_authorization, claims_due_at, ${namesColumns},
  claims_at_issuance, expires_in_days, valid_from`

/** The subject of an offering in its stored form. */
export const protectedSubject = (
  claims: Pick<ClaimsVault, 'protect'>,
  { id, credentialSubject }: Pick<NewOffering, 'id' | 'credentialSubject'>,
) => claims.protect({ column: 'offerings.credential_subject', id }, credentialSubject)

/** The names of an offering in their stored form. */
export const namesOf = (claims: Pick<ClaimsVault, 'protect'>, { id, names }: Pick<NewOffering, 'id' | 'names'>) =>
  protectedNames(claims, { column: 'offerings.names', id }, names)

/**
 * The step that inserts an offering, with the content key of its subject.
 *
 * @param after a step; the offering is inserted only if this step returns a row
 * @param also claims of other rows that the same statement stores
 */
export function insertOffering(
  claims: ClaimsVault,
  offering: NewOffering & OfferingTerms,
  after?: Step,
  also: readonly ProtectedClaims[] = [],
): Step<'id'> {
  const { configurationIds = [], isSession = false, grant = 'pre-authorized_code', forSubject = null } = offering
  const {
    deferred = false,
    profile = 'final',
    ofAuthorization = false,
    claimsAtIssuance = false,
    expiresInDays = null,
    validFrom = null,
  } = offering
  const subject = protectedSubject(claims, offering)
  const names = namesOf(claims, offering)
  const inserted = new Step<'id'>(
    'offering',
    fragment`
      INSERT INTO offerings (${insertedColumns})
      SELECT ${offering.id}, ${offering.schemaId}, ${offering.issuerId}, ${subject.json}::json,
        ${offering.recipient}, ${offering.redemptionLimit}::int, ${offering.expiresAt}::timestamptz, ${offering.createdAt}::timestamptz,
        ${[...configurationIds]}::text[], ${isSession}::boolean, ${grant}, ${forSubject}, ${deferred}::boolean, ${profile},
        ${ofAuthorization}::boolean, ${offering.claimsDueAt}::timestamptz, ${namesValues(names)}, ${claimsAtIssuance}::boolean,
        ${expiresInDays}::int, ${validFrom}::timestamptz
      ${after === undefined ? emptyFragment : fragment`FROM ${after}`}
      RETURNING id`,
  )
  return inserted.along(...claims.storeKeys([subject, ...names.sealed, ...also], inserted))
}
