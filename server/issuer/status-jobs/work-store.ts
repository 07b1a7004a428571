import { z } from 'zod'
import { recordAudit } from '../../audit/audit.js'
import type { Database } from '../../database/connect.js'
import { rowsOf } from '../../database/row-check.js'
import { noRow, storedClaims } from '../../database/row-shapes.js'
import { Prisma } from '../../generated/prisma/client.js'
import type { ClaimsVault, ProtectedClaims } from '../../keys/claims/vault.js'
import { STATUS_CHANGES, STATUS_REASONS, type StatusChange, type StatusReason } from '../credentials/status.js'
import {
  type Confidential,
  JOB_STATES,
  type Listed,
  MAX_MATCHED,
  MAX_UNFINISHED,
  MOST_COUNTED,
  type Scope,
} from './status-job.js'
import { CONFIDENTIAL } from './store.js'

/** The credentials that a job is about: its filter, and the time of its creation. */
export interface Chosen {
  readonly scope: Scope
  readonly listed: Listed
  /** Later credentials are not matched. */
  readonly until: Date
}

/** A new job. */
export interface NewJob {
  readonly id: string
  readonly createdBy: string | null
  readonly action: StatusChange
  readonly reason: StatusReason | null
  readonly scope: Scope
  readonly confidential: Confidential
  readonly createdAt: Date
}

/** The result of a try to store a job. Only `stored` has written something. */
export type Stored =
  | { readonly outcome: 'stored' }
  | { readonly outcome: 'too-large'; readonly matched: number }
  | { readonly outcome: 'too-many' }
  | { readonly outcome: 'overlaps'; readonly id: string }

const zCount = z.strictObject({ count: z.int() })
const zFound = z.strictObject({ found: z.literal(1) })
const zOutcome = z.strictObject({
  outcome: z.enum(['changed', 'unchanged', 'revoked', 'not-suspendable']),
  count: z.int(),
})

/** The number of credentials with an outcome. */
export type OutcomeCount = z.infer<typeof zOutcome>

const zUnfinished = z.strictObject({
  id: z.string(),
  scope: z.custom<Scope>((value) => typeof value === 'object' && value !== null),
  confidential: storedClaims,
  key: z.string().nullable(),
  createdAt: z.date(),
})

const zDue = zUnfinished.extend({
  state: z.enum(JOB_STATES),
  action: z.enum(STATUS_CHANGES),
  reason: z.enum(STATUS_REASONS).nullable(),
  createdBy: z.string().nullable(),
  matched: z.int(),
  position: z.int(),
  hasLists: z.boolean(),
})

type Due = z.infer<typeof zDue>

const zItem = z.strictObject({ id: z.string() })

const zChanged = z.strictObject({
  changed: z.array(z.string()),
  unchanged: z.int(),
  revoked: z.int(),
  notSuspendable: z.int(),
  removed: z.int(),
  lists: z.array(z.string()),
})

const zAnnounced = z.strictObject({ lists: z.int().nullable() })

/** The result of one step of work. */
export interface Worked {
  /** Number of processed credentials. */
  readonly count: number
  /** False if no job has work, or if a job only waits until its status lists may have a new version. */
  readonly more: boolean
}

const NOTHING: Worked = { count: 0, more: false }

/** Key of the advisory lock: jobs are stored one after the other, so that two of them never share a credential. */
const CREATION_LOCK = 4_203_118_830

/** Time limit of a transaction, in milliseconds. The longest one lists the credentials of a job. */
const TRANSACTION_MS = 120_000

/** The lowest time between two new versions of a status list, in milliseconds. */
const ANNOUNCE_MS = 1_000

/** Items of a cancelled job that are deleted at once. */
const ITEMS_DELETED = 10_000

const NOTE = 'credentials.status_note'

