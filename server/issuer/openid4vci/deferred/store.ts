import { z } from 'zod'
import { audited } from '../../../database/audited.js'
import type { Database } from '../../../database/connect.js'
import { fragment, Step } from '../../../database/fragment.js'
import { madeBy } from '../../../database/made-by.js'
import { storedClaims } from '../../../database/row-shapes.js'
import { type Announce, eventRow, recordedEvents, recordedShape } from '../../../events/store.js'
import type { ClaimsVault } from '../../../keys/claims/vault.js'
import type { Names } from '../../../names/names.js'
import { namesShape, revealedNames, selectedNames } from '../../../names/names-store.js'
import { statusesJson, type WatchedStatus, zWatchedStatuses } from '../../attestation-watch/watched.js'
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
  /** The statuses of the key attestations. */
  readonly statuses: readonly WatchedStatus[]
}

/** A deferred issuance. `isFirst`: whether it is the offer's first deferred issuance. */
export interface Deferred {
  readonly kind: 'deferred'
  readonly isFirst: boolean
}

/** The data of an offer that a decision needs. */
export interface DecidableOffer {
  readonly session: StoredSession
  /** Whether the offer is deferred, or a wallet waits for its claims. Any other offer needs no decision. */
  readonly deferred: boolean
  /** Whether the offer has no claims yet, so an approval must give them. */
  readonly claimsAtIssuance: boolean
  readonly schema: CredentialSchema
  readonly names: Names | null
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

const zDecidable = zStoredSchema.extend({
  ...sessionShape,
  deferred: z.boolean(),
  claimsAtIssuance: z.boolean(),
  ...namesShape,
})

const zDeferredIssuance = z.strictObject({
  configurationId: z.string(),
  /** The proven keys, encrypted by the vault. */
  keys: z.string(),
  /** The statuses of the key attestations; null if there are none. */
  statuses: zWatchedStatuses.nullable(),
})

/** A deferred issuance of a waiting wallet. */
export type DeferredIssuance = z.infer<typeof zDeferredIssuance>

const zAsked = z.strictObject({ askedAt: z.date() })

const zInserted = zAdmission.extend({ isFirst: z.boolean(), ...recordedShape })

/** The steps that replace the claims of an offer, unless they were erased. The claims source is not asked any more. */
function correctedSubject(
  claims: ClaimsVault,
  offer: Parameters<typeof protectedSubject>[1],
  decided: Step<'id'>,
): readonly Step[] {
  const subject = protectedSubject(claims, offer)
  const corrected = new Step(
    'corrected',
    fragment`
      UPDATE offerings o SET credential_subject = ${subject.json}::json, claims_at_issuance = false
      FROM ${decided} WHERE o.id = ${decided.column('id')} AND o.claims_erased_at IS NULL RETURNING o.id`,
  )
  return [corrected, ...claims.storeKeys([subject], corrected)]
}

/** The most octets of stored claims that are read for one list. */
const MOST_CLAIMS = 2 * 1_048_576

const zUndecided = z.strictObject({
  id: z.string(),
  credentialSubject: storedClaims,
  subjectKey: z.string().nullable(),
  ...namesShape,
  octets: z.number(),
})

/** The claims and names of a deferred offer. */
export interface UndecidedOffer {
  readonly id: string
  readonly credentialSubject: Readonly<Record<string, unknown>>
  readonly names: Names | null
}

export type DeferredIssuanceStore = ReturnType<typeof createDeferredIssuanceStore>

export function createDeferredIssuanceStore({ sql, bounded }: Database, claims: ClaimsVault, announce: Announce) {
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
      { transactionHash, keys, statuses }: NewDeferredIssuance,
      session: CredentialOfferSession,
    ): Promise<Deferred | Refusal> {
      const { authorizationId, configurationId, offeringId, now } = request
      const steps = admission(request)
      const deferred = new Step<'authorization_id'>(
        'deferred',
        fragment`
          INSERT INTO deferred_issuances (transaction_hash, authorization_id, configuration_id, keys, statuses, created_at)
          SELECT ${transactionHash}, ${authorizationId}, ${configurationId}, ${keys}, ${statusesJson(statuses)}::json, ${now}::timestamptz FROM ${steps.admitted}
          ON CONFLICT (authorization_id, configuration_id) DO UPDATE SET
            transaction_hash = EXCLUDED.transaction_hash, keys = EXCLUDED.keys, statuses = EXCLUDED.statuses, created_at = EXCLUDED.created_at,
            asked_at = NULL
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
      const waits = { actor: null, action: 'credential.deferred', subject: 'offering', subjectId: offeringId } as const
      const [row] = await sql(zInserted, [counted, audited({ ...waits, of: deferred })])`
        SELECT ${admissionColumns(steps)}, EXISTS (SELECT 1 FROM ${pending}) AS "isFirst",
          ${recordedEvents(sessionEvent(pending, now))}`
      announce(row?.recorded)
      return refusalOf(row, request) ?? { kind: 'deferred', isFirst: row?.isFirst === true }
    },

    /** The deferred issuance of a transaction, if it belongs to the authorization. */
    async find(transactionHash: string, authorizationId: string): Promise<DeferredIssuance | undefined> {
      const [row] = await sql(zDeferredIssuance)`
        SELECT configuration_id AS "configurationId", keys, statuses FROM deferred_issuances
        WHERE transaction_hash = ${transactionHash} AND authorization_id = ${authorizationId}`
      return row
    },

    /**
     * The claims and names of deferred offers that are not decided yet, if the decider may decide about them. Claims beyond 2 MiB
     * are left out, and so are erased claims.
     */
    async undecided(ids: readonly string[], creator: string | null | undefined): Promise<UndecidedOffer[]> {
      const rows = await bounded(zUndecided)`
        SELECT u.* FROM (
          SELECT o.id, o.credential_subject AS "credentialSubject", ${claims.keyOf('offerings.credential_subject', fragment`o.id`)} AS "subjectKey",
            ${selectedNames(claims, 'offerings.names', fragment`o`)},
            sum(octet_length(o.credential_subject::text)) OVER (ORDER BY o.created_at DESC, o.id DESC)::float8 AS octets
          FROM credential_offer_sessions x JOIN offerings o ON o.id = x.id
          WHERE x.id = ANY(${[...ids]}::text[]) AND o.deferred AND o.claims_erased_at IS NULL AND x.state <> 'Error'
            AND COALESCE(x.deferred, 'pending') = 'pending' AND ${madeBy(fragment`x.created_by`, creator)}) u
        WHERE u.octets <= ${MOST_CLAIMS}::float8`
      return rows.flatMap(({ id, credentialSubject: stored, subjectKey, names, namesKey }) => {
        const place = { column: 'offerings.credential_subject', id } as const
        const credentialSubject = claims.reveal<Readonly<Record<string, unknown>>>(place, stored, subjectKey)
        if (credentialSubject === null) return []
        return [
          { id, credentialSubject, names: claims.reveal<Names>({ column: 'offerings.names', id }, names, namesKey) },
        ]
      })
    },

    /**
     * Marks that the claims source is asked for a waiting wallet. If several requests come together, only one may ask.
     *
     * @param last the source may be asked if it was last asked, or the wallet began to wait, at this moment or before
     */
    async mayAsk(transactionHash: string, last: Date, now: Date): Promise<boolean> {
      const rows = await sql(zAsked)`
        UPDATE deferred_issuances SET asked_at = ${now}
        WHERE transaction_hash = ${transactionHash} AND COALESCE(asked_at, created_at) <= ${last} RETURNING asked_at AS "askedAt"`
      return rows.length > 0
    },

    /** The offer of a session. @param creator the only creator whose offers may be decided; undefined for the offers of all */
    async decidable(id: string, creator: string | null | undefined): Promise<DecidableOffer | undefined> {
      const [row] = await sql(zDecidable)`
        SELECT ${schemaColumns}, ${sessionColumn}, o.deferred OR x.deferred IS NOT NULL AS deferred,
          o.claims_at_issuance AS "claimsAtIssuance", ${selectedNames(claims, 'offerings.names', fragment`o`)}
        FROM credential_offer_sessions x JOIN offerings o ON o.id = x.id JOIN schemas s ON s.id = o.schema_id
        WHERE x.id = ${id} AND ${madeBy(fragment`x.created_by`, creator)}`
      if (row === undefined) return undefined
      const { session, deferred, claimsAtIssuance, names, ...schema } = revealedNames(
        claims,
        { column: 'offerings.names', id },
        withDates(row),
      )
      return session === null ? undefined : { session, deferred, claimsAtIssuance, schema, names }
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
      const action = session.deferred === 'approved' ? 'offering.approved' : 'offering.rejected'
      const recorded = audited({ of: decided, actor, action, subject: 'offering' })
      const rows = await sql(eventRow, [...corrected, ...(claimsDueAt === null ? [] : [closed]), recorded])`
        SELECT id, seq, data FROM ${sessionEvent(decided, now)}`
      announce(rows)
      return rows.length > 0
    },
  }
}
