import { z } from 'zod'
import { audited } from '../../../database/audited.js'
import type { Database } from '../../../database/connect.js'
import { fragment, Step } from '../../../database/fragment.js'
import { type Announce, eventRow, recordedEvents, recordedShape } from '../../../events/store.js'
import type { ClaimsVault } from '../../../keys/claims/vault.js'
import { protectedSubject } from '../../offerings/insert.js'
import { type CredentialSchema, schemaColumns, zStoredSchema } from '../../schemas/store.js'
import {
  type Admission,
  admission,
  admissionColumns,
  countedUnder,
  type Refusal,
  refusalOf,
  zAdmission,
} from '../admission-store.js'
import { type CredentialOfferSession, isFinal } from '../sessions/session.js'
import {
  movedColumns,
  movedStep,
  type StoredSession,
  sessionColumn,
  sessionEvent,
  sessionShape,
  withDates,
} from '../sessions/store.js'

export interface NewDeferredIssuance {
  readonly transactionHash: string
  readonly keys: string
}

/** A deferred issuance. `isFirst`: whether it is the offer's first deferred issuance. */
export interface Deferred {
  readonly kind: 'deferred'
  readonly isFirst: boolean
}

/**
 * The person who decides about deferred offers. An admin decides about all offers; any other person decides about the
 * offers that they created.
 */
export interface Decider {
  readonly sub: string
  readonly isAdmin: boolean
}

/** The data of an offer that a decision needs. */
export interface DecidableOffer {
  readonly session: StoredSession
  /** Whether the offer is deferred. An offer that is not deferred needs no decision. */
  readonly deferred: boolean
  readonly schema: CredentialSchema
}

export interface NewDecision {
  /** The session after the decision, with the next `seq`. */
  readonly session: CredentialOfferSession
  /** Replaces the offered subject. */
  readonly credentialSubject: Readonly<Record<string, unknown>> | undefined
  /** The `sub` of the person who decides. */
  readonly actor: string
  /** When the claims of a rejected offer are to be erased; null if they stay, or if the offer was approved. */
  readonly claimsDueAt: Date | null
  readonly now: Date
}

const zDecidable = zStoredSchema.extend({ ...sessionShape, deferred: z.boolean() })

const zDeferredIssuance = z.strictObject({
  configurationId: z.string(),
  /** The proven keys, encrypted by the vault. */
  keys: z.string(),
})

/** A deferred issuance of a waiting wallet. */
export type DeferredIssuance = z.infer<typeof zDeferredIssuance>

const zInserted = zAdmission.extend({ isFirst: z.boolean(), ...recordedShape })

/** The steps that replace the claims of an offer, unless they were erased. */
function correctedSubject(
  claims: ClaimsVault,
  offer: Parameters<typeof protectedSubject>[1],
  decided: Step<'id'>,
): readonly Step[] {
  const subject = protectedSubject(claims, offer)
  const corrected = new Step(
    'corrected',
    fragment`
      UPDATE offerings o SET credential_subject = ${subject.json}::json
      FROM ${decided} WHERE o.id = ${decided.column('id')} AND o.claims_erased_at IS NULL RETURNING o.id`,
  )
  return [corrected, ...claims.storeKeys([subject], corrected)]
}

export type DeferredIssuanceStore = ReturnType<typeof createDeferredIssuanceStore>

