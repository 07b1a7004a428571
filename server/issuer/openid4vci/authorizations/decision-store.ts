import { z } from 'zod'
import type { AuditAction } from '../../../database/audit-actions.js'
import { audited } from '../../../database/audited.js'
import type { Database } from '../../../database/connect.js'
import { type Fragment, fragment, Step } from '../../../database/fragment.js'
import { idRow } from '../../../database/row-shapes.js'
import { type Announce, recordedEvents, recordedShape } from '../../../events/store.js'
import type { ClaimsVault } from '../../../keys/claims/vault.js'
import { insertOffering } from '../../offerings/insert.js'
import { redeemable } from '../offer-store.js'
import { sessionView } from '../sessions/session.js'
import { movedSession } from '../sessions/store.js'
import { TX_CODE_ATTEMPTS } from '../tx-code.js'
import { type AuthorizationState, sourcesOf } from './authorization.js'
import { from } from './store.js'

/** A code for an offering. */
interface GivenCode {
  readonly id: string
  readonly browserHash: string
  readonly codeHash: string
  readonly codeExpiresAt: Date
  readonly offeringId: string
  readonly now: Date
}

/** A code for an offering that is made with the code. The offering is for this authorization and has one redemption. */
export interface MadeGrant extends GivenCode {
  readonly made: MadeOffering
}

/** A code for an existing offer, with the conditions on users and wallets. */
export interface OfferGrant extends GivenCode {
  /** Whether every offer is for attested wallets. If not, only offers under HAIP 1.0 are for attested wallets. */
  readonly attestedOnly: boolean
  /** Whether users have known DIDs. If so, an offer for a DID is only for the user with this DID. */
  readonly usersHaveDids: boolean
}

export interface MadeOffering {
  readonly schemaId: string
  readonly issuerId: string
  readonly credentialSubject: Readonly<Record<string, unknown>>
  /** Whether the claims source of the type is asked for the claims. The offering then has a session, so a wallet can wait. */
  readonly claimsAtIssuance: boolean
  readonly configurationIds: readonly string[]
  readonly expiresAt: Date
  readonly claimsDueAt: Date | null
}

/** The step that inserts the offering of a grant. */
const madeOffering = (claims: ClaimsVault, { offeringId, made, now }: MadeGrant, granted: Granted): Step<'id'> =>
  insertOffering(
    claims,
    {
      ...made,
      id: offeringId,
      recipient: null,
      names: null,
      redemptionLimit: 1,
      createdAt: now,
      grant: 'authorization_code',
      forSubject: granted.column('user_sub'),
      ofAuthorization: true,
      isSession: made.claimsAtIssuance,
    },
    granted,
  )

/**
 * The step that inserts the session of a made offering. It belongs to the owner of the type, who decides if the wallet has to
 * wait.
 */
function madeSession({ offeringId, made, now }: MadeGrant, offering: Step<'id'>): Step {
  const { schemaId, issuerId, configurationIds, expiresAt } = made
  const first = { id: offeringId, state: 'Authorized', issuerId, configurationIds, createdAt: now, expiresAt } as const
  const view = sessionView({ ...first, createdBy: '', errorMessage: null, deferred: null })
  return new Step(
    'session',
    fragment`
      INSERT INTO credential_offer_sessions (id, created_by, state, created_at, expires_at, first_view)
      SELECT ${offering.column('id')}, t.created_by, ${first.state}, ${now}::timestamptz, ${expiresAt}::timestamptz, ${JSON.stringify(view)}::jsonb
      FROM ${offering}, schemas s JOIN credential_types t ON t.name = s.name WHERE s.id = ${schemaId}`,
  )
}

const zDenied = z.strictObject({ parameters: z.string() })

const zGrantedOffer = zDenied.extend(recordedShape)

type Granted = Step<'user_sub'>
type OpenOffer = Step<'id' | 'for_subject' | 'recipient' | 'profile' | 'claims_at_issuance'>

/** The step that reads an offering if it is open. */
const openOffer = ({ offeringId, now }: OfferGrant): OpenOffer =>
  new Step<'id' | 'for_subject' | 'recipient' | 'profile' | 'claims_at_issuance'>(
    'offer',
    fragment`
      SELECT o.id, o.for_subject, o.recipient, o.profile, o.claims_at_issuance FROM offerings o LEFT JOIN credential_offer_sessions x ON x.id = o.id
      WHERE o.id = ${offeringId} AND o.is_session = (x.id IS NOT NULL)
        AND ${redeemable(now)}
        AND (x.id IS NULL OR (x.state <> 'Error' AND x.tx_code_attempts < ${TX_CODE_ATTEMPTS}::int))`,
  )

