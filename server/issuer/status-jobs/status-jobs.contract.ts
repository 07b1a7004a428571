import { z } from 'zod'
import { route } from '../../api/contract.js'
import { errors } from '../../api/errors.js'
import { zMoment } from '../../api/moment.js'
import { listShape, zListed } from '../../api/paging.js'
import { namesShape } from '../../names/names.js'
import { zNote, zReason } from '../credentials/status.contract.js'
import { STATUS_CHANGES } from '../credentials/status.js'
import { JOB_STATES, MAX_MATCHED, MAX_NAMED } from './status-job.js'

const zId = z.string().min(1).max(200)

const ALONE = 'must not be given together with other members'

const zFilter = z
  .strictObject({
    all: z.literal(true).optional().meta({ description: 'All credentials. It stands alone.' }),
    schema: zId.optional().meta({ description: 'The name of a type, for all its versions, or the id of one version.' }),
    offering: zId.optional().meta({ description: 'The id of an offering or of a credential-offer session.' }),
    batch: zId.toLowerCase().optional().meta({ description: 'The id of a batch of credential offers.' }),
    ids: z.array(zId).min(1).max(MAX_NAMED).optional().meta({ description: 'Ids of credentials.' }),
    references: z
      .array(namesShape.reference.unwrap())
      .min(1)
      .max(MAX_NAMED)
      .optional()
      .meta({ description: 'References, exactly as the issuer gave them to offers or credentials.' }),
    issuedFrom: zMoment.optional().meta({ description: 'Only credentials that were issued at this time or later.' }),
    issuedTo: zMoment.optional().meta({ description: 'Only credentials that were issued before this time.' }),
  })
  .refine(({ all, ...others }) => all === undefined || Object.values(others).every((value) => value === undefined), {
    path: ['all'],
    error: ALONE,
  })

const zCount = z.int().min(0)

const zFailures = z
  .object({
    revoked: zCount.optional().meta({ description: 'A revoked credential cannot be suspended or reinstated.' }),
    notSuspendable: zCount
      .optional()
      .meta({ description: 'The type was not suspendable when the credential was issued.' }),
    removed: zCount.optional().meta({ description: 'The record was removed before the job reached it.' }),
  })
  .meta({ description: 'The number of failed credentials for each cause. Causes without a credential are absent.' })

const zStatusJob = z.object({
  id: z.uuid(),
  state: z.enum(JOB_STATES),
  action: z.enum(STATUS_CHANGES),
  reason: zReason.optional(),
  filter: z
    .object({
      all: z.literal(true).optional(),
      schema: z.string().optional(),
      offering: z.string().optional(),
      batch: z.string().optional(),
      issuedFrom: z.iso.datetime().optional(),
      issuedTo: z.iso.datetime().optional(),
      idCount: zCount.optional().meta({ description: 'The number of ids in the filter.' }),
      referenceCount: zCount.optional().meta({ description: 'The number of references in the filter.' }),
    })
    .meta({ description: 'The filter. Its ids and references are only counted.' }),
  matched: zCount.meta({ description: 'The number of credentials that the filter matches.' }),
  done: zCount.meta({ description: 'The number of credentials that have the new status, `unchanged` included.' }),
  unchanged: zCount.meta({ description: 'The number of credentials that had the status before.' }),
  failed: zCount.meta({ description: 'The number of credentials that cannot get the status.' }),
  failures: zFailures,
  createdBy: z
    .string()
    .optional()
    .meta({ description: 'The `sub` of the caller; absent if the caller used a client secret.' }),
  createdAt: z.iso.datetime(),
  endedAt: z.iso.datetime().optional(),
})

const zDryRun = z.object({
  dryRun: z.literal(true),
  matched: zCount,
  change: zCount.meta({ description: 'The number of credentials whose status the job would change.' }),
  unchanged: zCount,
  failed: zCount,
  failures: zFailures,
})

export const createStatusJob = {
  meta: route('POST', '/api/v1/credential-status-jobs', {
    tag: 'Status jobs',
    summary: 'Revoke, suspend or reinstate many credentials',
    description:
      `Changes all credentials that the filter matches and that were issued before this request, at most ${MAX_MATCHED.toLocaleString('en')}. ` +
      'The members of the filter are combined with AND. The answer is 202; the job then counts and changes the credentials in the background, each one once. ' +
      'With `dryRun` nothing is stored, and the answer is 200 with the counts. Jobs that have not ended may not share a credential: 409 names the first one.',
    access: 'issuerOperator',
    idempotent: true,
    accepted: zStatusJob,
    errors: [400, 409],
    requestExample: { action: 'revoke', reason: 'cessation', filter: { schema: 'StudentCard' }, dryRun: true },
  }),
  input: z.strictObject({
    action: z.enum(STATUS_CHANGES),
    reason: zReason
      .optional()
      .meta({ description: 'It is stored with each changed credential, and is not published.' }),
    note: zNote.optional().meta({
      description: 'A note for operators, stored encrypted with each changed credential. It is not published.',
    }),
    filter: zFilter,
    dryRun: z.boolean().optional().meta({ description: 'True: only count. Default: false.' }),
  }),
  output: z.union([zDryRun, zStatusJob]),
}

export const listStatusJobs = {
  meta: route('GET', '/api/v1/credential-status-jobs', {
    tag: 'Status jobs',
    summary: 'List status jobs',
    description: 'The jobs of all callers, the newest first.',
    access: 'issuerOperator',
    errors: [400],
  }),
  input: z.strictObject(listShape).prefault({}),
  output: zListed(zStatusJob),
}

export const readStatusJob = {
  meta: route('GET', '/api/v1/credential-status-jobs/{id}', {
    tag: 'Status jobs',
    summary: 'Read a status job with its progress',
    description:
      'A job is `done` after all its credentials are processed and the published status lists show it. Then `done` and `failed` together are `matched`.',
    access: 'issuerOperator',
    errors: [400, errors.statusJobNotFound()],
  }),
  input: z.strictObject({ id: z.string() }),
  output: zStatusJob,
}

const change = (name: 'pause' | 'resume' | 'cancel', summary: string, description: string) => ({
  meta: route('POST', `/api/v1/credential-status-jobs/{id}/${name}`, {
    tag: 'Status jobs',
    summary,
    description: `${description} A repeated call changes nothing.`,
    access: 'issuerOperator',
    errors: [400, errors.statusJobNotFound(), errors.statusJobEnded('done')],
  }),
  input: z.strictObject({ id: z.string() }),
  output: zStatusJob,
})

export const pauseStatusJob = change(
  'pause',
  'Pause a status job',
  'The job changes no further credentials until it is resumed.',
)

export const resumeStatusJob = change('resume', 'Resume a paused status job', 'The job goes on where it stopped.')

export const cancelStatusJob = change(
  'cancel',
  'Cancel a status job',
  'The job ends. The credentials that it has changed stay changed.',
)
