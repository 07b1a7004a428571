import { z } from 'zod'
import { recordAudit } from '../audit/audit.js'
import { audited } from '../database/audited.js'
import type { Database } from '../database/connect.js'
import { emptyFragment, type Fragment, fragment, Step } from '../database/fragment.js'
import { type TimedPart, timedPart } from '../database/list-position.js'
import { madeBy } from '../database/made-by.js'
import { rowsOf } from '../database/row-check.js'
import { idRow, noRow } from '../database/row-shapes.js'
import { Prisma } from '../generated/prisma/client.js'

const zWebhook = z.strictObject({
  id: z.string(),
  url: z.string(),
  events: z.array(z.string()),
  description: z.string().nullable(),
  payload: z.enum(['thin', 'full']),
  signature: z.enum(['v1', 'v1a']),
  active: z.boolean(),
  publicKey: z.string().nullable(),
  createdBy: z.string().nullable(),
  createdAt: z.date(),
  disabledAt: z.date().nullable(),
  failingSince: z.date().nullable(),
  lastSuccessAt: z.date().nullable(),
  lastError: z.string().nullable(),
  lastErrorAt: z.date().nullable(),
})

/** A webhook without its secret. */
export type Webhook = z.infer<typeof zWebhook>

/** A webhook as its creator made it, with its protected secret and the events that the creator may receive. */
export interface NewWebhook
  extends Pick<
    Webhook,
    | 'id'
    | 'url'
    | 'events'
    | 'description'
    | 'payload'
    | 'signature'
    | 'active'
    | 'publicKey'
    | 'createdBy'
    | 'createdAt'
  > {
  readonly secret: string
  readonly ofAdmin: boolean
  readonly issuing: boolean
  readonly verifying: boolean
}

/** Changed members of a webhook; undefined members stay. */
export interface WebhookChange {
  readonly url?: string | undefined
  readonly events?: readonly string[] | undefined
  readonly description?: string | null | undefined
  readonly payload?: 'thin' | 'full' | undefined
  readonly active?: boolean | undefined
}

const zKeptWebhook = zWebhook.extend({ secret: z.string() })

/** A webhook with its protected secret. */
export type KeptWebhook = z.infer<typeof zKeptWebhook>

const zHealth = z.strictObject({
  url: z.string(),
  disabled: z.boolean(),
  lastError: z.string().nullable(),
})

/** The health of a webhook for the checklist. */
export type WebhookHealth = z.infer<typeof zHealth>

const zOverview = z.strictObject({ disabled: z.int(), waiting: z.int() })
const zActive = z.strictObject({ active: z.boolean() })
const zCount = z.strictObject({ count: z.int() })

/** Key of the advisory lock that orders the creations of webhooks, so that each creation counts all earlier ones. */
const CREATION_LOCK = 4_203_118_811

/** Number of tries that run at the same time for one webhook. */
const SLOTS = 4

/** Limit for the waiting sessions and credentials that are counted. */
const MOST_COUNTED = 10_000

/** Limit for the webhooks of the checklist. */
const MAX_SHOWN = 200

const columns = fragment`
  w.id, w.url, w.events, w.description, w.payload, w.signature, w.active AND w.disabled_at IS NULL AS active, w.public_key AS "publicKey",
  w.created_by AS "createdBy", w.created_at AS "createdAt", w.disabled_at AS "disabledAt", w.failing_since AS "failingSince",
  w.last_success_at AS "lastSuccessAt", w.last_error AS "lastError", w.last_error_at AS "lastErrorAt"`

/** The maximum number of waiting lines that an activation tries at once. The other lines keep their times. */
const MOST_WOKEN = 10_000

export type WebhookStore = ReturnType<typeof createWebhookStore>

