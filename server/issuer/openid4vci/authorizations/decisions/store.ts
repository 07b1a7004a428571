import { z } from 'zod'
import type { Database } from '../../../../database/connect.js'
import { emptyFragment, type Fragment, fragment } from '../../../../database/fragment.js'
import { idRow } from '../../../../database/row-shapes.js'
import { type Announce, recordedEvents, recordedShape } from '../../../../events/store.js'
import { redeemable } from '../../offers/store.js'
import type { CredentialOfferSession } from '../../sessions/session.js'
import { movedSession, steppedSession } from '../../sessions/store.js'
import { TX_CODE_ATTEMPTS } from '../../tx-code.js'
import { from } from '../store.js'

/** A code that is given for an offering. */
interface GivenCode {
  readonly id: string
  readonly browserHash: string
  readonly codeHash: string
  readonly codeExpiresAt: Date
  readonly offeringId: string
  readonly now: Date
}

export interface Grant extends GivenCode {
  /** The offering where it is made only now: for this authorization, with one redemption. */
  readonly made?: MadeOffering | undefined
  /** The offer's session, moved to Authorized; null where it has none. */
  readonly session: CredentialOfferSession | null
}

/** A code for an offer that is there, and what the offer may ask of users and wallets here. */
export interface OfferGrant extends GivenCode {
  /** Whether every offer is for attested wallets; else those under HAIP 1.0 are. */
  readonly attestedOnly: boolean
  /** Whether users are known by DIDs, so that an offer for one of them is theirs alone. */
  readonly usersHaveDids: boolean
}

export interface MadeOffering {
  readonly schemaId: string
  readonly issuerId: string
  readonly credentialSubject: Readonly<Record<string, unknown>>
  readonly configurationIds: readonly string[]
  readonly expiresAt: Date
}

/** `made`: the offering of a grant, where it is made only now. */
function madeOffering({ offeringId, made, now }: Grant): Fragment {
  if (made === undefined) return emptyFragment
  return fragment`
    made AS (
      INSERT INTO offerings (id, schema_id, issuer_id, credential_subject, redemption_limit, expires_at, created_at,
        configuration_ids, "grant", for_subject, of_authorization)
      SELECT ${offeringId}, ${made.schemaId}, ${made.issuerId}, ${JSON.stringify(made.credentialSubject)}::json, 1,
        ${made.expiresAt}, ${now}, ${[...made.configurationIds]}::text[], 'authorization_code', user_sub, true
      FROM granted),
    offering_audited AS (
      INSERT INTO audit_events (actor, action, subject, subject_id)
      SELECT user_sub, 'offering.created', 'offering', ${offeringId} FROM granted),`
}

const zDecided = z.strictObject({ parameters: z.string() })

const zGrantedOffer = zDecided.extend(recordedShape)

const zGranted = idRow.extend(recordedShape)

/** `offer`: an offering that is open. */
const openOffer = ({ offeringId, now }: OfferGrant): Fragment => fragment`
  offer AS (
    SELECT o.id, o.for_subject, o.recipient, o.profile FROM offerings o LEFT JOIN credential_offer_sessions x ON x.id = o.id
    WHERE o.id = ${offeringId} AND o.is_session = (x.id IS NOT NULL)
      AND ${redeemable(now)}
      AND (x.id IS NULL OR (x.state <> 'Error' AND x.tx_code_attempts < ${TX_CODE_ATTEMPTS}::int)))`

/** Whether the offer in `offer` is for the user and the wallet of an authorization `a`. */
const isForThem = ({ attestedOnly, usersHaveDids }: OfferGrant): Fragment => fragment`
  (a.instance_jkt IS NOT NULL OR NOT (${attestedOnly} OR offer.profile = 'haip'))
  AND (offer.for_subject IS NULL OR offer.for_subject = a.user_sub)
  AND (offer.recipient IS NULL OR NOT ${usersHaveDids} OR offer.recipient = ANY(a.user_dids))`

const audited = (offeringId: string): Fragment => fragment`
  audited AS (
    INSERT INTO audit_events (actor, action, subject, subject_id)
    SELECT user_sub, 'authorization.granted', 'offering', ${offeringId} FROM granted)`

export type DecisionStore = ReturnType<typeof createDecisionStore>

export function createDecisionStore({ sql }: Database, announce: Announce) {
  return {
    /** Gives a code, once; the offer's session and the audit row go with it. @returns false where it was decided before. */
    async grant(grant: Grant): Promise<boolean> {
      const { id, browserHash, codeHash, codeExpiresAt, offeringId, session, now } = grant
      const rows = await sql(zGranted)`
        WITH granted AS (
          UPDATE authorizations SET state = 'Granted', code_hash = ${codeHash}, code_expires_at = ${codeExpiresAt},
            offering_id = ${offeringId}, user_claims = NULL
          WHERE id = ${id} AND browser_hash = ${browserHash} AND expires_at > ${now} AND ${from('Granted')}
          RETURNING id, user_sub),
        ${madeOffering(grant)}
        ${movedSession(session, now, fragment`SELECT 1 FROM granted`)},
        ${audited(offeringId)}
        SELECT id, ${recordedEvents} FROM granted`
      announce(rows[0]?.recorded)
      return rows.length > 0
    },

    /** @returns false where it was decided before. */
    async deny(id: string, browserHash: string, now: Date): Promise<boolean> {
      const rows = await sql(idRow)`
        UPDATE authorizations SET state = 'Denied', user_claims = NULL
        WHERE id = ${id} AND browser_hash = ${browserHash} AND expires_at > ${now} AND ${from('Denied')} RETURNING id`
      return rows.length > 0
    },

    /**
     * Gives a code for an offer, once, where the offer is open and for this user; its session and the audit row go with it.
     *
     * @returns the request as the vault protects it; undefined where no code was given.
     */
    async grantOffer(grant: OfferGrant): Promise<string | undefined> {
      const { id, browserHash, codeHash, codeExpiresAt, offeringId, now } = grant
      const [row] = await sql(zGrantedOffer)`
        WITH ${openOffer(grant)},
        granted AS (
          UPDATE authorizations a SET state = 'Granted', code_hash = ${codeHash}, code_expires_at = ${codeExpiresAt},
            offering_id = offer.id, user_claims = NULL
          FROM offer
          WHERE a.id = ${id} AND a.browser_hash = ${browserHash} AND a.expires_at > ${now} AND ${from('Granted')}
            AND ${isForThem(grant)}
          RETURNING a.user_sub, a.parameters),
        ${steppedSession(offeringId, 'Authorized', now, fragment`SELECT 1 FROM granted`)},
        ${audited(offeringId)}
        SELECT parameters, ${recordedEvents} FROM granted`
      announce(row?.recorded)
      return row?.parameters
    },

    /** A user who is known declines. @returns as above; undefined where nothing was left to decide. */
    async decline(id: string, browserHash: string, now: Date): Promise<string | undefined> {
      const [row] = await sql(zDecided)`
        UPDATE authorizations SET state = 'Denied', user_claims = NULL
        WHERE id = ${id} AND browser_hash = ${browserHash} AND expires_at > ${now} AND state = 'SignedIn'
        RETURNING parameters`
      return row?.parameters
    },
  }
}
