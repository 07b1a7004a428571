import type { z } from 'zod'
import { errors } from '../../api/errors.js'
import type { MaintenanceTask } from '../../maintenance/task.js'
import type { NameIndex } from '../../names/names.js'
import { type Listed, MAX_MATCHED, MOST_COUNTED, type Outcomes, type Scope } from './status-job.js'
import type { createStatusJob } from './status-jobs.contract.js'
import type { StatusJobStore, StoredJob } from './store.js'
import type { Chosen, StatusWorkStore } from './work-store.js'

type Asked = z.output<typeof createStatusJob.input>
type Answer = z.input<typeof createStatusJob.output>
export type ShownJob = Exclude<Answer, { readonly dryRun: true }>

/** Dependencies of {@link createStatusJobs}. */
export interface StatusJobsPorts {
  readonly store: StatusJobStore
  readonly work: StatusWorkStore
  readonly names: Pick<NameIndex, 'wanted'>
  readonly clock: () => Date
  readonly newId: () => string
}

export type StatusJobs = ReturnType<typeof createStatusJobs>

/** Credentials that one step changes. Wallets that ask for copies of one of them wait for the step, some 100 ms. */
const STEP = 500

/** Time after which a run of the task ends, in milliseconds. A process that stops waits for the run. */
const TURN_MS = 5_000

const written = (count: number): string => count.toLocaleString('en')

/** The number of matched credentials in a message. */
const matchedText = (count: number): string =>
  count > MOST_COUNTED ? `more than ${written(MOST_COUNTED)}` : written(count)

const failuresOf = ({ revoked, notSuspendable, removed }: Omit<Outcomes, 'changed' | 'unchanged'>) =>
  Object.fromEntries(Object.entries({ revoked, notSuspendable, removed }).filter(([, count]) => count > 0))

/** A job as the API shows it. */
export function shownJob(job: StoredJob): ShownJob {
  const { id, state, action, reason, scope, matched, changed, unchanged, revoked, notSuspendable, removed } = job
  return {
    id,
    state,
    action,
    ...(reason === null ? {} : { reason }),
    filter: scope,
    matched,
    done: changed + unchanged,
    unchanged,
    failed: revoked + notSuspendable + removed,
    failures: failuresOf({ revoked, notSuspendable, removed }),
    ...(job.createdBy === null ? {} : { createdBy: job.createdBy }),
    createdAt: job.createdAt.toISOString(),
    ...(job.endedAt === null ? {} : { endedAt: job.endedAt.toISOString() }),
  }
}

function scopeOf({ ids, references, issuedFrom, issuedTo, all, schema, offering, batch }: Asked['filter']): Scope {
  return {
    ...(all === undefined ? {} : { all }),
    ...(schema === undefined ? {} : { schema }),
    ...(offering === undefined ? {} : { offering }),
    ...(batch === undefined ? {} : { batch }),
    ...(issuedFrom === undefined ? {} : { issuedFrom: new Date(issuedFrom).toISOString() }),
    ...(issuedTo === undefined ? {} : { issuedTo: new Date(issuedTo).toISOString() }),
    ...(ids === undefined ? {} : { idCount: new Set(ids).size }),
    ...(references === undefined ? {} : { referenceCount: new Set(references).size }),
  }
}

