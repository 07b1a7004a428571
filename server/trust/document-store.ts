import { z } from 'zod'
import { audited } from '../database/audited.js'
import type { Database } from '../database/connect.js'
import { type Fragment, fragment, Step } from '../database/fragment.js'
import { idRow, noRow } from '../database/row-shapes.js'

const zState = z.strictObject({
  id: z.string(),
  url: z.string(),
  version: z.int(),
  /** A number of at most 2^53. */
  sequenceNumber: z.number().nullable(),
  issuedAt: z.date().nullable(),
  nextUpdate: z.date().nullable(),
  readAt: z.date().nullable(),
  checkedAt: z.date().nullable(),
  failedCheck: z.string().nullable(),
  failure: z.string().nullable(),
  failedAt: z.date().nullable(),
  alert: z.string().nullable(),
  alertAt: z.date().nullable(),
  /** The state of the last audit event about it; null before the first one. */
  notedState: z.string().nullable(),
})

/** What is known about the content of a trusted list, without the content. */
export type DocumentState = z.infer<typeof zState>

const zTaken = zState.extend({
  etag: z.string().nullable(),
  lastModified: z.string().nullable(),
  /** When the document was due. */
  at: z.date(),
})

/** A document that this process reads now. */
export type TakenDocument = z.infer<typeof zTaken>

const zContent = z.strictObject({ version: z.int(), content: z.instanceof(Uint8Array).nullable() })

const stateColumns = fragment`
  d.id, d.url, d.version, d.sequence_number::float8 AS "sequenceNumber", d.issued_at AS "issuedAt", d.next_update AS "nextUpdate",
  d.read_at AS "readAt", d.checked_at AS "checkedAt", d.failed_check AS "failedCheck", d.failure, d.failed_at AS "failedAt",
  d.alert, d.alert_at AS "alertAt", d.noted_state AS "notedState"`

const LONGEST_FAILURE = 500
/** A document that is still named is noted again after this time. */
const WANTED_AGAIN_SECONDS = 3_600

const secondsAfter = (now: Date, seconds: number): Date => new Date(now.getTime() + seconds * 1000)

/** Content that was accepted. */
export interface AcceptedContent {
  readonly bytes: Uint8Array
  /** The version that the content was compared with. */
  readonly after: number
  readonly sequenceNumber: number | undefined
  readonly issuedAt: Date
  readonly nextUpdate: Date | undefined
  readonly etag: string | null
  readonly lastModified: string | null
  /** A sentence about own certificates that the content no longer has. */
  readonly alert: string | undefined
  /** Whether the content before had another alert, or none. */
  readonly isNewAlert: boolean
}

/** The audit event of each state that a list can come to. */
const STATE_EVENTS = {
  usable: 'trust-list.recovered',
  failing: 'trust-list.failing',
  unusable: 'trust-list.unusable',
} as const

export type DocumentStore = ReturnType<typeof createDocumentStore>

