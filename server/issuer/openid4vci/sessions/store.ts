import { z } from 'zod'
import { audited } from '../../../database/audited.js'
import { type Batch, type BatchDone, batchDone, batchRow, deletedBatch, lockedBatch } from '../../../database/batch.js'
import type { Database } from '../../../database/connect.js'
import { emptyFragment, type Fragment, fragment, Step } from '../../../database/fragment.js'
import { madeBy } from '../../../database/made-by.js'
import { idRow, json } from '../../../database/row-shapes.js'
import {
  type Announce,
  eventRow,
  nothingRecorded,
  recordEvents,
  recordedEvents,
  recordedShape,
  type SessionEvent,
  type Transitions,
  zEvent,
} from '../../../events/store.js'
import type { ClaimsVault } from '../../../keys/claims/vault.js'
import type { Names } from '../../../names/names.js'
import { namesShape, revealedNames, selectedNames } from '../../../names/names-store.js'
import { insertPage, type NewPage } from '../../../pages/store.js'
import { insertOffering, type NewOffering } from '../../offerings/insert.js'
import type { OfferGrant, OfferProfile } from '../offer-profile.js'
import { TX_CODE_ATTEMPTS, type TxCodeDescription } from '../tx-code.js'
import { protectedSealed } from './confidential.js'
import {
  CREDENTIAL_OFFER_STATES,
  type CredentialOfferSession,
  EXPIRED,
  isFinal,
  sessionView,
  sourcesOf,
  UNREDEEMED_STATES,
} from './session.js'

/** A session with its transaction code members, which only the token endpoint may know. */
export interface StoredSession extends CredentialOfferSession {
  readonly txCode: TxCodeDescription | null
  readonly txCodeHash: string | null
  readonly txCodeAttempts: number
  /** The number of the offer's current link. Earlier links are dead. */
  readonly linkNumber: number
}

/** A new session, with its transaction code if it has one. */
export interface NewSession extends StoredSession {
  readonly code: string | undefined
  /** The sealed code. */
  readonly sealed: string | undefined
}

/** The offering of a credential offer. */
export interface NewSessionOffering extends NewOffering {
  readonly configurationIds: readonly string[]
  readonly expiresAt: Date
  readonly grant: OfferGrant
  readonly forSubject: string | null
  readonly profile: OfferProfile
  readonly deferred: boolean
  readonly claimsAtIssuance: boolean
  readonly walletUrl: string | null
}

const zRawSession = z.strictObject({
  id: z.string(),
  createdBy: z.string(),
  state: z.enum(CREDENTIAL_OFFER_STATES),
  seq: z.int(),
  errorMessage: z.string().nullable(),
  deferred: z.enum(['pending', 'approved', 'rejected']).nullable(),
  txCode: json<TxCodeDescription>().nullable(),
  txCodeHash: z.string().nullable(),
  txCodeAttempts: z.int(),
  linkNumber: z.int(),
  configurationIds: z.array(z.string()),
  issuerId: z.string(),
  createdAt: z.iso.datetime({ offset: true }),
  expiresAt: z.iso.datetime({ offset: true }),
})

export type RawSession = z.infer<typeof zRawSession>

/** The column of `sessionColumn`. */
export const sessionShape = { session: zRawSession.nullable() }

export type WithRawSession<Row extends { readonly session: StoredSession | null }> = Omit<Row, 'session'> & {
  readonly session: RawSession | null
}

/** A session `x` of an offering `o` as JSON, so that one row can hold both the offering and its session. */
export const sessionColumn = fragment`
  CASE WHEN x.id IS NULL THEN NULL ELSE jsonb_build_object(
    'id', x.id, 'createdBy', x.created_by, 'state', x.state, 'seq', x.seq, 'errorMessage', x.error_message,
    'deferred', x.deferred,
    'txCode', x.tx_code, 'txCodeHash', x.tx_code_hash, 'txCodeAttempts', x.tx_code_attempts, 'linkNumber', x.link_number,
    'configurationIds', o.configuration_ids, 'issuerId', o.issuer_id, 'expiresAt', x.expires_at, 'createdAt', x.created_at) END AS session`

export function withDates<Row extends { readonly session: RawSession | null }>(
  row: Row,
): Omit<Row, 'session'> & { session: StoredSession | null } {
  const { session } = row
  if (session === null) return { ...row, session }
  return {
    ...row,
    session: { ...session, createdAt: new Date(session.createdAt), expiresAt: new Date(session.expiresAt) },
  }
}

const table = 'credential_offer_sessions'

/** The condition of the partial indices that sort sessions by expiry. */
const open = fragment`ended_at IS NULL`

const lastAttempt = fragment`x.tx_code_attempts = ${TX_CODE_ATTEMPTS}::int - 1`

/**
 * The members of a session's JSON that transitions change, from its row. `first_view` has the other members. A session
 * can last longer than its first offer only while a wallet waits, or after a resend.
 */
const changes = fragment`
  jsonb_strip_nulls(jsonb_build_object('state', state, 'errorMessage', error_message, 'deferred', deferred, 'expiresAt',
    CASE WHEN deferred IS NOT NULL OR link_number > 0 THEN to_char(expires_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') END))`