/** Jobs that change the status of many credentials. */
export function createStatusJobs({ store, work, names, clock, newId }: StatusJobsPorts) {
  const task: MaintenanceTask = {
    name: 'change statuses of credentials',
    everyMs: 500,
    // Other tasks do not wait for a job of minutes, and the job does not wait for them. Several processes may run the task at the same
    // time: each step locks its job.
    elsewhere: true,
    async run() {
      const until = performance.now() + TURN_MS
      let processed = 0
      for (;;) {
        await work.announce()
        const { count, more } = await work.work(STEP, clock())
        processed += count
        if (!more || performance.now() >= until) return { count: processed, more, lateSeconds: 0 }
      }
    },
  }

  const assertNotTooLarge = (matched: number): void => {
    if (matched > MAX_MATCHED) throw errors.statusJobTooLarge(matchedText(matched), MAX_MATCHED.toLocaleString('en'))
  }

  const listedBy = ({ ids, references }: Asked['filter']): Listed => ({
    ...(ids === undefined ? {} : { ids: [...new Set(ids)] }),
    ...(references === undefined
      ? {}
      : {
          referenceHashes: [...new Set(references)].flatMap(
            (reference) => names.wanted({ reference }).referenceHash ?? [],
          ),
        }),
  })

  const dryRun = async (action: Asked['action'], chosen: Chosen): Promise<Answer> => {
    assertNotTooLarge(await work.count(chosen))
    const outcomes = await work.outcomes(chosen, action)
    const of = (name: (typeof outcomes)[number]['outcome']) =>
      outcomes.find(({ outcome }) => outcome === name)?.count ?? 0
    const [change, unchanged] = [of('changed'), of('unchanged')]
    const failures = { revoked: of('revoked'), notSuspendable: of('not-suspendable'), removed: 0 }
    const failed = failures.revoked + failures.notSuspendable
    return {
      dryRun: true,
      matched: change + unchanged + failed,
      change,
      unchanged,
      failed,
      failures: failuresOf(failures),
    }
  }

  /** Runs a change of a job's state; a repeated one changes nothing. @throws 404 and 409 */
  const moved = async (
    id: string,
    target: StoredJob['state'] | undefined,
    change: () => Promise<StoredJob | undefined>,
  ) => {
    const job = (await change()) ?? (await store.find(id))
    if (job === undefined) throw errors.statusJobNotFound()
    if ((job.state === 'done' || job.state === 'cancelled') && job.state !== target)
      throw errors.statusJobEnded(job.state)
    return shownJob(job)
  }

  return {
    tasks: [task],

    /** The jobs of all callers. */
    list: { page: store.page },

    /**
     * Creates a job, or only counts.
     *
     * @param actor the `sub` of the caller; null for a client secret
     * @throws 400 with the number of matched credentials for an empty filter or too many credentials, 409 for an overlap
     */
    async create(actor: string | null, { action, reason, note, filter, dryRun: onlyCount }: Asked): Promise<Answer> {
      const createdAt = clock()
      const scope = scopeOf(filter)
      const listed = listedBy(filter)
      const chosen = { scope, listed, until: createdAt }
      if (Object.keys(scope).length === 0) throw errors.statusJobOfAll(matchedText(await work.count(chosen)))
      if (onlyCount === true) return dryRun(action, chosen)
      const id = newId()
      const stored = await work.create({
        id,
        createdBy: actor,
        action,
        reason: reason ?? null,
        scope,
        confidential: { ...listed, ...(note === undefined ? {} : { note }) },
        createdAt,
      })
      if (stored.outcome === 'too-large') assertNotTooLarge(stored.matched)
      if (stored.outcome === 'overlaps') throw errors.statusJobOverlaps(stored.id)
      if (stored.outcome === 'too-many') throw errors.tooManyStatusJobs()
      return this.read(id)
    },

    /** A job with its progress. @throws 404 for an unknown job */
    async read(id: string): Promise<ShownJob> {
      const job = await store.find(id)
      if (job === undefined) throw errors.statusJobNotFound()
      return shownJob(job)
    },

    /** Pauses a job. @throws 404 for an unknown job, 409 for a job that has ended */
    pause: (actor: string | null, id: string): Promise<ShownJob> => moved(id, undefined, () => store.pause(id, actor)),

    /** Resumes a paused job. @throws 404 for an unknown job, 409 for a job that has ended */
    resume: (actor: string | null, id: string): Promise<ShownJob> =>
      moved(id, undefined, () => store.resume(id, actor)),

    /** Cancels a job. Changed credentials stay changed. @throws 404 for an unknown job, 409 for a job that is done */
    cancel: (actor: string | null, id: string): Promise<ShownJob> =>
      moved(id, 'cancelled', () => store.cancel(id, actor, clock())),
  }
}
