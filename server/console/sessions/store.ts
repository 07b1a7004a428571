import { z } from 'zod'
import { type BatchDone, batchDone, deletedBatch, deletedRow, expiredBatch } from '../../database/batch.js'
import type { Database } from '../../database/connect.js'
import { fragment } from '../../database/fragment.js'
import { noRow } from '../../database/row-shapes.js'

/** A session ends after this time without activity. */
export const IDLE_MS = 30 * 60_000
/** Minimum time between two writes of the last activity. */
export const SEEN_EVERY_MS = 60_000

const zSession = z.strictObject({
  idHash: z.string(),
  /** The content, encrypted by the vault. */
  content: z.string(),
  accessExpiresAt: z.date(),
  lastSeenAt: z.date(),
  endsAt: z.date(),
  expiresAt: z.date(),
})

/** A session that has not ended. */
export type StoredSession = z.infer<typeof zSession>

const zHash = z.strictObject({ idHash: z.string() })
const zHashOnce = z.strictObject({ hash: z.string() })
const zContent = z.strictObject({ content: z.string() })

const columns = fragment`
  id_hash AS "idHash", content, access_expires_at AS "accessExpiresAt", last_seen_at AS "lastSeenAt", ends_at AS "endsAt",
  expires_at AS "expiresAt"`

const idleAt = (now: Date) => new Date(now.getTime() + IDLE_MS)

/** The content and times that a session gets from a login or from new tokens. */
export interface Granted {
  readonly content: string
  readonly accessExpiresAt: Date
  readonly endsAt: Date
}

export type ConsoleSessionStore = ReturnType<typeof createConsoleSessionStore>

export function createConsoleSessionStore({ sql }: Database) {
  return {
    /** Marks the `state` of a login as used. @returns false if the state was used before. */
    async useState(hash: string, expiresAt: Date): Promise<boolean> {
      const rows = await sql(zHashOnce)`
        INSERT INTO used_nonces (hash, expires_at) VALUES (${hash}, ${expiresAt}) ON CONFLICT DO NOTHING RETURNING hash`
      return rows.length > 0
    },

    /** Begins a session, and ends the session that the browser had before. */
    async begin(idHash: string, former: string | undefined, granted: Granted, now: Date): Promise<void> {
      const { content, accessExpiresAt, endsAt } = granted
      await sql(noRow)`
        WITH ended AS (DELETE FROM console_sessions WHERE id_hash = ${former ?? null})
        INSERT INTO console_sessions (id_hash, content, access_expires_at, last_seen_at, ends_at, expires_at)
        VALUES (${idHash}, ${content}, ${accessExpiresAt}, ${now}, ${endsAt}, LEAST(${endsAt}::timestamptz, ${idleAt(now)}::timestamptz))`
    },

    async find(idHash: string, now: Date): Promise<StoredSession | undefined> {
      const [row] = await sql(zSession)`
        SELECT ${columns} FROM console_sessions WHERE id_hash = ${idHash} AND expires_at > ${now}`
      return row
    },

    /**
     * Extends a session after activity. If several processes do this at the same time, only one of them writes the
     * time.
     */
    async seen(idHash: string, now: Date): Promise<void> {
      await sql(noRow)`
        UPDATE console_sessions SET last_seen_at = ${now}, expires_at = LEAST(ends_at, ${idleAt(now)})
        WHERE id_hash = ${idHash} AND expires_at > ${now} AND last_seen_at <= ${new Date(now.getTime() - SEEN_EVERY_MS)}`
    },

    /**
     * Reserves the renewal of a session's tokens until a certain time.
     *
     * @returns false if a different process has reserved the renewal, or has renewed the tokens since they were read
     */
    async takeRenewal(session: StoredSession, renewal: string, until: Date, now: Date): Promise<boolean> {
      const rows = await sql(zHash)`
        UPDATE console_sessions SET renewal = ${renewal}, renewal_until = ${until}
        WHERE id_hash = ${session.idHash} AND access_expires_at = ${session.accessExpiresAt} AND expires_at > ${now}
          AND (renewal_until IS NULL OR renewal_until <= ${now})
        RETURNING id_hash AS "idHash"`
      return rows.length > 0
    },

    /** Stores a new refresh token before its access token is checked. */
    async keep(idHash: string, renewal: string, content: string): Promise<void> {
      await sql(
        noRow,
      )`UPDATE console_sessions SET content = ${content} WHERE id_hash = ${idHash} AND renewal = ${renewal}`
    },

    /**
     * Stores new tokens.
     *
     * @returns the renewed session; undefined if the session has ended, or the renewal took too long.
     */
    async renew(idHash: string, renewal: string, granted: Granted, now: Date): Promise<StoredSession | undefined> {
      const { content, accessExpiresAt, endsAt } = granted
      const [row] = await sql(zSession)`
        UPDATE console_sessions SET content = ${content}, access_expires_at = ${accessExpiresAt}, renewal = NULL, renewal_until = NULL,
          ends_at = ${endsAt}, expires_at = LEAST(expires_at, ${endsAt})
        WHERE id_hash = ${idHash} AND renewal = ${renewal} AND expires_at > ${now}
        RETURNING ${columns}`
      return row
    },

    /** Releases the reservation, so that the renewal can be tried again. */
    async leaveRenewal(idHash: string, renewal: string): Promise<void> {
      await sql(noRow)`
        UPDATE console_sessions SET renewal = NULL, renewal_until = NULL WHERE id_hash = ${idHash} AND renewal = ${renewal}`
    },

    /** Ends a session. @returns the session's content; undefined if the session had already ended. */
    async end(idHash: string): Promise<string | undefined> {
      const [row] = await sql(zContent)`DELETE FROM console_sessions WHERE id_hash = ${idHash} RETURNING content`
      return row?.content
    },

    /** Removes at most `limit` ended sessions. */
    async removeExpired(now: Date, limit: number): Promise<BatchDone> {
      return batchDone(
        await sql(deletedRow)`${deletedBatch(expiredBatch('console_sessions', 'id_hash', now, limit))}`,
        limit,
      )
    },
  }
}