/** The content of trusted lists: the last accepted content, and how the last attempt to read the list ended. */
export function createDocumentStore({ sql }: Database) {
  const take = (now: Date, leaseSeconds: number, which: Fragment): Promise<TakenDocument[]> => {
    const due = new Step<'id' | 'at'>('due', which)
    return sql(zTaken)`
      UPDATE trust_list_documents d SET leased_until = ${secondsAfter(now, leaseSeconds)}::timestamptz FROM ${due}
      WHERE d.id = ${due.column('id')}
      RETURNING ${stateColumns}, d.etag, d.last_modified AS "lastModified", ${due.column('at')}`
  }

  return {
    /** Notes that a configuration or an added list names these documents. New documents are due at once. */
    async want(documents: readonly { readonly id: string; readonly url: string }[], now: Date): Promise<void> {
      if (documents.length === 0) return
      const rows = documents.toSorted((a, b) => (a.id < b.id ? -1 : 1))
      await sql(noRow)`
        INSERT INTO trust_list_documents AS d (id, url, due_at, wanted_at)
        SELECT w.id, w.url, ${now}::timestamptz, ${now}::timestamptz
        FROM unnest(${rows.map(({ id }) => id)}::text[], ${rows.map(({ url }) => url)}::text[]) AS w(id, url)
        ON CONFLICT (id) DO UPDATE SET wanted_at = ${now}::timestamptz
        WHERE d.wanted_at < ${secondsAfter(now, -WANTED_AGAIN_SECONDS)}::timestamptz`
    },

    /**
     * Takes documents that are due. No other process takes them until `leaseSeconds` have passed, or until their outcome is
     * stored.
     */
    takeDue: (ids: readonly string[], now: Date, limit: number, leaseSeconds: number): Promise<TakenDocument[]> =>
      take(
        now,
        leaseSeconds,
        fragment`
          SELECT id, due_at AS at FROM trust_list_documents
          WHERE id = ANY(${[...ids]}::text[]) AND due_at <= ${now} AND (leased_until IS NULL OR leased_until <= ${now})
          ORDER BY due_at, id LIMIT ${limit} FOR NO KEY UPDATE SKIP LOCKED`,
      ),

    /** Takes one document, also if it is not due. @returns undefined if another process reads it now */
    async take(id: string, now: Date, leaseSeconds: number): Promise<TakenDocument | undefined> {
      const [taken] = await take(
        now,
        leaseSeconds,
        fragment`
          SELECT id, due_at AS at FROM trust_list_documents
          WHERE id = ${id} AND (leased_until IS NULL OR leased_until <= ${now}) FOR NO KEY UPDATE SKIP LOCKED`,
      )
      return taken
    },

    /**
     * Stores accepted content, with an audit event of the change. If another process has stored content meanwhile, nothing is
     * stored: the content was not compared with that one.
     */
    async accept(id: string, content: AcceptedContent, now: Date, dueAt: Date): Promise<void> {
      const {
        bytes,
        after,
        sequenceNumber = null,
        issuedAt,
        nextUpdate = null,
        etag,
        lastModified,
        alert = null,
        isNewAlert,
      } = content
      const text = Buffer.from(bytes).toString('base64')
      const changed = new Step<'id'>(
        'changed',
        fragment`
          UPDATE trust_list_documents SET content = decode(${text}, 'base64'), version = version + 1,
            sequence_number = ${sequenceNumber}::float8::bigint, issued_at = ${issuedAt}, next_update = ${nextUpdate}, etag = ${etag},
            last_modified = ${lastModified}, read_at = ${now}, checked_at = ${now}, due_at = ${dueAt}, leased_until = NULL,
            failed_check = NULL, failure = NULL, failed_at = NULL, alert = ${alert}::text,
            alert_at = CASE WHEN ${alert}::text IS NULL THEN NULL ELSE COALESCE(alert_at, ${now}::timestamptz) END
          WHERE id = ${id} AND version = ${after} RETURNING id`,
      )
      const events = [
        audited({ of: changed, actor: null, action: 'trust-list.changed', subject: 'trust-list' }),
        ...(isNewAlert
          ? [
              audited({
                of: changed,
                actor: null,
                action: 'trust-list.own_certificate_removed',
                subject: 'trust-list',
                name: 'audited_alert',
              }),
            ]
          : []),
      ]
      await sql(idRow, events)`SELECT id FROM ${changed}`
    },

    /** Stores that the address confirmed the content. */
    async confirm(id: string, now: Date, dueAt: Date, etag: string | null, lastModified: string | null): Promise<void> {
      await sql(noRow)`
        UPDATE trust_list_documents SET checked_at = ${now}, due_at = ${dueAt}, leased_until = NULL, failed_check = NULL, failure = NULL,
          failed_at = NULL, etag = COALESCE(${etag}, etag), last_modified = COALESCE(${lastModified}, last_modified) WHERE id = ${id}`
    },

    /** Stores that the list could not be read, or that its content was refused. The last accepted content stays. */
    async fail(id: string, check: string, failure: string, now: Date, dueAt: Date): Promise<void> {
      await sql(noRow)`
        UPDATE trust_list_documents SET due_at = ${dueAt}, leased_until = NULL, failed_check = ${check},
          failure = ${failure.slice(0, LONGEST_FAILURE)}, failed_at = COALESCE(failed_at, ${now}::timestamptz) WHERE id = ${id}`
    },

    /**
     * Notes the state of a list, with an audit event. The statement writes nothing if another process has noted a state
     * meanwhile, or has read the list again. The first good content of a list is no event: the list was added, or its content has changed.
     */
    async noteState(known: DocumentState, state: keyof typeof STATE_EVENTS): Promise<void> {
      const { id, version, checkedAt, failedAt, notedState } = known
      const noted = new Step<'id'>(
        'noted',
        fragment`
          UPDATE trust_list_documents SET noted_state = ${state}
          WHERE id = ${id} AND version = ${version} AND checked_at IS NOT DISTINCT FROM ${checkedAt}::timestamptz
            AND failed_at IS NOT DISTINCT FROM ${failedAt}::timestamptz AND noted_state IS NOT DISTINCT FROM ${notedState}::text
          RETURNING id`,
      )
      const isEvent = state !== 'usable' || notedState !== null
      const event = audited({ of: noted, actor: null, action: STATE_EVENTS[state], subject: 'trust-list' })
      await sql(idRow, isEvent ? [event] : [])`SELECT id FROM ${noted}`
    },

    /** The states of documents. Documents that nobody has noted yet have none. */
    states: (ids: readonly string[]): Promise<DocumentState[]> =>
      sql(zState)`SELECT ${stateColumns} FROM trust_list_documents d WHERE d.id = ANY(${[...ids]}::text[])`,

    /** The last accepted content of a document. */
    async content(id: string): Promise<{ readonly version: number; readonly bytes: Uint8Array } | undefined> {
      const [row] = await sql(zContent)`SELECT version, content FROM trust_list_documents WHERE id = ${id}`
      return row === undefined || row.content === null ? undefined : { version: row.version, bytes: row.content }
    },

    /** Removes documents that no configuration and no added list has named since a time, at most `limit`. */
    async removeUnwanted(before: Date, limit: number): Promise<number> {
      const rows = await sql(idRow)`
        DELETE FROM trust_list_documents WHERE id IN (
          SELECT id FROM trust_list_documents WHERE wanted_at < ${before} LIMIT ${limit} FOR UPDATE SKIP LOCKED) RETURNING id`
      return rows.length
    },
  }
}