/** The condition of a filter, for a row `c` of `credentials`. */
function conditionOf({ scope, listed, until }: Chosen): Prisma.Sql {
  const { schema, offering, batch, issuedFrom, issuedTo } = scope
  const { ids, referenceHashes } = listed
  const parts = [Prisma.sql`c.created_at <= ${until}::timestamptz`]
  if (schema !== undefined)
    parts.push(Prisma.sql`c.schema_id IN (SELECT v.id FROM schemas v WHERE v.id = ${schema} OR v.name = ${schema})`)
  if (offering !== undefined)
    parts.push(Prisma.sql`c.id IN (SELECT r.credential_id FROM redemptions r WHERE r.offering_id = ${offering})`)
  if (batch !== undefined)
    parts.push(Prisma.sql`
      c.id IN (SELECT r.credential_id FROM offerings o JOIN redemptions r ON r.offering_id = o.id WHERE o.batch_id = ${batch})`)
  if (ids !== undefined) parts.push(Prisma.sql`c.id = ANY(${[...ids]}::text[])`)
  if (referenceHashes !== undefined) parts.push(Prisma.sql`c.reference_hash = ANY(${[...referenceHashes]}::text[])`)
  if (issuedFrom !== undefined) parts.push(Prisma.sql`c.created_at >= ${new Date(issuedFrom)}::timestamptz`)
  if (issuedTo !== undefined) parts.push(Prisma.sql`c.created_at < ${new Date(issuedTo)}::timestamptz`)
  return Prisma.join(parts, ' AND ')
}

type Client = Pick<Prisma.TransactionClient, '$queryRaw'>

const ask = async <Row>(client: Client, shape: z.ZodType<Row>, statement: Prisma.Sql): Promise<Row[]> =>
  rowsOf(shape, await client.$queryRaw<unknown[]>(statement), statement.sql)

async function countOf(client: Client, chosen: Chosen): Promise<number> {
  const [row] = await ask(
    client,
    zCount,
    Prisma.sql`
      SELECT count(*)::int AS count FROM (
        SELECT 1 FROM credentials c WHERE ${conditionOf(chosen)} LIMIT ${MOST_COUNTED + 1}) matched`,
  )
  return row?.count ?? 0
}

/** The content keys of claims, for a statement of their own. */
const storeKeys = (client: Client, claims: readonly ProtectedClaims[]): Promise<unknown> => {
  const encrypted = claims.filter(({ wrappedKey }) => wrappedKey !== null)
  if (encrypted.length === 0) return Promise.resolve()
  return ask(
    client,
    noRow,
    Prisma.sql`
      INSERT INTO content_keys (row_id, column_name, wrapped)
      SELECT * FROM unnest(${encrypted.map(({ place }) => place.id)}::text[], ${encrypted.map(({ place }) => place.column)}::text[],
        ${encrypted.map(({ wrappedKey }) => wrappedKey ?? '')}::text[])
      ON CONFLICT (row_id, column_name) DO UPDATE SET wrapped = EXCLUDED.wrapped`,
  )
}

export type StatusWorkStore = ReturnType<typeof createStatusWorkStore>

/**
 * Stores jobs and does their work. Each step of work is one transaction: it takes items, changes their credentials, and counts them. So a
 * killed process loses at most the running step, and no credential is changed twice. A step locks its job, and other processes skip
 * locked jobs.
 *
 * @param most the highest number of credentials of a new job
 */