/** The columns of {@link MovedSession}, for RETURNING. */
export const movedColumns = fragment`id, seq, state, error_message, deferred, expires_at, link_number, first_view`

type MovedColumn = 'id' | 'seq' | 'state' | 'error_message' | 'deferred' | 'expires_at' | 'link_number' | 'first_view'

/** A step that moves sessions and returns their new rows. */
export type MovedSession = Step<MovedColumn>

/** @param change an UPDATE of sessions that returns `movedColumns` */
export const movedStep = (change: Fragment): MovedSession => new Step('moved', change)

/** The events of transitions. @param where selects the transitions */
export const sessionEvent = (moved: MovedSession, now: Date, where: Fragment = fragment`true`): Transitions =>
  recordEvents(fragment`SELECT id, seq, first_view, ${changes} AS changes FROM ${moved} WHERE ${where}`, now)

/** If the claims source has answered while a wallet waited, nobody has to decide any more. */
const decidedBySource = fragment`, deferred = CASE WHEN deferred = 'pending' THEN 'approved' ELSE deferred END`

const after = (step: Step | undefined): Fragment =>
  step === undefined ? emptyFragment : fragment`AND EXISTS (SELECT 1 FROM ${step})`

/**
 * Moves a session if its state still allows the transition and the step `condition` has a row. Returns the events. Without a
 * session, nothing moves. For a session that was not read, pass its id and the new state.
 */
export function movedSession(
  session: Pick<CredentialOfferSession, 'id' | 'state' | 'errorMessage'> | null,
  now: Date,
  condition?: Step,
): Transitions {
  if (session === null) return nothingRecorded
  const { id, state, errorMessage } = session
  const moved = movedStep(fragment`
    UPDATE credential_offer_sessions SET state = ${state}, seq = seq + 1, error_message = ${errorMessage},
      ended_at = ${isFinal(state) ? now : null} ${state === 'CredentialIssued' ? decidedBySource : emptyFragment}
    WHERE id = ${id} AND state = ANY(${[...sourcesOf(state)]}::text[]) ${after(condition)}
    RETURNING ${movedColumns}`)
  return sessionEvent(moved, now)
}

const zSession = z.strictObject({ ...sessionShape, claimsErasedAt: z.date().nullable(), ...namesShape })

/** A session with the names of its offer. */
export interface FoundSession extends StoredSession {
  /** When the claims of the offer were erased; null while they are stored. */
  readonly claimsErasedAt: Date | null
  readonly names: Names | null
}

const zCounted = z.strictObject({ left: z.int(), ...recordedShape })

const zExpired = z.strictObject({ ...batchRow.shape, id: z.string(), seq: z.int() })

export type OfferSessionStore = ReturnType<typeof createOfferSessionStore>

