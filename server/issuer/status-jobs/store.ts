import { z } from 'zod'
import { audited } from '../../database/audited.js'
import type { Database } from '../../database/connect.js'
import { type Fragment, fragment, Step } from '../../database/fragment.js'
import { type TimedPart, timedPart } from '../../database/list-position.js'
import { json } from '../../database/row-shapes.js'
import { forgottenKeys } from '../../keys/claims/vault.js'
import { STATUS_CHANGES, STATUS_REASONS } from '../credentials/status.js'
import { JOB_STATES, type JobState, type Scope } from './status-job.js'

export const zStoredJob = z.strictObject({
  id: z.string(),
  createdBy: z.string().nullable(),
  action: z.enum(STATUS_CHANGES),
  reason: z.enum(STATUS_REASONS).nullable(),
  scope: json<Scope>(),
  state: z.enum(JOB_STATES),
  matched: z.int(),
  changed: z.int(),
  unchanged: z.int(),
  revoked: z.int(),
  notSuspendable: z.int(),
  removed: z.int(),
  createdAt: z.date(),
  endedAt: z.date().nullable(),
})

/** A job without its encrypted parts. */
export type StoredJob = z.infer<typeof zStoredJob>

const columns = fragment`
  j.id, j.created_by AS "createdBy", j.action, j.reason, j.scope, j.state, j.matched, j.changed, j.unchanged, j.revoked,
  j.not_suspendable AS "notSuspendable", j.removed, j.created_at AS "createdAt", j.ended_at AS "endedAt"`

/** The column of the encrypted parts. */
export const CONFIDENTIAL = 'credential_status_jobs.confidential'

interface Transition {
  readonly name: 'paused' | 'resumed' | 'cancelled'
  /** The states that the transition leaves. */
  readonly from: readonly JobState[]
  /** Assignments to columns. */
  readonly set: Fragment
}

export type StatusJobStore = ReturnType<typeof createStatusJobStore>

/** Reads jobs, and changes their states on request. The statements of the work itself are in `work-store.ts`. */
export function createStatusJobStore({ sql, bounded }: Database) {
  const move = async (
    id: string,
    actor: string | null,
    { name, from, set }: Transition,
    also: (moved: Step<'id'>) => Step[],
  ) => {
    const moved = new Step<'id'>(
      'moved',
      fragment`
        UPDATE credential_status_jobs j SET ${set} WHERE j.id = ${id} AND j.state = ANY(${[...from]}::text[]) RETURNING j.*`,
    )
    const recorded = audited({
      of: moved,
      actor,
      action: `credential-status-job.${name}`,
      subject: 'credential-status-job',
    })
    const [row] = await sql(zStoredJob, [recorded, ...also(moved)])`SELECT ${columns} FROM ${moved} j`
    return row
  }

  return {
    async find(id: string): Promise<StoredJob | undefined> {
      const [row] = await sql(zStoredJob)`SELECT ${columns} FROM credential_status_jobs j WHERE j.id = ${id}`
      return row
    },

    /** Reads one page of jobs, the newest first. */
    page: (part: TimedPart): Promise<StoredJob[]> =>
      bounded(zStoredJob)`
        SELECT ${columns} FROM credential_status_jobs j WHERE true ${timedPart(fragment`j.created_at`, fragment`j.id`, part)}`,

    /** Pauses a job that has not ended. It waits for the running batch. @returns the job; undefined if its state is another one */
    pause: (id: string, actor: string | null): Promise<StoredJob | undefined> =>
      move(id, actor, { name: 'paused', from: ['counting', 'running'], set: fragment`state = 'paused'` }, () => []),

    /** Resumes a paused job. @returns as `pause` does */
    resume: (id: string, actor: string | null): Promise<StoredJob | undefined> =>
      move(
        id,
        actor,
        {
          name: 'resumed',
          from: ['paused'],
          set: fragment`state = CASE WHEN counted THEN 'running' ELSE 'counting' END`,
        },
        () => [],
      ),

    /** Cancels a job that has not ended, and deletes its encrypted parts. @returns as `pause` does */
    cancel: (id: string, actor: string | null, now: Date): Promise<StoredJob | undefined> =>
      move(
        id,
        actor,
        {
          name: 'cancelled',
          from: ['counting', 'running', 'paused'],
          set: fragment`state = 'cancelled', ended_at = ${now}, confidential = NULL`,
        },
        (moved) => [forgottenKeys(CONFIDENTIAL, moved)],
      ),
  }
}
