import { z } from 'zod'
import type { Database } from '../../database/connect.js'
import { fragment, Step } from '../../database/fragment.js'
import { type Announce, eventRow } from '../../events/store.js'
import { holderDeclined } from './session.js'
import { ended, eventsOf, type Moved, recorded } from './store.js'

const zDeclined = z.strictObject({ ...eventRow.shape, redirectUri: z.string().nullable() })

/** A decision on the share page of a request. */
export interface PageDecision {
  readonly pageId: string
  /** Hash of the browser that decides. */
  readonly browserHash: string
  /** SHA-256 of the response code for the redirect, base64url. */
  readonly responseCodeHash: string
}

export type DeclineStore = ReturnType<typeof createDeclineStore>

export function createDeclineStore({ sql }: Database, announce: Announce) {
  return {
    /**
     * Ends the open session of a page whose holder declines. One statement checks that this browser opened the page first, and
     * that the session is open: of a decision and an answer at the same moment, one counts.
     *
     * @returns where the person continues; undefined if nothing changed
     */
    async decline(
      { pageId, browserHash, responseCodeHash }: PageDecision,
      now: Date,
    ): Promise<{ readonly redirectUri: string | null } | undefined> {
      const moved: Moved = new Step(
        'moved',
        fragment`
          UPDATE verification_sessions s SET ${ended(holderDeclined, now)}, checks = '[]'::json,
            response_code_hash = ${responseCodeHash}
          FROM pages p
          WHERE p.id = ${pageId} AND p.browser_hash = ${browserHash} AND s.id = p.verification_session_id
            AND s.state = ANY(${[...holderDeclined.from]}::text[]) AND s.expires_at > ${now}
          RETURNING s.id, s.seq, s.state, s.error_message, s.first_view`,
      )
      const [row] = await sql(zDeclined, [recorded(moved, 'presentation.declined')])`
        SELECT t.id, t.seq, t.data, s.redirect_uri AS "redirectUri"
        FROM ${eventsOf(moved, now)} t JOIN verification_sessions s ON s.id = t.id`
      if (row === undefined) return undefined
      const { redirectUri, ...event } = row
      announce([event])
      return { redirectUri }
    },
  }
}