/** Condition: an offer is for the user and the wallet of an authorization `a`. */
const isForThem = (offer: OpenOffer, { attestedOnly, usersHaveDids }: OfferGrant): Fragment => fragment`
  (a.instance_jkt IS NOT NULL OR NOT (${attestedOnly} OR ${offer.column('profile')} = 'haip'))
  AND (${offer.column('for_subject')} IS NULL OR ${offer.column('for_subject')} = a.user_sub)
  AND (${offer.column('recipient')} IS NULL OR NOT ${usersHaveDids} OR ${offer.column('recipient')} = ANY(a.user_dids))`

const auditedGrant = (action: AuditAction, granted: Granted, offeringId: string, name?: string): Step =>
  audited({
    of: granted,
    actor: granted.column('user_sub'),
    action,
    subject: 'offering',
    subjectId: offeringId,
    ...(name === undefined ? {} : { name }),
  })

export type DecisionStore = ReturnType<typeof createDecisionStore>

export function createDecisionStore({ sql }: Database, claims: ClaimsVault, announce: Announce) {
  return {
    /** Stores a code and its new offering, once. @returns false if the request was decided before. */
    async grantMade(grant: MadeGrant): Promise<boolean> {
      const { id, browserHash, codeHash, codeExpiresAt, offeringId, now } = grant
      const granted = new Step<'id' | 'user_sub'>(
        'granted',
        fragment`
          UPDATE authorizations SET state = 'Granted', code_hash = ${codeHash}, code_expires_at = ${codeExpiresAt},
            offering_id = ${offeringId}, user_claims = CASE WHEN ${grant.made.claimsAtIssuance}::boolean THEN user_claims END
          WHERE id = ${id} AND browser_hash = ${browserHash} AND expires_at > ${now} AND ${from('Granted')}
          RETURNING id, user_sub`,
      )
      const offering = madeOffering(claims, grant, granted)
      const rows = await sql(idRow, [
        offering,
        ...(grant.made.claimsAtIssuance ? [madeSession(grant, offering)] : []),
        auditedGrant('offering.created', granted, offeringId, 'audited_offering'),
        auditedGrant('authorization.granted', granted, offeringId),
      ])`SELECT id FROM ${granted}`
      return rows.length > 0
    },

    /**
     * Stores a code for an offer once, if the offer is open and for this user. The same statement moves the session and writes
     * the audit row.
     *
     * @returns the request, encrypted by the vault; undefined if no code was stored.
     */
    async grantOffer(grant: OfferGrant): Promise<string | undefined> {
      const { id, browserHash, codeHash, codeExpiresAt, offeringId, now } = grant
      const offer = openOffer(grant)
      const granted = new Step<'user_sub' | 'parameters'>(
        'granted',
        fragment`
          UPDATE authorizations a SET state = 'Granted', code_hash = ${codeHash}, code_expires_at = ${codeExpiresAt},
            offering_id = ${offer.column('id')},
            user_claims = CASE WHEN ${offer.column('claims_at_issuance')} THEN a.user_claims END
          FROM ${offer}
          WHERE a.id = ${id} AND a.browser_hash = ${browserHash} AND a.expires_at > ${now} AND ${from('Granted')}
            AND ${isForThem(offer, grant)}
          RETURNING a.user_sub, a.parameters`,
      )
      const transitions = movedSession({ id: offeringId, state: 'Authorized', errorMessage: null }, now, granted)
      const [row] = await sql(zGrantedOffer, [auditedGrant('authorization.granted', granted, offeringId)])`
        SELECT parameters, ${recordedEvents(transitions)} FROM ${granted}`
      announce(row?.recorded)
      return row?.parameters
    },

    /**
     * Denies a request, once.
     *
     * @param states the states in which the request may be denied; by default all states that can become `Denied`
     * @returns the request, encrypted by the vault; undefined if the request was decided before
     */
    async deny(
      id: string,
      browserHash: string,
      now: Date,
      states: readonly AuthorizationState[] = sourcesOf('Denied'),
    ): Promise<string | undefined> {
      const [row] = await sql(zDenied)`
        UPDATE authorizations SET state = 'Denied', user_claims = NULL
        WHERE id = ${id} AND browser_hash = ${browserHash} AND expires_at > ${now} AND state = ANY(${[...states]}::text[])
        RETURNING parameters`
      return row?.parameters
    },
  }
}
