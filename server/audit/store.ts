import { z } from 'zod'
import type { Database } from '../database/connect.js'
import { fragment } from '../database/fragment.js'
import { type TimedPart, timedPart, where } from '../database/list-position.js'
import { json } from '../database/row-shapes.js'
import type { PartitionPlan } from '../maintenance/partitions/task.js'
import { DAY_SECONDS, secondsBefore } from '../maintenance/task.js'
import type { AuditDetail } from './audit.js'

const zAuditEvent = z.strictObject({
  id: z.string(),
  createdAt: z.date(),
  actor: z.string().nullable(),
  action: z.string(),
  subject: z.string(),
  subjectId: z.string(),
  detail: json<AuditDetail>().nullable(),
})

/**
 * A stored audit event. `id` is the number of the event with leading zeros, so that ids sort in the order of the
 * numbers.
 */
export type AuditEvent = z.infer<typeof zAuditEvent>

export interface AuditFilters {
  readonly action?: string | undefined
  readonly actor?: string | undefined
  /** The kind of the changed record. */
  readonly subject?: string | undefined
  readonly subjectId?: string | undefined
}

const number = fragment`lpad(a.id::text, 19, '0')`

const columns = fragment`
  ${number} AS id, a.at AS "createdAt", a.actor, a.action, a.subject, a.subject_id AS "subjectId", a.detail`

/**
 * `kinds`: all actions with the kind of their subjects, found by jumping from action to action in the index of actions.
 * There is no index by time alone, because it would have to be updated for each new event.
 */
const kinds = fragment`
  actions(action) AS (
    SELECT min(action) FROM audit_events
    UNION ALL SELECT (SELECT min(e.action) FROM audit_events e WHERE e.action > before.action) FROM actions before
    WHERE before.action IS NOT NULL),
  kinds AS (
    SELECT actions.action, latest.subject FROM actions
    CROSS JOIN LATERAL (
      SELECT a.subject FROM audit_events a WHERE a.action = actions.action ORDER BY a.at DESC LIMIT 1) latest)`

const end = (part: TimedPart) => timedPart(fragment`a.at`, number, part)

const conditions = ({ action, actor, subject, subjectId }: AuditFilters) => fragment`
  ${where(action, (is) => fragment`a.action = ${is}`)}
  ${where(actor, (is) => fragment`a.actor = ${is}`)}
  ${where(subject, (is) => fragment`a.subject = ${is}`)}
  ${where(subjectId, (is) => fragment`a.subject_id = ${is}`)}`

/** Maximum number of events in the history of a credential. */
const HISTORY = 200

/**
 * Partitions are made for the months ahead. A partition is dropped when all its events are older than the retention.
 *
 * @param retentionDays undefined: no partition is dropped
 */
export const auditPartitions = (retentionDays: number | undefined): PartitionPlan => ({
  table: 'audit_events',
  step: 'month',
  ahead: 2,
  writesAheadSeconds: 0,
  ...(retentionDays === undefined
    ? {}
    : { droppable: async ({ until }, now) => until <= secondsBefore(now, retentionDays * DAY_SECONDS) }),
})

export type AuditStore = ReturnType<typeof createAuditStore>

export function createAuditStore({ bounded, sql }: Database) {
  return {
    /** Audit events, the newest first. */
    page(filters: AuditFilters, part: TimedPart): Promise<AuditEvent[]> {
      const { action, actor, subject, subjectId } = filters
      if (action !== undefined || actor !== undefined) {
        return bounded(
          zAuditEvent,
        )`SELECT ${columns} FROM audit_events a WHERE true ${conditions(filters)} ${end(part)}`
      }
      const ofThing = fragment`a.subject = things.subject ${conditions(filters)} ${end(part)}`
      const ofAction = fragment`a.action = things.action ${conditions(filters)} ${end(part)}`
      const things = subjectId === undefined ? fragment`kinds` : fragment`(SELECT DISTINCT subject FROM kinds)`
      return bounded(zAuditEvent)`
        WITH RECURSIVE ${kinds}
        SELECT newest.* FROM ${things} AS things
        CROSS JOIN LATERAL (SELECT ${columns} FROM audit_events a WHERE ${subjectId === undefined ? ofAction : ofThing}) newest
        WHERE true ${where(subject, (is) => fragment`things.subject = ${is}`)}
        ORDER BY newest."createdAt" DESC, newest.id DESC LIMIT ${part.take}`
    },

    /** Returns the events of a credential and of the credential's offering, the newest first. */
    ofCredential: (id: string, offeringId: string | null): Promise<AuditEvent[]> =>
      sql(zAuditEvent)`
        SELECT ${columns} FROM audit_events a
        WHERE (a.subject = 'credential' AND a.subject_id = ${id}) OR (a.subject = 'offering' AND a.subject_id = ${offeringId})
        ORDER BY a.at DESC, a.id DESC LIMIT ${HISTORY}`,
  }
}
