import { z } from 'zod'
import type { Database } from '../database/connect.js'
import { fragment, Step } from '../database/fragment.js'
import { type TimedPart, timedPart, where } from '../database/list-position.js'
import { json, noRow } from '../database/row-shapes.js'
import { EVENT_TYPES } from './events.js'
import { OUTCOMES } from './webhooks.contract.js'

const zDelivery = z.strictObject({
  id: z.string(),
  type: z.enum(EVENT_TYPES),
  createdAt: z.date(),
  outcome: z.enum(OUTCOMES),
  tries: z.int(),
  triedAt: z.date().nullable(),
  status: z.int().nullable(),
  milliseconds: z.int().nullable(),
  answer: z.string().nullable(),
  error: z.string().nullable(),
  data: json(),
})

/** A recorded event of a webhook, and how its last try ended. */
export type Delivery = z.infer<typeof zDelivery>

/** A test that was sent. */
export interface SentTest {
  readonly id: string
  readonly webhookId: string
  readonly at: Date
  readonly data: Readonly<Record<string, unknown>>
  readonly delivered: boolean
  readonly status: number | null
  readonly milliseconds: number
  readonly answer: string | null
  readonly error: string | null
}

const zOutcome = z.strictObject({ outcome: z.enum(OUTCOMES) })
const zCount = z.strictObject({ count: z.int() })

const columns = fragment`
  d.id, d.type, d.at AS "createdAt", d.outcome, d.tries, d.tried_at AS "triedAt", d.status, d.milliseconds, d.answer, d.error, d.data`

/** One waiting event, as the statements of transitions write it. */
const waiting = fragment`jsonb_build_object('id', d.id, 'at', d.at, 'type', d.type, 'data', d.data)`

export type DeliveryStore = ReturnType<typeof createDeliveryStore>

/** Recorded events of webhooks, for lists and for repeated deliveries. */
export function createDeliveryStore({ sql, bounded }: Database) {
  return {
    /** Deliveries of a webhook, newest first. */
    page: (webhookId: string, outcome: Delivery['outcome'] | undefined, part: TimedPart): Promise<Delivery[]> =>
      bounded(zDelivery)`
        SELECT ${columns} FROM webhook_deliveries d
        WHERE d.webhook_id = ${webhookId} ${where(outcome, (is) => fragment`d.outcome = ${is}`)}
        ${timedPart(fragment`d.at`, fragment`d.id`, part)}`,

    /**
     * Sends a delivery again, unless it still waits. It has a line of its own, so it waits for no other event.
     *
     * @returns its outcome before; undefined for an unknown delivery
     */
    async resend(webhookId: string, id: string): Promise<Delivery['outcome'] | undefined> {
      const found = new Step<'id' | 'at' | 'type' | 'data' | 'outcome'>(
        'found',
        fragment`
          SELECT id, at, type, data, outcome FROM webhook_deliveries WHERE id = ${id} AND webhook_id = ${webhookId} LIMIT 1`,
      )
      const again = new Step<'id' | 'at' | 'type' | 'data'>(
        'again',
        fragment`
          UPDATE webhook_deliveries d SET outcome = 'pending' FROM ${found}
          WHERE d.id = ${found.column('id')} AND d.at = ${found.column('at')} AND d.outcome <> 'pending'
          RETURNING d.id, d.at, d.type, d.data`,
      )
      const line = new Step(
        'line',
        fragment`
          INSERT INTO webhook_lines (webhook_id, subject, next_at, waiting)
          SELECT ${webhookId}, 'resend:' || d.id, '-infinity', jsonb_build_array(${waiting}) FROM ${again} d`,
      )
      const [row] = await sql(zOutcome, [line])`SELECT outcome FROM ${found}`
      return row?.outcome
    },

    /**
     * Sends the events of a period again, except those that still wait. The events of one session stay in order. Their lines are new, so
     * they wait for no later event of the session.
     *
     * @param replayId distinguishes the lines of two replays
     * @param most nothing is sent if there are more events
     * @returns the number of events of the period
     */
    async replay(
      { webhookId, replayId }: { readonly webhookId: string; readonly replayId: string },
      from: Date,
      to: Date,
      most: number,
    ): Promise<number> {
      const chosen = new Step<'id' | 'at'>(
        'chosen',
        fragment`
          SELECT id, at FROM webhook_deliveries
          WHERE webhook_id = ${webhookId} AND at >= ${from} AND at < ${to} AND outcome <> 'pending' AND type <> 'webhook.test'
          LIMIT ${most + 1}`,
      )
      const again = new Step<'id' | 'at' | 'seq' | 'type' | 'subject' | 'data'>(
        'again',
        fragment`
          UPDATE webhook_deliveries d SET outcome = 'pending' FROM ${chosen}
          WHERE d.id = ${chosen.column('id')} AND d.at = ${chosen.column('at')} AND d.outcome <> 'pending'
            AND (SELECT count(*) FROM ${chosen}) <= ${most}::int
          RETURNING d.id, d.at, d.seq, d.type, d.subject, d.data`,
      )
      const lines = new Step(
        'lines',
        fragment`
          INSERT INTO webhook_lines (webhook_id, subject, next_at, waiting)
          SELECT ${webhookId}, 'replay:' || ${replayId}::text || ':' || d.subject, '-infinity', jsonb_agg(${waiting} ORDER BY d.seq)
          FROM ${again} d GROUP BY d.subject`,
      )
      const [row] = await sql(zCount, [lines])`SELECT count(*)::int AS count FROM ${chosen}`
      return row?.count ?? 0
    },

    /** Records a test that was sent. */
    async recordTest(test: SentTest): Promise<void> {
      await sql(noRow)`
        INSERT INTO webhook_deliveries (id, webhook_id, at, type, subject, data, outcome, tries, tried_at, status, milliseconds, answer, error)
        VALUES (${test.id}, ${test.webhookId}, ${test.at}, 'webhook.test', ${test.webhookId}, ${JSON.stringify(test.data)}::jsonb,
          ${test.delivered ? 'delivered' : 'failed'}, 1, ${test.at}, ${test.status}::int, ${test.milliseconds}, ${test.answer}::text, ${test.error}::text)`
    },
  }
}
