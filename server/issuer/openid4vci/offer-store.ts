import type { Database } from '../../database/connect.js'
import { type Fragment, fragment, Step } from '../../database/fragment.js'
import { type Announce, recordedEvents, recordedShape } from '../../events/store.js'
import type { ClaimsVault } from '../../keys/claims/vault.js'
import type { Face } from '../../pages/brand.js'
import { asMdoc, type ClaimNames, type SchemaDisplay } from '../schemas/store.js'
import type { OfferGrant, OfferProfile } from './offer-profile.js'
import { zIssuerDisplay, zOffering, zShownOffering } from './rows.js'
import type { OfferLink } from './sealed.js'
import { movedSession, type StoredSession, sessionColumn, withDates } from './sessions/store.js'

/** An offering for the wallet's endpoints, with its session if it has one. */
export interface WalletOffering {
  readonly offeringId: string
  readonly schemaName: string
  /** Whether the offering's type has mobile documents and the current key of its issuer has a certificate. */
  readonly asMdoc: boolean
  /** Ids of the offered configurations. Empty: every configuration of the schema. */
  readonly offered: readonly string[]
  readonly recipient: string | null
  /** The grant of the offer. */
  readonly grant: OfferGrant
  /** The `sub` of the user who may take the offer; null if anyone may take the offer. */
  readonly forSubject: string | null
  /** The rules of the offer for wallets. */
  readonly profile: OfferProfile
  /** Whether wallets wait for the issuer's decision. */
  readonly deferred: boolean
  /** Whether the claims source of the type is asked when a wallet takes the credential. */
  readonly claimsAtIssuance: boolean
  readonly redemptionLimit: number | null
  readonly redemptionCount: number
  readonly expiresAt: Date | null
  readonly claimsErased: boolean
  readonly session: StoredSession | null
}

/** The data of an offer that a person sees before deciding. */
export interface ConsentContext {
  readonly schemaName: string
  readonly schemaTitle: string | null
  readonly schemaDisplay: readonly SchemaDisplay[] | null
  readonly schemaBody: Readonly<Record<string, unknown>>
  readonly schemaClaims: readonly ClaimNames[] | null
  readonly issuerDisplay: Face['display']
  readonly credentialSubject: Readonly<Record<string, unknown>>
  /** Whether the issuer decides later about the claims. */
  readonly deferred: boolean
  /** Whether the claims are not known yet. */
  readonly claimsAtIssuance: boolean
}

/** An offering with the data that a person sees before deciding. */
export type ShownOffering = WalletOffering & ConsentContext

/** The columns of an offer. `offeringJoins` has the tables. */
export const offeringColumns = fragment`
  o.id AS "offeringId", s.name AS "schemaName", ${asMdoc} AS "asMdoc", o.configuration_ids AS offered, o.recipient, o."grant",
  o.for_subject AS "forSubject", o.profile, o.deferred, o.claims_at_issuance AS "claimsAtIssuance",
  o.redemption_limit AS "redemptionLimit", o.redemption_count AS "redemptionCount", o.expires_at AS "expiresAt",
  o.claims_erased_at IS NOT NULL AS "claimsErased", ${sessionColumn}`

/** The columns of {@link ShownOffering}, from offerings `o`, schemas `s`, issuers `i` and sessions `x`. */
const shownColumnsWith = (claims: ClaimsVault) => fragment`
  ${offeringColumns}, s.title AS "schemaTitle", s.display AS "schemaDisplay", s.body AS "schemaBody",
  s.claims AS "schemaClaims", i.display AS "issuerDisplay", o.credential_subject AS "credentialSubject",
  ${claims.keyOf('offerings.credential_subject', fragment`o.id`)} AS "subjectKey"`

const shownTables = fragment`
  offerings o JOIN schemas s ON s.id = o.schema_id JOIN issuers i ON i.id = o.issuer_id
  LEFT JOIN credential_offer_sessions x ON x.id = o.id`

/** Condition: an offering `o` has claims, has not expired and has a redemption left. */
export const redeemable = (now: Date): Fragment => fragment`
  o.claims_erased_at IS NULL AND (o.redemption_limit IS NULL OR o.redemption_count < o.redemption_limit) AND (o.expires_at IS NULL OR o.expires_at > ${now})`

const offeringTables = fragment`
  offerings o JOIN schemas s ON s.id = o.schema_id LEFT JOIN credential_offer_sessions x ON x.id = o.id`

/**
 * Joins the offer with an id, its schema and its session. An offer whose session was removed gives no row.
 */
