import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import type { CredenceInputs, CredenceOutputs } from '../../index.js'
import { credence } from '../service.js'
import { cursorOf, itemsOf, paged } from './pages.js'

/** The input that creates a job. */
export type JobOrder = CredenceInputs['statusJobs']['create']

export type StatusJob = CredenceOutputs['statusJobs']['read']

/** The counts of a dry run. */
export type JobCounts = Extract<CredenceOutputs['statusJobs']['create'], { readonly dryRun: true }>

/** The jobs of all users, newest first. The keys begin with `credentials`: each change of a credential also shows the progress of jobs. */
export const statusJobs = infiniteQueryOptions({
  queryKey: ['credentials', 'jobs', 'list'],
  queryFn: ({ signal, pageParam }) => credence.statusJobs.list.query(cursorOf(pageParam), { signal }),
  ...paged,
  select: itemsOf,
})

export const statusJob = (id: string) =>
  queryOptions({
    queryKey: ['credentials', 'jobs', 'one', id],
    queryFn: ({ signal }) => credence.statusJobs.read.query({ id }, { signal }),
  })

/** Counts what a job would do, and changes nothing. */
export async function countJob(order: JobOrder): Promise<JobCounts> {
  const counts = await credence.statusJobs.create.mutate({ ...order, dryRun: true })
  if (!('dryRun' in counts)) throw new Error('The service began a job instead of counting.')
  return counts
}

/** Begins a job. @returns its id */
export async function beginJob(order: JobOrder): Promise<string> {
  const job = await credence.statusJobs.create.mutate(order)
  if ('dryRun' in job) throw new Error('The service counted instead of beginning a job.')
  return job.id
}
