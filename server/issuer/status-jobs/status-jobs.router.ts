import { listed } from '../../api/paging.js'
import { procedure, readingPrimary, router } from '../../api/trpc.js'
import {
  cancelStatusJob,
  createStatusJob,
  listStatusJobs,
  pauseStatusJob,
  readStatusJob,
  resumeStatusJob,
} from './status-jobs.contract.js'
import { type StatusJobs, shownJob } from './status-jobs.js'

export const statusJobsRouter = (jobs: StatusJobs) =>
  router({
    create: procedure(createStatusJob).mutation(async ({ ctx: { caller, otherForm }, input }) => {
      const answer = await jobs.create(caller?.sub ?? null, input)
      if (!('dryRun' in answer))
        otherForm.reply = { status: 202, headers: { 'content-type': 'application/json; charset=utf-8' }, body: answer }
      return answer
    }),

    list: procedure(listStatusJobs)
      .use(readingPrimary(jobs.list))
      .query(({ ctx, input }) => listed(ctx, input, (store, part) => store.page(part), shownJob)),

    read: procedure(readStatusJob).query(({ input }) => jobs.read(input.id)),

    pause: procedure(pauseStatusJob).mutation(({ ctx: { caller }, input }) =>
      jobs.pause(caller?.sub ?? null, input.id),
    ),

    resume: procedure(resumeStatusJob).mutation(({ ctx: { caller }, input }) =>
      jobs.resume(caller?.sub ?? null, input.id),
    ),

    cancel: procedure(cancelStatusJob).mutation(({ ctx: { caller }, input }) =>
      jobs.cancel(caller?.sub ?? null, input.id),
    ),
  })