export const offeringJoins = (id: Fragment) => fragment`
  JOIN offerings o ON o.id = ${id} JOIN schemas s ON s.id = o.schema_id
  LEFT JOIN credential_offer_sessions x ON x.id = o.id
  JOIN LATERAL (SELECT 1 WHERE o.is_session = (x.id IS NOT NULL)) kept ON true`

/** An offering with its subject in its stored form. */
interface WithStoredSubject {
  readonly offeringId: string
  readonly credentialSubject: unknown
  readonly subjectKey: string | null
}

/**
 * Decrypts the subject of an offering.
 *
 * @throws SecretError if it cannot be decrypted
 */
export function revealedSubject<Row extends WithStoredSubject>(claims: Pick<ClaimsVault, 'reveal'>, row: Row) {
  const { credentialSubject, subjectKey, ...offering } = row
  const place = { column: 'offerings.credential_subject', id: row.offeringId } as const
  const subject = claims.reveal<Readonly<Record<string, unknown>>>(place, credentialSubject, subjectKey)
  return { ...offering, credentialSubject: subject ?? {} }
}

const zFetched = zOffering.extend(recordedShape)

/** Reads offers for wallets and their users. */
export function createOfferStore({ sql }: Database, claims: ClaimsVault, announce: Announce) {
  const shownColumns = shownColumnsWith(claims)
  return {
    async offering(id: string): Promise<WalletOffering | undefined> {
      const [row] = await sql(zOffering)`
        SELECT ${offeringColumns} FROM ${offeringTables} WHERE o.id = ${id} AND o.is_session = (x.id IS NOT NULL)`
      return row === undefined ? undefined : withDates(row)
    },

    /**
     * Reads an offering for a wallet that fetches it. If the offering is open, the same statement moves its session.
     * The result is the state before this change.
     *
     * @param codes whether pre-authorized codes are issued; if not, an offer with a pre-authorized code is not open
     */
    async fetchedOffering(
      { offeringId: id, linkNumber }: OfferLink,
      codes: boolean,
      now: Date,
    ): Promise<WalletOffering | undefined> {
      const open = new Step(
        'open',
        fragment`
          SELECT 1 FROM offerings o LEFT JOIN credential_offer_sessions x ON x.id = o.id
          WHERE o.id = ${id} AND ${redeemable(now)} AND (${codes}::boolean OR o."grant" = 'authorization_code')
            AND COALESCE(x.link_number, 0) = ${linkNumber}::int`,
      )
      const transitions = movedSession({ id, state: 'OfferRetrieved', errorMessage: null }, now, open)
      const [row] = await sql(zFetched)`
        SELECT ${offeringColumns}, ${recordedEvents(transitions)} FROM ${offeringTables}
        WHERE o.id = ${id} AND o.is_session = (x.id IS NOT NULL)`
      if (row === undefined) return undefined
      const { recorded, ...offering } = row
      announce(recorded)
      return withDates(offering)
    },

    /** An offer with the data that a person sees before deciding. */
    async shownOffering(id: string): Promise<ShownOffering | undefined> {
      const [row] = await sql(zShownOffering)`
        SELECT ${shownColumns} FROM ${shownTables}
        WHERE o.id = ${id} AND o.is_session = (x.id IS NOT NULL)`
      return row === undefined ? undefined : revealedSubject(claims, withDates(row))
    },

    /** The newest open offer that was made for a user and contains at least one of the configurations. */
    async newestOfferingFor(
      sub: string,
      configurationIds: readonly string[],
      now: Date,
    ): Promise<ShownOffering | undefined> {
      const [row] = await sql(zShownOffering)`
        SELECT ${shownColumns} FROM ${shownTables}
        WHERE o.for_subject = ${sub} AND NOT o.of_authorization AND o.is_session = (x.id IS NOT NULL)
          AND ${redeemable(now)} AND x.state IS DISTINCT FROM 'Error'
          AND o.configuration_ids && ${[...configurationIds]}::text[]
        ORDER BY o.created_at DESC, o.id DESC LIMIT 1`
      return row === undefined ? undefined : revealedSubject(claims, withDates(row))
    },

    /** The display names of an issuer; null for an issuer without display names. */
    async issuerDisplay(issuerId: string): Promise<ConsentContext['issuerDisplay']> {
      const [row] = await sql(zIssuerDisplay)`SELECT display FROM issuers WHERE id = ${issuerId}`
      return row?.display ?? null
    },
  }
}
