import { z } from 'zod'
import type { Database } from '../database/connect.js'
import { fragment, Step } from '../database/fragment.js'
import { json } from '../database/row-shapes.js'
import type { EventType } from './events.js'

/** A recorded event as it waits: ids and states. */
export interface WaitingEvent {
  /** The `webhook-id`. */
  readonly id: string
  /** When it occurred, ISO 8601. */
  readonly at: string
  readonly type: EventType
  readonly data: Readonly<Record<string, unknown>>
}

const zClaimed = z.strictObject({
  webhookId: z.string(),
  subject: z.string(),
  slot: z.int(),
  tries: z.int(),
  event: json<WaitingEvent>(),
  url: z.string(),
  payload: z.enum(['thin', 'full']),
  secret: z.string(),
})

/** An event that this process tries now. No other process tries it before the end of the lease. */
export type Claimed = z.infer<typeof zClaimed>

/** How a try ended. */
export interface TryEnd {
  readonly webhookId: string
  readonly subject: string
  readonly slot: number
  /** Whether the worker is done with the slot. */
  readonly last: boolean
  /** Id and time of the event. */
  readonly id: string
  readonly at: string
  /** `retry`: another try follows at `nextAt`. `failed`: it was the last try. `unsent`: the worker took the event and did not send it. */
  readonly outcome: 'delivered' | 'retry' | 'failed' | 'unsent'
  readonly triedAt?: string
  readonly nextAt?: string
  readonly status?: number
  readonly milliseconds?: number
  readonly answer?: string
  readonly error?: string
  /** The receiver answered 410 and wants no more deliveries. */
  readonly gone?: true
}

const zLater = z.strictObject({ id: z.string() })
const zCount = z.strictObject({ count: z.int() })

/** A receiver that failed this often in a row gets one try at a time. The database function `record_webhook_tries` has the same number. */
const FAILING = 5

/** Events that one slot of a well receiver gets at once. */
export const BATCH = 32

export type OutboxStore = ReturnType<typeof createOutboxStore>

/** The outbox of webhooks, from which the workers take events. */
export function createOutboxStore({ sql }: Database) {
  return {
    /**
     * Takes events that are due, for free slots of webhooks. A slot gets several events if the receiver is well and no claims are sent:
     * the worker sends the events of a slot one after the other. The first event of a line must be delivered or given up before the next
     * one is taken. Rows that another process has locked are skipped.
     *
     * @param most the highest number of slots
     * @param lease until when no other process takes the events
     */
    take(now: Date, lease: Date, most: number): Promise<Claimed[]> {
      const slots = new Step<'webhook_id' | 'slot' | 'batch'>(
        'slots',
        fragment`
          SELECT s.webhook_id, s.slot, CASE WHEN w.failures = 0 AND w.payload = 'thin' THEN ${BATCH}::int ELSE 1 END AS batch
          FROM webhook_slots s JOIN webhooks w ON w.id = s.webhook_id
          WHERE w.active AND w.disabled_at IS NULL AND s.until <= ${now} AND (w.failures < ${FAILING}::int OR s.slot = 1)
            AND EXISTS (SELECT FROM webhook_lines l WHERE l.webhook_id = s.webhook_id AND l.next_at <= ${now})
          ORDER BY s.until, s.slot LIMIT ${most} FOR UPDATE OF s SKIP LOCKED`,
      )
      const due = new Step<'webhook_id' | 'subject'>(
        'due',
        fragment`
          SELECT l.webhook_id, l.subject FROM (SELECT webhook_id, count(*) * min(batch) AS room FROM ${slots} GROUP BY webhook_id) f
          CROSS JOIN LATERAL (
            SELECT o.webhook_id, o.subject FROM webhook_lines o WHERE o.webhook_id = f.webhook_id AND o.next_at <= ${now}
            ORDER BY o.next_at LIMIT f.room FOR UPDATE SKIP LOCKED) l`,
      )
      const pairs = new Step<'webhook_id' | 'subject' | 'slot'>(
        'pairs',
        fragment`
          SELECT d.webhook_id, d.subject, s.slot
          FROM (SELECT *, row_number() OVER (PARTITION BY webhook_id) AS n FROM ${due}) d
          JOIN (SELECT *, row_number() OVER (PARTITION BY webhook_id ORDER BY slot) AS n, count(*) OVER (PARTITION BY webhook_id) AS free
                FROM ${slots}) s
            ON s.webhook_id = d.webhook_id AND s.n = (d.n - 1) % s.free + 1`,
      )
      const used = new Step(
        'used',
        fragment`
          UPDATE webhook_slots s SET until = ${lease} FROM ${pairs} WHERE s.webhook_id = ${pairs.column('webhook_id')} AND s.slot = ${pairs.column('slot')}`,
      )
      const taken = new Step<'webhook_id' | 'subject' | 'slot' | 'tries' | 'event'>(
        'taken',
        fragment`
          UPDATE webhook_lines l SET next_at = ${lease} FROM ${pairs}
          WHERE l.webhook_id = ${pairs.column('webhook_id')} AND l.subject = ${pairs.column('subject')}
          RETURNING l.webhook_id, l.subject, ${pairs.column('slot')}, l.tries, l.waiting -> 0 AS event`,
      )
      return sql(zClaimed, [used])`
        SELECT t.webhook_id AS "webhookId", t.subject, t.slot, t.tries, t.event, w.url, w.payload, w.secret
        FROM ${taken} t JOIN webhooks w ON w.id = t.webhook_id`
    },

    /** Records how tries ended. @returns the ids of the events whose tries must be recorded later, because their lines are locked */
    async record(ends: readonly TryEnd[]): Promise<string[]> {
      const rows = await sql(zLater)`
        SELECT id FROM record_webhook_tries(${JSON.stringify(ends)}::jsonb) AS later(id)`
      return rows.map(({ id }) => id)
    },

    /** Deletes lines of deleted webhooks, and lines whose first event occurred before a moment, at most `limit`. */
    async removeOrphans(before: Date, limit: number): Promise<number> {
      const [row] = await sql(zCount)`
        WITH orphans AS (
          SELECT l.webhook_id, l.subject FROM webhook_lines l
          WHERE NOT EXISTS (SELECT FROM webhooks w WHERE w.id = l.webhook_id)
            OR (l.waiting -> 0 ->> 'at')::timestamptz < ${before}
          LIMIT ${limit} FOR UPDATE SKIP LOCKED),
        removed AS (
          DELETE FROM webhook_lines l USING orphans o WHERE l.webhook_id = o.webhook_id AND l.subject = o.subject RETURNING 1)
        SELECT count(*)::int AS count FROM removed`
      return row?.count ?? 0
    },
  }
}