export function createWebhookStore({ prisma, sql, bounded }: Database) {
  return {
    /** Webhooks, newest first. @param creator the only creator whose webhooks are listed; undefined for all */
    page: (creator: string | null | undefined, part: TimedPart): Promise<Webhook[]> =>
      bounded(zWebhook)`
        SELECT ${columns} FROM webhooks w WHERE ${madeBy(fragment`w.created_by`, creator)}
        ${timedPart(fragment`w.created_at`, fragment`w.id`, part)}`,

    /** A webhook. @param creator the only creator whose webhooks are found; undefined for all */
    async find(id: string, creator: string | null | undefined): Promise<KeptWebhook | undefined> {
      const [row] = await sql(zKeptWebhook)`
        SELECT ${columns}, w.secret FROM webhooks w WHERE w.id = ${id} AND ${madeBy(fragment`w.created_by`, creator)}`
      return row
    },

    /**
     * Inserts a webhook with its audit row, unless its creator has the highest number of webhooks.
     *
     * @returns whether it was inserted
     */
    create: (webhook: NewWebhook, most: number): Promise<boolean> =>
      prisma.$transaction(async (tx) => {
        await tx.$executeRaw`SELECT pg_advisory_xact_lock(${CREATION_LOCK})`
        const counted = Prisma.sql`
          SELECT count(*)::int AS count FROM webhooks WHERE created_by IS NOT DISTINCT FROM ${webhook.createdBy}`
        const [row] = rowsOf(zCount, await tx.$queryRaw<unknown[]>(counted), counted.sql)
        if ((row?.count ?? 0) >= most) return false
        await tx.webhook.create({
          data: {
            ...webhook,
            events: [...webhook.events],
            slots: { create: Array.from({ length: SLOTS }, (_, index) => ({ slot: index + 1 })) },
          },
        })
        await recordAudit(tx, {
          actor: webhook.createdBy,
          action: 'webhook.created',
          subject: 'webhook',
          subjectId: webhook.id,
        })
        return true
      }),

    /** Changes a webhook. @returns undefined for a webhook that the creator does not have */
    async change(
      id: string,
      change: WebhookChange,
      creator: string | null | undefined,
      actor: string | null,
    ): Promise<Webhook | undefined> {
      const { url, events, description, payload, active } = change
      const settings: readonly Fragment[] = [
        ...(url === undefined ? [] : [fragment`, url = ${url}`]),
        ...(events === undefined ? [] : [fragment`, events = ${[...events]}::text[]`]),
        ...(description === undefined ? [] : [fragment`, description = ${description}::text`]),
        ...(payload === undefined ? [] : [fragment`, payload = ${payload}`]),
        ...(active === undefined ? [] : [fragment`, active = ${active}`]),
        ...(active === true ? [fragment`, disabled_at = NULL, failures = 0, failing_since = NULL`] : []),
      ]
      const all = settings.reduce((before, next) => fragment`${before}${next}`, emptyFragment)
      const changed = new Step<'id'>(
        'changed',
        fragment`
          UPDATE webhooks w SET created_at = w.created_at ${all} WHERE w.id = ${id} AND ${madeBy(fragment`w.created_by`, creator)} RETURNING *`,
      )
      // Lines that another statement has locked keep their times.
      const woken = new Step(
        'woken',
        fragment`
          UPDATE webhook_lines l SET next_at = '-infinity', tries = 0 FROM (
            SELECT o.webhook_id, o.subject FROM webhook_lines o JOIN ${changed} ON ${changed.column('id')} = o.webhook_id
            LIMIT ${MOST_WOKEN} FOR UPDATE OF o SKIP LOCKED) due
          WHERE l.webhook_id = due.webhook_id AND l.subject = due.subject`,
      )
      const recorded = audited({ of: changed, actor, action: 'webhook.changed', subject: 'webhook' })
      const [row] = await sql(zWebhook, active === true ? [woken, recorded] : [recorded])`
        SELECT ${columns} FROM ${changed} w`
      return row
    },

    /** Replaces the secret. @returns false for a webhook that the creator does not have */
    async replaceSecret(
      id: string,
      { secret, publicKey }: Pick<NewWebhook, 'secret' | 'publicKey'>,
      former: string,
      actor: string | null,
    ): Promise<boolean> {
      const replaced = new Step<'id'>(
        'replaced',
        fragment`
          UPDATE webhooks SET secret = ${secret}, public_key = ${publicKey}::text WHERE id = ${id} AND secret = ${former} RETURNING id`,
      )
      const recorded = audited({ of: replaced, actor, action: 'webhook.secret_replaced', subject: 'webhook' })
      const rows = await sql(idRow, [recorded])`SELECT id FROM ${replaced}`
      return rows.length > 0
    },

    /** Deletes a webhook and its waiting events. @returns false for a webhook that the creator does not have */
    async remove(id: string, creator: string | null | undefined, actor: string | null): Promise<boolean> {
      const removed = new Step<'id'>(
        'removed',
        fragment`DELETE FROM webhooks w WHERE w.id = ${id} AND ${madeBy(fragment`w.created_by`, creator)} RETURNING w.id`,
      )
      const recorded = audited({ of: removed, actor, action: 'webhook.deleted', subject: 'webhook' })
      const rows = await sql(idRow, [recorded])`SELECT id FROM ${removed}`
      return rows.length > 0
    },

    /** Records that a caller replayed events. */
    async recordReplay(id: string, actor: string | null): Promise<void> {
      const replayed = new Step<'id'>('replayed', fragment`SELECT id FROM webhooks WHERE id = ${id}`)
      const recorded = audited({ of: replayed, actor, action: 'webhook.replayed', subject: 'webhook' })
      await sql(noRow, [recorded])`SELECT FROM ${replayed} WHERE false`
    },

    /** Whether any webhook is active. */
    async isAnyActive(): Promise<boolean> {
      const [row] = await sql(zActive)`
        SELECT EXISTS (SELECT FROM webhooks WHERE active AND disabled_at IS NULL) AS active`
      return row?.active === true
    },

    /** Numbers for metrics. Waiting sessions and credentials are counted up to a limit. */
    async overview(): Promise<{ readonly disabled: number; readonly waiting: number }> {
      const [row] = await sql(zOverview)`
        SELECT (SELECT count(*)::int FROM webhooks WHERE disabled_at IS NOT NULL) AS disabled,
          (SELECT count(*)::int FROM (SELECT FROM webhook_lines LIMIT ${MOST_COUNTED}) l) AS waiting`
      return row ?? { disabled: 0, waiting: 0 }
    },

    /** The active webhooks and those that the service switched off, the disabled and failing ones first. */
    health: (): Promise<WebhookHealth[]> =>
      sql(zHealth)`
        SELECT url, disabled_at IS NOT NULL AS disabled, CASE WHEN failing_since IS NOT NULL OR disabled_at IS NOT NULL THEN last_error END AS "lastError"
        FROM webhooks WHERE active
        ORDER BY disabled_at IS NULL, failing_since IS NULL, created_at LIMIT ${MAX_SHOWN}`,
  }
}
