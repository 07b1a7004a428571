import { z } from 'zod'
import type { Database } from '../../database/connect.js'
import { type Fragment, fragment } from '../../database/fragment.js'
import { newestOf, type TimedPart, timedPart, where } from '../../database/list-position.js'
import { PROFILE_NAMES } from '../openid4vp/profiles/profile.js'
import { SESSION_STATES, type SessionState } from './session.js'

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
})

/** A verification session in a list, without the address that a wallet could answer to. */
export type ListedSession = z.infer<typeof zListedSession>

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

export function createVerificationSessionListStore({ bounded }: Database) {
  return {
    /** Sessions, newest first. */
    page(state: SessionState | undefined, part: TimedPart): Promise<ListedSession[]> {
      const found = (condition: Fragment) => fragment`
        SELECT id, created_at FROM verification_sessions
        WHERE ${condition} ${where(state, (is) => fragment`state = ${is}`)} ${timedPart(fragment`created_at`, fragment`id`, part)}`
      const keys =
        state === undefined
          ? newestOf([found(AWAITED), found(VERIFIED), found(FAILED)], part)
          : found(CONDITIONS[state])
      return bounded(zListedSession)`
        SELECT s.id, s.verifier_id AS "verifierId", s.state, s.profile, s.error_message AS "errorMessage", s.created_by AS "createdBy",
          s.created_at AS "createdAt", s.expires_at AS "expiresAt", s.ended_at AS "endedAt", s.claims_erased_at AS "claimsErasedAt"
        FROM (${keys}) AS k JOIN verification_sessions s ON s.id = k.id
        ORDER BY k.created_at DESC, k.id DESC`
    },
  }
}
