import { z } from 'zod'
import type { Branding } from '../../agent/branding.js'
import type { DisplayEntry } from '../../agent/store.js'
import type { AuditAction } from '../../database/audit-actions.js'
import { audited } from '../../database/audited.js'
import { type BatchDone, batchDone, batchRow, deletedBatch, lockedBatch } from '../../database/batch.js'
import type { Database } from '../../database/connect.js'
import { emptyFragment, fragment, Step } from '../../database/fragment.js'
import { madeBy } from '../../database/made-by.js'
import { idRow, json as jsonColumn, storedClaims } from '../../database/row-shapes.js'
import {
  type Announce,
  eventRow,
  recordEvents,
  type SessionEvent,
  type Transitions,
  zEvent,
} from '../../events/store.js'
import type { ClaimsVault } from '../../keys/claims/vault.js'
import type { HashedNames } from '../../names/names.js'
import {
  namesColumns,
  namesShape,
  namesValues,
  protectedNames,
  type RequestTexts,
  revealedRequestTexts,
  selectedNames,
} from '../../names/names-store.js'
import { insertPage, type NewPage } from '../../pages/store.js'
import type { DcqlQuery } from '../../protocol/openid4vp/dcql/dcql-query.js'
import type { NewEvidence } from '../evidence/make.js'
import { insertEvidence, protectedEvidence } from '../evidence/store.js'
import type { DiscardedPresentation, PresentationChecks } from '../presentations/presentation-error.js'
import {
  requestExpired,
  requestRetrieved,
  SESSION_STATES,
  type Session,
  type SessionView,
  type Transition,
  zSession,
} from './session.js'

/** Data that is stored when a session ends. */
export interface Ending {
  readonly result?: unknown
  readonly discarded?: readonly DiscardedPresentation[]
  /** The checks of the answer; empty if there was nothing to check. */
  readonly checks: readonly PresentationChecks[]
  /** SHA-256 of the response code, base64url. */
  readonly responseCodeHash?: string | undefined
  /** Evidence of the answer, if it is kept. */
  readonly evidence?: NewEvidence | undefined
  readonly action: 'presentation.verified' | 'presentation.refused'
}

/** `moved`: the event, if this fetch was a transition. */
const zRetrieved = zSession.extend({ moved: jsonColumn<SessionEvent>().nullable() })

const zResult = z.strictObject({
  state: z.enum(SESSION_STATES),
  errorMessage: z.string().nullable(),
  createdBy: z.string().nullable(),
  requireResponseCode: z.boolean(),
  endedAt: z.date().nullable(),
  claimsErasedAt: z.date().nullable(),
  result: storedClaims,
  resultKey: z.string().nullable(),
  discarded: jsonColumn<DiscardedPresentation[]>().nullable(),
  responseCodeHash: z.string().nullable(),
  responseCodeUsedAt: z.date().nullable(),
})

/** A session's result, and the data that decides who may read it. */
export type StoredResult = Omit<z.infer<typeof zResult>, 'resultKey'>

const zOwner = z.strictObject({ createdBy: z.string().nullable() })

const zChecked = z.strictObject({
  createdBy: z.string().nullable(),
  state: z.enum(SESSION_STATES),
  errorMessage: z.string().nullable(),
  checks: jsonColumn<PresentationChecks[]>().nullable(),
  dcqlQuery: jsonColumn<DcqlQuery>(),
  /** Null after the end of the session. */
  secrets: z.string().nullable(),
  transactionData: z.array(z.string()).readonly().nullable(),
})

const zShown = z.strictObject({ ...zEvent.shape, createdBy: z.string().nullable(), ...namesShape })

/** A session with its names, its purpose and its creator. */
export interface ShownSession extends SessionEvent, RequestTexts {
  /** The `sub` that created the session; null for a client secret. */
  readonly createdBy: string | null
}

const zErasedAt = z.strictObject({ at: z.date().nullable() })

const zEnded = z.strictObject({ ...eventRow.shape, pageId: z.string().nullable() })

const zExpired = z.strictObject({ ...batchRow.shape, id: z.string(), seq: z.int() })

const zQrCode = z.strictObject({
  id: z.string(),
  authorizationRequestUri: z.string(),
  walletUrl: z.string().nullable(),
  pageId: z.string().nullable(),
})

