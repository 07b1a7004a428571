import type { Database } from '../../database/connect.js'
import { type Fragment, fragment, Step } from '../../database/fragment.js'
import { type Announce, recordedEvents, recordedShape } from '../../events/store.js'
import { asMdoc, type ClaimNames, type SchemaDisplay } from '../schemas/store.js'
import type { OfferGrant, OfferProfile } from './offer-profile.js'
import { zIssuerDisplay, zOffering, zShownOffering } from './rows.js'
import { movedSession, type StoredSession, sessionColumn, withDates } from './sessions/store.js'

/** An offering as a wallet meets it, with its session where it has one. */
export interface WalletOffering {
  readonly offeringId: string
  readonly schemaName: string
  /** Whether its type has mobile documents, and is issued by the default issuer: no other has a certificate. */
  readonly asMdoc: boolean
  /** Empty: every configuration of the schema. */
  readonly offered: readonly string[]
  readonly recipient: string | null
  /** The grant that wallets are offered. */
  readonly grant: OfferGrant
  /** The `sub` of the user whom it is for; null where anyone who has the offer may take it. */
  readonly forSubject: string | null
  /** What the offer asks of wallets. */
  readonly profile: OfferProfile
  /** Whether wallets wait until somebody has decided what they get. */
  readonly deferred: boolean
  readonly redemptionLimit: number | null
  readonly redemptionCount: number
  readonly expiresAt: Date | null
  readonly session: StoredSession | null
}

/** What a person is shown before they decide over an offer. */
export interface ConsentContext {
  readonly schemaName: string
  readonly schemaTitle: string | null
  readonly schemaDisplay: readonly SchemaDisplay[] | null
  readonly schemaBody: Readonly<Record<string, unknown>>
  readonly schemaClaims: readonly ClaimNames[] | null
  readonly issuerDisplay: readonly { readonly name: string }[] | null
  readonly credentialSubject: Readonly<Record<string, unknown>>
  /** Whether the issuer decides later what the credential holds. */
  readonly deferred: boolean
}

/** An offering with what a person is shown before they decide over it. */
export type ShownOffering = WalletOffering & ConsentContext

/** The columns of an offer, of which `offeringJoins` has the tables. */
export const offeringColumns = fragment`
  o.id AS "offeringId", s.name AS "schemaName", ${asMdoc} AS "asMdoc", o.configuration_ids AS offered, o.recipient, o."grant",
  o.for_subject AS "forSubject", o.profile, o.deferred,
  o.redemption_limit AS "redemptionLimit", o.redemption_count AS "redemptionCount", o.expires_at AS "expiresAt", ${sessionColumn}`

/** The columns of an offer with what a person is shown of it, of offerings `o`, schemas `s`, issuers `i` and their sessions `x`. */
const shownColumns = fragment`
  ${offeringColumns}, s.title AS "schemaTitle", s.display AS "schemaDisplay", s.body AS "schemaBody",
  s.claims AS "schemaClaims", i.display AS "issuerDisplay", o.credential_subject AS "credentialSubject"`

const shownTables = fragment`
  offerings o JOIN schemas s ON s.id = o.schema_id JOIN issuers i ON i.id = o.issuer_id
  LEFT JOIN credential_offer_sessions x ON x.id = o.id`

/** That an offering `o` has not expired, and another redemption of it may be made. */
export const redeemable = (now: Date): Fragment => fragment`
  (o.redemption_limit IS NULL OR o.redemption_count < o.redemption_limit) AND (o.expires_at IS NULL OR o.expires_at > ${now})`

const offeringTables = fragment`
  offerings o JOIN schemas s ON s.id = o.schema_id LEFT JOIN credential_offer_sessions x ON x.id = o.id`

/** The offer with an id, with its schema and session, joined to what has the id; none whose session was removed. */
export const offeringJoins = (id: Fragment) => fragment`
  JOIN offerings o ON o.id = ${id} JOIN schemas s ON s.id = o.schema_id
  LEFT JOIN credential_offer_sessions x ON x.id = o.id
  JOIN LATERAL (SELECT 1 WHERE o.is_session = (x.id IS NOT NULL)) kept ON true`

const zFetched = zOffering.extend(recordedShape)

/** Offers as wallets and their users meet them. */
export function createOfferStore({ sql }: Database, announce: Announce) {
  return {
    async offering(id: string): Promise<WalletOffering | undefined> {
      const [row] = await sql(zOffering)`
        SELECT ${offeringColumns} FROM ${offeringTables} WHERE o.id = ${id} AND o.is_session = (x.id IS NOT NULL)`
      return row === undefined ? undefined : withDates(row)
    },

    /**
     * An offering that a wallet fetches, as it was before. Where it is open, its session moves on in the same statement.
     *
     * @param codes whether pre-authorized codes are given; an offer of one is not open otherwise.
     */
    async fetchedOffering(id: string, codes: boolean, now: Date): Promise<WalletOffering | undefined> {
      const open = new Step(
        'open',
        fragment`
          SELECT 1 FROM offerings o
          WHERE o.id = ${id} AND ${redeemable(now)} AND (${codes}::boolean OR o."grant" = 'authorization_code')`,
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

    /** An offer as a person decides over it. */
    async shownOffering(id: string): Promise<ShownOffering | undefined> {
      const [row] = await sql(zShownOffering)`
        SELECT ${shownColumns} FROM ${shownTables} WHERE o.id = ${id} AND o.is_session = (x.id IS NOT NULL)`
      return row === undefined ? undefined : withDates(row)
    },

    /** The newest open offer that was made for a user and has one of some configurations. */
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
      return row === undefined ? undefined : withDates(row)
    },

    /** How an issuer is called; null where nothing is said of it. */
    async issuerDisplay(issuerId: string): Promise<ConsentContext['issuerDisplay']> {
      const [row] = await sql(zIssuerDisplay)`SELECT display FROM issuers WHERE id = ${issuerId}`
      return row?.display ?? null
    },
  }
}
