import { z } from 'zod'
import type { Database } from '../../database/connect.js'
import { type Fragment, fragment } from '../../database/fragment.js'
import { newestOf, type TimedPart, timedPart, where } from '../../database/list-position.js'
import { listMadeBy } from '../../database/made-by.js'
import { json as jsonColumn } from '../../database/row-shapes.js'
import type { ClaimsVault } from '../../keys/claims/vault.js'
import type { NameHashes } from '../../names/names.js'
import {
  hasNames,
  namesShape,
  type RequestTexts,
  revealedRequestTexts,
  selectedNames,
} from '../../names/names-store.js'
import type { DcqlQuery } from '../../protocol/openid4vp/dcql/dcql-query.js'
import { PROFILE_NAMES } from '../openid4vp/profiles/profile.js'
import { CHECKS } from '../verify/check-done.js'
import { SESSION_STATES, type SessionState } from './session.js'

/** A list reads queries up to this size, so that its answer stays small. */
const MAX_QUERY_BYTES = 32_768

/** The query of a session `v` for a list; null for a larger query. */
export const listedQuery = (v: Fragment): Fragment => fragment`
  CASE WHEN octet_length(${v}.dcql_query::text) <= ${MAX_QUERY_BYTES} THEN ${v}.dcql_query END AS "dcqlQuery"`

const zListedSession = z.strictObject({
  id: z.string(),
  verifierId: z.string(),
  state: z.enum(SESSION_STATES),
  profile: z.enum(PROFILE_NAMES),
  errorMessage: z.string().nullable(),
  createdBy: z.string().nullable(),
  createdAt: z.date(),
  expiresAt: z.date(),
  endedAt: z.date().nullable(),
  claimsErasedAt: z.date().nullable(),
  dcqlQuery: jsonColumn<DcqlQuery>().nullable(),
  /** The first failed check of the answer that ended the session in Error. */
  failedCheck: z.enum(CHECKS).nullable(),
  ...namesShape,
})

/** A verification session in a list, without the address that a wallet could answer to. */
export type ListedSession = Omit<z.infer<typeof zListedSession>, 'names' | 'namesKey'> & RequestTexts

/** Each session is in the index of exactly one of these conditions. No condition names the state. */
const AWAITED = fragment`ended_at IS NULL`
const VERIFIED = fragment`ended_at IS NOT NULL AND error_message IS NULL`
const FAILED = fragment`ended_at IS NOT NULL AND error_message IS NOT NULL`

const CONDITIONS: Readonly<Record<SessionState, Fragment>> = {
  RequestCreated: AWAITED,
  RequestUriRetrieved: AWAITED,
  ResponseVerified: VERIFIED,
  Error: FAILED,
}

export type VerificationSessionListStore = ReturnType<typeof createVerificationSessionListStore>

export function createVerificationSessionListStore({ bounded }: Database, claims: ClaimsVault) {
  return {
    /** Sessions, newest first. @param creator the only creator whose sessions are listed; undefined for the sessions of all */
    async page(
      {
        state,
        creator,
        ...names
      }: NameHashes & { readonly state?: SessionState | undefined; readonly creator: string | null | undefined },
      part: TimedPart,
    ): Promise<ListedSession[]> {
      const found = (condition: Fragment) => fragment`
        SELECT id, created_at FROM verification_sessions v
        WHERE ${condition} ${hasNames(fragment`v`, names)} ${listMadeBy(fragment`created_by`, creator)} ${where(state, (is) => fragment`state = ${is}`)} ${timedPart(fragment`created_at`, fragment`id`, part)}`
      // One index has the sessions of a user in all states. The sessions of all callers, and of the client secret, are in three.
      const isUser = typeof creator === 'string'
      const unnamed = isUser
        ? found(fragment`created_by IS NOT NULL`)
        : state === undefined
          ? newestOf([found(AWAITED), found(VERIFIED), found(FAILED)], part)
          : found(CONDITIONS[state])
      const keys = names.referenceHash !== undefined ? found(fragment`true`) : unnamed
      const rows = await bounded(zListedSession)`
        SELECT s.id, s.verifier_id AS "verifierId", s.state, s.profile, s.error_message AS "errorMessage", s.created_by AS "createdBy",
          s.created_at AS "createdAt", s.expires_at AS "expiresAt", s.ended_at AS "endedAt", s.claims_erased_at AS "claimsErasedAt",
          ${listedQuery(fragment`s`)},
          CASE WHEN s.error_message IS NOT NULL THEN (
            SELECT c #>> '{failed,check}' FROM json_array_elements(s.checks) c WHERE c #>> '{failed,check}' IS NOT NULL LIMIT 1
          ) END AS "failedCheck",
          ${selectedNames(claims, 'verification_sessions.names', fragment`s`)}
        FROM (${keys}) AS k JOIN verification_sessions s ON s.id = k.id
        ORDER BY k.created_at DESC, k.id DESC`
      return rows.map((row) => revealedRequestTexts(claims, { column: 'verification_sessions.names', id: row.id }, row))
    },
  }
}