type QrCodeContent = z.infer<typeof zQrCode>

const zSessionOfPage = z.strictObject({
  createdBy: z.string().nullable(),
  endedAt: z.date().nullable(),
  expiresAt: z.date(),
  dcqlQuery: jsonColumn<DcqlQuery>(),
  expectedOrigins: z.array(z.string()).nullable(),
})

/** The parts of a verification session that a share page needs. */
export type SessionOfPage = z.infer<typeof zSessionOfPage>

/** The columns of a session. */
export const sessionColumns = fragment`
  id, request_id AS "requestId", qr_code_id AS "qrCodeId", verifier_id AS "verifierId", client_id AS "clientId",
  key_id AS "keyId", kid, x5c, verifier_attestation AS "verifierAttestation", state, error_message AS "errorMessage",
  response_mode AS "responseMode", profile, secrets,
  dcql_query AS "dcqlQuery", vp_query AS "vpQuery", trusted_issuers AS "trustedIssuers", redirect_uri AS "redirectUri",
  verifier_info AS "verifierInfo", transaction_data AS "transactionData", wallet_url AS "walletUrl",
  require_response_code AS "requireResponseCode", further_client_ids AS "furtherClientIds",
  expected_origins AS "expectedOrigins", evidence_seconds AS "evidenceSeconds", created_by AS "createdBy", created_at AS "createdAt", expires_at AS "expiresAt"`

const table = 'verification_sessions'

const json = (value: unknown) => (value === null ? fragment`NULL` : fragment`${JSON.stringify(value)}::json`)

/** The members of a session's JSON that transitions change, from the row. All other members come from `first_view`. */
const changes = fragment`jsonb_strip_nulls(jsonb_build_object('state', state, 'errorMessage', error_message))`

/** The member of a session's JSON that no transition changes: when its claims were erased. */
const erased = fragment`
  jsonb_strip_nulls(jsonb_build_object('claimsErasedAt', to_char(claims_erased_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')))`

/** A step that moves sessions and returns their new state. */
export type Moved = Step<'id' | 'seq' | 'state' | 'error_message' | 'first_view'>

/** The step that records the events of moved sessions. */
export const eventsOf = (moved: Moved, now: Date): Transitions =>
  recordEvents(fragment`SELECT id, seq, first_view, ${changes} AS changes FROM ${moved}`, now)

/** The step that records an audit event for each session of a step. */
export const recorded = (of: Step<'id'>, action: AuditAction, actor: string | null = null): Step =>
  audited({ of, actor, action, subject: 'verification-session' })

/**
 * Column assignments that end a session. They delete its secrets and its transaction data.
 *
 * @param hasEvidence whether evidence is kept as the request asked; without an answer there is none
 */
export const ended = ({ to, errorMessage }: Transition, now: Date, hasEvidence = false) => fragment`
  evidence_seconds = ${hasEvidence ? fragment`s.evidence_seconds` : fragment`NULL`}, state = ${to}, seq = s.seq + 1, error_message = ${errorMessage ?? null}, ended_at = ${now}, secrets = NULL, x5c = NULL,
  verifier_attestation = NULL, transaction_data = NULL`

const zFace = z.strictObject({ display: jsonColumn<DisplayEntry[]>(), branding: jsonColumn<Branding>().nullable() })

export type VerificationSessionStore = ReturnType<typeof createVerificationSessionStore>