export function createDeferredIssuanceStore({ sql }: Database, claims: ClaimsVault, announce: Announce) {
  return {
    /**
     * Admits a wallet that then waits, in one statement. The redemption is counted and the nonces are marked as used, as for an
     * issuance. An earlier deferred issuance of the same configuration is replaced.
     *
     * @param session the session while a wallet waits, stored with the first deferral. If the issuer approves the offer
     *   at the same moment, the session stays approved and gets the new expiry time.
     */
    async insert(
      request: Admission,
      { transactionHash, keys }: NewDeferredIssuance,
      session: CredentialOfferSession,
    ): Promise<Deferred | Refusal> {
      const { authorizationId, configurationId, offeringId, now } = request
      const steps = admission(request)
      const deferred = new Step<'authorization_id'>(
        'deferred',
        fragment`
          INSERT INTO deferred_issuances (transaction_hash, authorization_id, configuration_id, keys, created_at)
          SELECT ${transactionHash}, ${authorizationId}, ${configurationId}, ${keys}, ${now}::timestamptz FROM ${steps.admitted}
          ON CONFLICT (authorization_id, configuration_id) DO UPDATE SET
            transaction_hash = EXCLUDED.transaction_hash, keys = EXCLUDED.keys, created_at = EXCLUDED.created_at
          RETURNING authorization_id`,
      )
      const counted = new Step(
        'counted_instances',
        fragment`
          UPDATE authorizations a SET ${countedUnder(request)} FROM ${deferred} WHERE a.id = ${deferred.column('authorization_id')}`,
      )
      const pending = movedStep(fragment`
        UPDATE credential_offer_sessions x SET deferred = COALESCE(x.deferred, ${session.deferred}), seq = x.seq + 1,
          expires_at = ${session.expiresAt}
        FROM ${deferred} WHERE x.id = ${session.id} AND x.deferred IS DISTINCT FROM ${session.deferred}
        RETURNING ${movedColumns}`)
      const waits = { actor: null, action: 'credential.deferred', subject: 'offering', subjectId: offeringId }
      const [row] = await sql(zInserted, [counted, audited({ ...waits, of: deferred })])`
        SELECT ${admissionColumns(steps)}, EXISTS (SELECT 1 FROM ${pending}) AS "isFirst",
          ${recordedEvents(sessionEvent(pending, now))}`
      announce(row?.recorded)
      return refusalOf(row, request) ?? { kind: 'deferred', isFirst: row?.isFirst === true }
    },

    /** The deferred issuance of a transaction, if it belongs to the authorization. */
    async find(transactionHash: string, authorizationId: string): Promise<DeferredIssuance | undefined> {
      const [row] = await sql(zDeferredIssuance)`
        SELECT configuration_id AS "configurationId", keys FROM deferred_issuances
        WHERE transaction_hash = ${transactionHash} AND authorization_id = ${authorizationId}`
      return row
    },

    /** The offer of a session, if the decider may decide about it. */
    async decidable(id: string, { sub, isAdmin }: Decider): Promise<DecidableOffer | undefined> {
      const [row] = await sql(zDecidable)`
        SELECT ${schemaColumns}, ${sessionColumn}, o.deferred
        FROM credential_offer_sessions x JOIN offerings o ON o.id = x.id JOIN schemas s ON s.id = o.schema_id
        WHERE x.id = ${id} AND (x.created_by = ${sub} OR ${isAdmin}::boolean)`
      if (row === undefined) return undefined
      const { session, deferred, ...schema } = withDates(row)
      return session === null ? undefined : { session, deferred, schema }
    },

    /**
     * Stores a decision: the new session, its event, an audit row, and the claims that replace the offered claims, if any.
     *
     * @returns false if the session has changed since it was read; then nothing was written
     */
    async decide({ session, credentialSubject, actor, claimsDueAt, now }: NewDecision): Promise<boolean> {
      const decided = movedStep(fragment`
        UPDATE credential_offer_sessions SET deferred = ${session.deferred}, state = ${session.state}, seq = ${session.seq},
          error_message = ${session.errorMessage}, ended_at = ${isFinal(session.state) ? now : null}
        WHERE id = ${session.id} AND seq = ${session.seq - 1}::int RETURNING ${movedColumns}`)
      const corrected =
        credentialSubject === undefined ? [] : correctedSubject(claims, { id: session.id, credentialSubject }, decided)
      const closed = new Step(
        'closed',
        fragment`
          UPDATE offerings o SET claims_due_at = ${claimsDueAt} FROM ${decided}
          WHERE o.id = ${decided.column('id')} AND o.claims_erased_at IS NULL`,
      )
      const recorded = audited({ of: decided, actor, action: `offering.${session.deferred}`, subject: 'offering' })
      const rows = await sql(eventRow, [...corrected, ...(claimsDueAt === null ? [] : [closed]), recorded])`
        SELECT id, seq, data FROM ${sessionEvent(decided, now)}`
      announce(rows)
      return rows.length > 0
    },
  }
}