export function createStatusWorkStore({ prisma }: Database, claims: ClaimsVault, most = MAX_MATCHED) {
  const confidentialOf = ({ id, confidential, key }: z.infer<typeof zUnfinished>): Confidential =>
    claims.reveal<Confidential>({ column: CONFIDENTIAL, id }, confidential, key) ?? {}

  const chosenBy = (job: z.infer<typeof zUnfinished>): Chosen => ({
    scope: job.scope,
    listed: confidentialOf(job),
    until: job.createdAt,
  })

  const keyColumn = Prisma.sql`
    (SELECT k.wrapped FROM content_keys k WHERE k.row_id = j.id AND k.column_name = ${CONFIDENTIAL}) AS key`

  /** The first unfinished job that has a credential in common with a new one. */
  const overlapping = async (client: Client, unfinished: readonly z.infer<typeof zUnfinished>[], chosen: Chosen) => {
    for (const job of unfinished) {
      const found = await ask(
        client,
        zFound,
        Prisma.sql`
          SELECT 1 AS found FROM credentials c WHERE ${conditionOf(chosen)} AND ${conditionOf(chosenBy(job))} LIMIT 1`,
      )
      if (found.length > 0) return job.id
    }
    return undefined
  }

  /** Lists the credentials of a job as its items. */
  const listItems = async (client: Client, job: Due, now: Date): Promise<Worked> => {
    await ask(
      client,
      noRow,
      Prisma.sql`
        WITH items AS (
          INSERT INTO credential_status_job_items (job_id, position, credential_id)
          SELECT ${job.id}, row_number() OVER (ORDER BY c.created_at, c.id), c.id FROM credentials c
          WHERE ${conditionOf(chosenBy(job))} ORDER BY c.created_at, c.id LIMIT ${MAX_MATCHED} RETURNING 1)
        UPDATE credential_status_jobs j
        SET state = 'running', counted = true, matched = (SELECT count(*) FROM items), worked_at = ${now}
        WHERE j.id = ${job.id}`,
    )
    return { count: 0, more: true }
  }

  /** Encrypts the note of a job for each credential that it has changed. */
  const noteChanged = async (client: Client, job: Due, changed: readonly string[]): Promise<void> => {
    const { note } = confidentialOf(job)
    if (note === undefined || changed.length === 0) return
    const notes = changed.map((id) => claims.protect({ column: NOTE, id }, { text: note }))
    await ask(
      client,
      noRow,
      Prisma.sql`
        UPDATE credentials c SET status_note = n.note::json
        FROM unnest(${notes.map(({ place }) => place.id)}::text[], ${notes.map((each) => each.json)}::text[]) AS n(id, note)
        WHERE c.id = n.id`,
    )
    await storeKeys(client, notes)
  }

  /** Changes the credentials of the next items. */
  const changeNext = async (client: Client, job: Due, take: number, now: Date): Promise<Worked> => {
    const last = job.position + take
    const items = await ask(
      client,
      zItem,
      Prisma.sql`
        DELETE FROM credential_status_job_items i WHERE i.job_id = ${job.id} AND i.position > ${job.position} AND i.position <= ${last}
        RETURNING i.credential_id AS id`,
    )
    const ids = items.map(({ id }) => id)
    const [done] = await ask(
      client,
      zChanged,
      Prisma.sql`
        SELECT changed, unchanged, revoked, not_suspendable AS "notSuspendable", removed, lists
        FROM change_credential_statuses(${ids}::text[], ${job.action}, ${now}, ${job.createdBy}, ${job.reason}, ${job.id})`,
    )
    if (done === undefined) throw new Error('No credentials were changed.')
    await noteChanged(client, job, done.changed)
    await ask(
      client,
      noRow,
      Prisma.sql`
        UPDATE credential_status_jobs j SET position = ${last}, worked_at = ${now}, changed = j.changed + ${done.changed.length},
          unchanged = j.unchanged + ${done.unchanged}, revoked = j.revoked + ${done.revoked},
          not_suspendable = j.not_suspendable + ${done.notSuspendable}, removed = j.removed + ${done.removed},
          lists = ARRAY(SELECT unnest(j.lists) UNION SELECT unnest(${done.lists}::text[]))
        WHERE j.id = ${job.id}`,
    )
    return { count: ids.length, more: true }
  }

  /** Ends a job whose items are all processed, after its status lists have new versions. */
  const end = async (client: Prisma.TransactionClient, job: Due, now: Date): Promise<Worked> => {
    if (job.hasLists) return NOTHING
    await ask(
      client,
      noRow,
      Prisma.sql`
        WITH forgotten AS (DELETE FROM content_keys WHERE row_id = ${job.id} AND column_name = ${CONFIDENTIAL})
        UPDATE credential_status_jobs j SET state = 'done', ended_at = ${now}, confidential = NULL, settled = true WHERE j.id = ${job.id}`,
    )
    await recordAudit(client, {
      actor: null,
      action: 'credential-status-job.done',
      subject: 'credential-status-job',
      subjectId: job.id,
    })
    return { count: 0, more: true }
  }

  /** Deletes items of a cancelled job. */
  const clear = async (client: Client, job: Due, now: Date): Promise<Worked> => {
    const last = job.position + ITEMS_DELETED
    await ask(
      client,
      noRow,
      Prisma.sql`
        WITH deleted AS (
          DELETE FROM credential_status_job_items i WHERE i.job_id = ${job.id} AND i.position > ${job.position} AND i.position <= ${last})
        UPDATE credential_status_jobs j SET position = ${last}, worked_at = ${now}, settled = ${last >= job.matched && !job.hasLists}
        WHERE j.id = ${job.id}`,
    )
    return { count: 0, more: last < job.matched || !job.hasLists }
  }

  const work = (client: Prisma.TransactionClient, job: Due, take: number, now: Date): Promise<Worked> => {
    if (job.state === 'counting') return listItems(client, job, now)
    if (job.state === 'cancelled') return clear(client, job, now)
    return job.position >= job.matched ? end(client, job, now) : changeNext(client, job, take, now)
  }

  return {
    /** Number of credentials that a filter matches, at most {@link MOST_COUNTED} + 1. */
    count: (chosen: Chosen): Promise<number> => countOf(prisma, chosen),

    /** Number of credentials that a filter matches, by what a change would do to them. */
    outcomes: (chosen: Chosen, action: StatusChange): Promise<OutcomeCount[]> =>
      ask(
        prisma,
        zOutcome,
        Prisma.sql`
          SELECT outcome, count(*)::int AS count FROM (
            SELECT status_change_outcome(${action}, c.revoked_at, c.suspended_at, is_suspendable(c.id, c.schema_id)) AS outcome
            FROM credentials c WHERE ${conditionOf(chosen)} LIMIT ${MAX_MATCHED}) matched
          GROUP BY outcome`,
      ),

    /**
     * Stores a job with its audit row, unless it matches too many credentials, or has one in common with a job that has not ended. The
     * transaction excludes every other new job.
     */
    create: (job: NewJob): Promise<Stored> =>
      prisma.$transaction(
        async (tx): Promise<Stored> => {
          await tx.$executeRaw`SELECT pg_advisory_xact_lock(${CREATION_LOCK})`
          const chosen = { scope: job.scope, listed: job.confidential, until: job.createdAt }
          const matched = await countOf(tx, chosen)
          if (matched > most) return { outcome: 'too-large', matched }
          const unfinished = await ask(
            tx,
            zUnfinished,
            Prisma.sql`
              SELECT j.id, j.scope, j.confidential, ${keyColumn}, j.created_at AS "createdAt" FROM credential_status_jobs j
              WHERE NOT j.settled AND j.ended_at IS NULL ORDER BY j.created_at, j.id`,
          )
          const other = await overlapping(tx, unfinished, chosen)
          if (other !== undefined) return { outcome: 'overlaps', id: other }
          if (unfinished.length >= MAX_UNFINISHED) return { outcome: 'too-many' }
          const stored = claims.protect({ column: CONFIDENTIAL, id: job.id }, job.confidential)
          await ask(
            tx,
            noRow,
            Prisma.sql`
              INSERT INTO credential_status_jobs (id, created_by, action, reason, scope, confidential, matched, created_at)
              VALUES (${job.id}, ${job.createdBy}, ${job.action}, ${job.reason}, ${JSON.stringify(job.scope)}::jsonb, ${stored.json}::json,
                ${matched}, ${job.createdAt})`,
          )
          await storeKeys(tx, [stored])
          await recordAudit(tx, {
            actor: job.createdBy,
            action: 'credential-status-job.created',
            subject: 'credential-status-job',
            subjectId: job.id,
            detail: { action: job.action, matched },
          })
          return { outcome: 'stored' }
        },
        { timeout: TRANSACTION_MS, maxWait: TRANSACTION_MS },
      ),

    /**
     * Does one step of work of the job that has waited longest.
     *
     * @param take the highest number of credentials to change
     */
    work: (take: number, now: Date): Promise<Worked> =>
      prisma.$transaction(
        async (tx) => {
          const [job] = await ask(
            tx,
            zDue,
            Prisma.sql`
              SELECT j.id, j.scope, j.confidential, ${keyColumn}, j.created_at AS "createdAt", j.state, j.action, j.reason,
                j.created_by AS "createdBy", j.matched, j.position, cardinality(j.lists) > 0 AS "hasLists"
              FROM credential_status_jobs j WHERE NOT j.settled AND j.state <> 'paused'
              ORDER BY j.worked_at NULLS FIRST, j.created_at LIMIT 1 FOR NO KEY UPDATE OF j SKIP LOCKED`,
          )
          return job === undefined ? NOTHING : work(tx, job, take, now)
        },
        { timeout: TRANSACTION_MS },
      ),

    /** Gives changed status lists a new version, at most once a second over all processes. @returns null if it is too early */
    async announce(): Promise<number | null> {
      const [row] = await ask(
        prisma,
        zAnnounced,
        Prisma.sql`SELECT announce_status_lists(${ANNOUNCE_MS} * interval '1 millisecond') AS lists`,
      )
      return row?.lists ?? null
    },
  }
}