export function createVerificationSessionStore({ sql }: Database, claims: ClaimsVault, announce: Announce) {
  return {
    /**
     * Inserts a session with its audit row, and its page if it has a page.
     *
     * @param view the session's JSON, which is the first event. It has neither names nor purpose: events are not encrypted.
     */
    async insert(
      session: Session,
      view: SessionView,
      page?: NewPage,
      names?: HashedNames | null,
      purpose?: string,
    ): Promise<void> {
      const s = session
      const named = protectedNames(claims, { column: 'verification_sessions.names', id: s.id }, names, { purpose })
      const created = new Step<'id'>(
        'created',
        fragment`
          INSERT INTO verification_sessions (
            id, request_id, qr_code_id, verifier_id, client_id, key_id, kid, x5c, verifier_attestation, state, response_mode, profile,
            secrets, dcql_query, vp_query, trusted_issuers, verifier_info, transaction_data, wallet_url, redirect_uri, require_response_code,
            further_client_ids, expected_origins, evidence_seconds, created_by, created_at, expires_at, first_view, ${namesColumns})
          VALUES (
            ${s.id}, ${s.requestId}, ${s.qrCodeId}, ${s.verifierId}, ${s.clientId}, ${s.keyId}, ${s.kid}, ${json(s.x5c)},
            ${s.verifierAttestation}, ${s.state}, ${s.responseMode}, ${s.profile}, ${s.secrets}, ${json(s.dcqlQuery)}, ${json(s.vpQuery)}, ${json(s.trustedIssuers)},
            ${json(s.verifierInfo)}, ${json(s.transactionData)}, ${s.walletUrl}, ${s.redirectUri}, ${s.requireResponseCode},
            ${json(s.furtherClientIds)}, ${json(s.expectedOrigins)}, ${s.evidenceSeconds}, ${s.createdBy}, ${s.createdAt}, ${s.expiresAt}, ${JSON.stringify(view)}::jsonb, ${namesValues(named)})
          RETURNING id`,
      )
      const paged = page === undefined ? [] : [insertPage(claims, page)]
      await sql(idRow, [
        ...paged,
        ...claims.storeKeys(named.sealed, created),
        recorded(created, 'authorization-request.created', s.createdBy),
      ])`SELECT id FROM ${created}`
    },

    /** Names, logos and links of the verifier with a DID; undefined if the record is gone. */
    async verifierFace(did: string): Promise<z.infer<typeof zFace> | undefined> {
      const [row] = await sql(zFace)`
        SELECT coalesce(v.display, '[]'::jsonb) AS display, v.branding FROM verifiers v WHERE v.did = ${did}`
      return row
    },

    async byRequest(requestId: string): Promise<Session | undefined> {
      const [row] = await sql(zSession)`
        SELECT ${sessionColumns} FROM verification_sessions WHERE request_id = ${requestId}`
      return row
    },

    /** A session as callers see it; undefined for an unknown session. */
    async latest(id: string): Promise<SessionEvent | undefined> {
      const [row] = await sql(zEvent)`
        SELECT seq, first_view || ${changes} || ${erased} AS data FROM verification_sessions WHERE id = ${id}`
      return row
    },

    /** A session as its creator and operators see it; undefined for an unknown session. */
    async shown(id: string): Promise<ShownSession | undefined> {
      const [row] = await sql(zShown)`
        SELECT s.seq, s.first_view || ${changes} || ${erased} AS data, s.created_by AS "createdBy",
          ${selectedNames(claims, 'verification_sessions.names', fragment`s`)}
        FROM verification_sessions s WHERE s.id = ${id}`
      return row && revealedRequestTexts(claims, { column: 'verification_sessions.names', id }, row)
    },

    /** The content of a QR code: a request, its address and wallet, and the page whose address the code holds. */
    async byQrCode(qrCodeId: string): Promise<QrCodeContent | undefined> {
      const [row] = await sql(zQrCode)`
        SELECT s.id, s.first_view ->> 'authorizationRequestUri' AS "authorizationRequestUri", s.wallet_url AS "walletUrl", p.id AS "pageId"
        FROM verification_sessions s LEFT JOIN pages p ON p.verification_session_id = s.id AND p.in_qr_code
        WHERE s.qr_code_id = ${qrCodeId}`
      return row
    },

    /** The session for a new share page. */
    async ofPage(id: string): Promise<SessionOfPage | undefined> {
      const [row] = await sql(zSessionOfPage)`
        SELECT created_by AS "createdBy", ended_at AS "endedAt", expires_at AS "expiresAt", dcql_query AS "dcqlQuery",
          expected_origins AS "expectedOrigins"
        FROM verification_sessions WHERE id = ${id}`
      return row
    },

    /** @returns whether the QR code existed. */
    async deleteQrCode(qrCodeId: string): Promise<boolean> {
      const rows = await sql(idRow)`
        UPDATE verification_sessions SET qr_code_id = NULL WHERE qr_code_id = ${qrCodeId} RETURNING id`
      return rows.length > 0
    },

    /** The session of a request that a wallet fetches. The first fetch before the request expires is a transition. */
    async retrieve(requestId: string, now: Date): Promise<Session | undefined> {
      const { to } = requestRetrieved
      const retrieved: Moved = new Step(
        'moved',
        fragment`
          UPDATE verification_sessions s SET state = ${to}, seq = s.seq + 1
          WHERE request_id = ${requestId} AND state = ANY(${[...requestRetrieved.from]}::text[]) AND expires_at > ${now}
          RETURNING *`,
      )
      const [row] = await sql(zRetrieved)`
        SELECT ${sessionColumns}, (SELECT jsonb_build_object('seq', seq, 'data', data) FROM ${eventsOf(retrieved, now)}) AS moved
        FROM ${retrieved}
        UNION ALL
        SELECT ${sessionColumns}, NULL FROM verification_sessions WHERE request_id = ${requestId} AND NOT EXISTS (SELECT 1 FROM ${retrieved})`
      if (row === undefined) return undefined
      const { moved, ...session } = row
      if (moved !== null) announce([{ id: session.id, ...moved }])
      return session
    },

    /** Replaces the secrets of a session, unless it has ended. */
    async replaceSecrets(id: string, secrets: string): Promise<void> {
      await sql(idRow)`
        UPDATE verification_sessions SET secrets = ${secrets} WHERE id = ${id} AND ended_at IS NULL RETURNING id`
    },

    /**
     * Ends a session.
     *
     * @returns the id of its page, if any; undefined if the session had ended before; then nothing changed
     */
    async end(
      id: string,
      transition: Transition,
      ending: Ending,
      now: Date,
    ): Promise<{ readonly pageId: string | null } | undefined> {
      const result =
        ending.result === undefined
          ? undefined
          : claims.protect({ column: 'verification_sessions.result', id }, ending.result)
      const { evidence } = ending
      const moved = new Step<'id' | 'seq' | 'state' | 'error_message' | 'first_view' | 'created_by' | 'ended_at'>(
        'moved',
        fragment`
          UPDATE verification_sessions s SET ${ended(transition, now, evidence !== undefined)},
            result = CASE WHEN s.claims_erased_at IS NULL THEN ${result?.json ?? null}::json END,
            discarded = CASE WHEN s.claims_erased_at IS NULL THEN (${json(ending.discarded ?? null)})::json END, checks = ${json(ending.checks)},
            response_code_hash = ${ending.responseCodeHash ?? null}
          WHERE id = ${id} AND state = ANY(${[...transition.from]}::text[])
          RETURNING id, seq, state, error_message, first_view, created_by, ended_at, claims_erased_at`,
      )
      // The claims of an erased session are not stored.
      const stored = new Step<'id' | 'created_by' | 'ended_at'>(
        'stored',
        fragment`SELECT id, created_by, ended_at FROM ${moved} WHERE claims_erased_at IS NULL`,
      )
      const kept = evidence === undefined ? undefined : protectedEvidence(claims, id, evidence)
      const values = [result, kept?.package].filter((value) => value !== undefined)
      const [row] = await sql(zEnded, [
        recorded(moved, ending.action),
        ...(kept === undefined ? [] : [insertEvidence(kept, stored)]),
        ...(values.length === 0 ? [] : claims.storeKeys(values, stored)),
      ])`
        SELECT t.id, t.seq, t.data, p.id AS "pageId"
        FROM ${eventsOf(moved, now)} t LEFT JOIN pages p ON p.verification_session_id = t.id AND NOT p.on_demand`
      if (row !== undefined) announce([row])
      return row
    },

    /** Expires at most `limit` open sessions, or one session by its id. */
    async expire(now: Date, limit: number, id?: string): Promise<BatchDone> {
      const only = id === undefined ? emptyFragment : fragment`AND id = ${id}`
      const due = fragment`ended_at IS NULL AND expires_at <= ${now} ${only}`
      const batch = new Step<'key'>('due', lockedBatch({ table, key: 'id', due, by: 'expires_at', limit }))
      const moved: Moved = new Step(
        'moved',
        fragment`
          UPDATE verification_sessions s SET ${ended(requestExpired, now)}
          FROM ${batch} WHERE s.id = ${batch.column('key')} AND s.ended_at IS NULL
          RETURNING s.id, s.seq, s.state, s.error_message, s.expires_at, s.first_view`,
      )
      const rows = await sql(zExpired, [eventsOf(moved, now), recorded(moved, 'verification-session.expired')])`
        SELECT id, seq, expires_at AS at FROM ${moved}`
      announce(rows)
      return batchDone(rows, limit)
    },

    /** The checks of a session's answer, its query and its transaction data; undefined for an unknown session. @param creator the only creator whose sessions may be read */
    async checks(id: string, creator: string | null | undefined) {
      const [row] = await sql(zChecked)`
        SELECT created_by AS "createdBy", state, error_message AS "errorMessage", checks,
          dcql_query AS "dcqlQuery", secrets, transaction_data AS "transactionData" FROM verification_sessions
        WHERE id = ${id} AND ${madeBy(fragment`created_by`, creator)}`
      return row
    },

    async result(id: string): Promise<StoredResult | undefined> {
      const [row] = await sql(zResult)`
        SELECT state, error_message AS "errorMessage", created_by AS "createdBy",
          require_response_code AS "requireResponseCode", ended_at AS "endedAt",
          claims_erased_at AS "claimsErasedAt", result, ${claims.keyOf('verification_sessions.result', fragment`verification_sessions.id`)} AS "resultKey", discarded, response_code_hash AS "responseCodeHash",
          response_code_used_at AS "responseCodeUsedAt"
        FROM verification_sessions WHERE id = ${id}`
      if (row === undefined) return undefined
      const { resultKey, ...stored } = row
      return { ...stored, result: claims.reveal({ column: 'verification_sessions.result', id }, row.result, resultKey) }
    },

    /** The creator of a session, also if only the session's evidence is left; undefined if neither is stored. */
    async owner(id: string): Promise<z.infer<typeof zOwner> | undefined> {
      const [row] = await sql(zOwner)`
        SELECT created_by AS "createdBy" FROM verification_sessions WHERE id = ${id}
        UNION ALL SELECT created_by FROM verification_evidence WHERE id = ${id} LIMIT 1`
      return row
    },

    /** Uses a response code, which is valid once. @returns whether the code was still valid */
    async useResponseCode(id: string, now: Date): Promise<boolean> {
      const rows = await sql(idRow)`
        UPDATE verification_sessions SET response_code_used_at = ${now}
        WHERE id = ${id} AND response_code_used_at IS NULL RETURNING id`
      return rows.length > 0
    },

    /**
     * Erases the result of a session, its evidence, and the texts of its page. A session that is still open gets no result later.
     *
     * @returns when it was erased; undefined for a session that is not stored
     */
    async eraseResult(id: string, actor: string | null, now: Date): Promise<Date | undefined> {
      const [row] = await sql(zErasedAt)`SELECT erase_session(${id}, ${now}, ${actor}) AS at`
      return row?.at ?? undefined
    },

    /** Deletes results of sessions that ended before a moment, at most `limit`. */
    async forgetResults(endedBefore: Date, now: Date, limit: number): Promise<BatchDone> {
      const due = fragment`result IS NOT NULL AND ended_at <= ${endedBefore}`
      const forgotten = new Step<'id' | 'at'>(
        'forgotten',
        fragment`
          UPDATE verification_sessions SET result = NULL, discarded = NULL, claims_erased_at = ${now}
          WHERE id IN (${lockedBatch({ table, key: 'id', due, by: 'ended_at', limit })}) RETURNING id, ended_at AS at`,
      )
      const rows = await sql(batchRow)`SELECT at FROM ${forgotten}`
      return batchDone(rows, limit)
    },

    /**
     * Deletes sessions that ended before a moment, with their QR codes, at most `limit`. Their events can no longer be
     * read, and are removed with their partitions.
     */
    async removeEnded(endedBefore: Date, limit: number): Promise<BatchDone> {
      const due = fragment`ended_at <= ${endedBefore}`
      const rows = await sql(batchRow)`
        WITH removed AS (${deletedBatch({ table, key: 'id', due, by: 'ended_at', limit })}),
        events AS (DELETE FROM session_events_default WHERE session_id IN (SELECT key FROM removed))
        SELECT at FROM removed`
      return batchDone(rows, limit)
    },
  }
}