export function createOfferSessionStore({ sql }: Database, claims: ClaimsVault, announce: Announce) {
  const remove = async (batch: Batch): Promise<BatchDone> => {
    const removed = new Step<'key' | 'at'>('removed', deletedBatch(batch))
    const events = new Step(
      'events',
      fragment`DELETE FROM session_events_default WHERE session_id IN (SELECT key FROM ${removed})`,
    )
    const rows = await sql(batchRow, [events])`SELECT at FROM ${removed}`
    return batchDone(rows, batch.limit)
  }
  return {
    /** A session. @param creator the only creator whose sessions may be read; undefined for the sessions of all */
    async find(id: string, creator: string | null | undefined): Promise<FoundSession | undefined> {
      const [row] = await sql(zSession)`
        SELECT ${sessionColumn}, o.claims_erased_at AS "claimsErasedAt", ${selectedNames(claims, 'offerings.names', fragment`o`)} FROM credential_offer_sessions x JOIN offerings o ON o.id = x.id
        WHERE x.id = ${id} AND ${madeBy(fragment`x.created_by`, creator)}`
      if (row === undefined) return undefined
      const { session, ...offer } = revealedNames(claims, { column: 'offerings.names', id }, withDates(row))
      return session === null ? undefined : { ...session, ...offer }
    },

    /** The JSON of an offer's session, as callers see it. Undefined for an unknown id. */
    async latest(id: string): Promise<SessionEvent | undefined> {
      const [row] = await sql(zEvent)`
        SELECT seq, first_view || ${changes} AS data FROM credential_offer_sessions WHERE id = ${id}`
      return row
    },

    /** Inserts a credential offer in one statement, with its session, its audit row, and its page if it has one. */
    async insert(offering: NewSessionOffering, session: NewSession, page?: NewPage): Promise<void> {
      const { id, createdBy, createdAt, expiresAt } = session
      const txCode = session.txCode === null ? null : JSON.stringify(session.txCode)
      const confidential = protectedSealed(claims, id, session.sealed)
      const also = confidential === undefined ? [] : [confidential]
      const inserted = insertOffering(claims, { ...offering, id, isSession: true }, undefined, also)
      const begun = new Step(
        'session',
        fragment`
          INSERT INTO credential_offer_sessions (id, created_by, tx_code, tx_code_hash, confidential, wallet_url, created_at, expires_at, first_view)
          SELECT id, ${createdBy}, ${txCode}::jsonb, ${session.txCodeHash}, ${confidential?.json ?? null}::json, ${offering.walletUrl}, ${createdAt}, ${expiresAt},
            ${JSON.stringify(sessionView(session))}::jsonb FROM ${inserted}`,
      )
      const paged = page === undefined ? [] : [insertPage(claims, page)]
      const created = audited({ of: inserted, actor: createdBy, action: 'offering.created', subject: 'offering' })
      await sql(idRow, [begun, ...paged, created])`SELECT id FROM ${inserted}`
    },

    /**
     * Moves a session if its state still allows the transition. The same statement stores the event.
     *
     * @returns whether the session moved
     */
    async move(session: CredentialOfferSession, now: Date): Promise<boolean> {
      const rows = await sql(eventRow)`
        SELECT id, seq, data FROM ${movedSession(session, now)}`
      announce(rows)
      return rows.length > 0
    },

    /**
     * Stores why no credential could be issued now. The session keeps its state, so a wallet can try again.
     *
     * @param problem a sentence without claims
     */
    async noteProblem(id: string, problem: string, now: Date): Promise<void> {
      const noted = movedStep(fragment`
        UPDATE credential_offer_sessions SET error_message = ${problem}, seq = seq + 1
        WHERE id = ${id} AND state = 'TokenIssued' AND error_message IS DISTINCT FROM ${problem}::text
        RETURNING ${movedColumns}`)
      announce(await sql(eventRow)`SELECT id, seq, data FROM ${sessionEvent(noted, now)}`)
    },

    /**
     * Counts a wrong transaction code. The last allowed attempt ends the session. The count is incremented under the session's
     * row lock before the answer is sent. So concurrent requests together have no more than five attempts.
     *
     * @param locked the session after the last wrong code
     * @returns the number of attempts left; undefined if none was left before
     */
    async countWrongTxCode(locked: CredentialOfferSession, now: Date): Promise<number | undefined> {
      const counted = new Step<MovedColumn | 'left'>(
        'moved',
        fragment`
          UPDATE credential_offer_sessions x SET tx_code_attempts = x.tx_code_attempts + 1,
            state = CASE WHEN ${lastAttempt} THEN ${locked.state} ELSE x.state END,
            seq = x.seq + CASE WHEN ${lastAttempt} THEN 1 ELSE 0 END,
            error_message = CASE WHEN ${lastAttempt} THEN ${locked.errorMessage} END,
            ended_at = CASE WHEN ${lastAttempt} THEN ${now}::timestamptz END
          WHERE id = ${locked.id} AND x.tx_code_attempts < ${TX_CODE_ATTEMPTS}::int
            AND state = ANY(${[...UNREDEEMED_STATES]}::text[])
          RETURNING ${movedColumns}, ${TX_CODE_ATTEMPTS}::int - tx_code_attempts AS "left"`,
      )
      const noneLeft = fragment`"left" = 0`
      const ended = { actor: null, action: 'credential-offer.locked', subject: 'offering' } as const
      const [row] = await sql(zCounted, [audited({ ...ended, of: counted, where: noneLeft })])`
        SELECT "left", ${recordedEvents(sessionEvent(counted, now, noneLeft))} FROM ${counted}`
      announce(row?.recorded)
      return row?.left
    },

    /**
     * Ends at most `limit` expired sessions without an issued credential. A session expires with its offer, or when its
     * wallet may no longer wait.
     */
    async expire(now: Date, limit: number): Promise<BatchDone> {
      const due = fragment`${open} AND state <> 'CredentialIssued' AND expires_at <= ${now}`
      const batch = new Step<'key'>('due', lockedBatch({ table, key: 'id', due, by: 'expires_at', limit }))
      const moved = movedStep(fragment`
        UPDATE credential_offer_sessions x SET state = 'Error', seq = x.seq + 1, error_message = ${EXPIRED}, ended_at = ${now}
        FROM ${batch} WHERE x.id = ${batch.column('key')} RETURNING ${movedColumns}`)
      const expired = audited({ of: moved, actor: null, action: 'credential-offer.expired', subject: 'offering' })
      const rows = await sql(zExpired, [sessionEvent(moved, now), expired])`
        SELECT id, seq, expires_at AS at FROM ${moved}`
      announce(rows)
      return batchDone(rows, limit)
    },

    /**
     * Removes at most `limit` sessions that ended before a moment. Their events can no longer be read. The events are removed
     * with their partitions.
     */
    removeEnded: (before: Date, limit: number): Promise<BatchDone> =>
      remove({ table, key: 'id', due: fragment`ended_at <= ${before}`, by: 'ended_at', limit }),

    /**
     * Removes at most `limit` sessions whose credential was issued but never acknowledged. These sessions end when their offers
     * expire.
     */
    removeUnacknowledged: (before: Date, limit: number): Promise<BatchDone> =>
      remove({
        table,
        key: 'id',
        due: fragment`${open} AND state = 'CredentialIssued' AND expires_at <= ${before}`,
        by: 'expires_at',
        limit,
      }),
  }
}
