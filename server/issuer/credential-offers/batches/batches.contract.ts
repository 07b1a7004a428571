import { z } from 'zod'
import { type Download, route } from '../../../api/contract.js'
import { errors } from '../../../api/errors.js'
import { listShape, zListed } from '../../../api/paging.js'
import { zShownPlainName } from '../../../names/names.js'
import type { CredentialOfferState } from '../../openid4vci/sessions/session.js'
import { zBatchId } from '../batch/batch.contract.js'

const MAX_REASON = 300

const TAG = 'Credential offers'
const WHO = 'For the creator of the batch and for operators. For any other caller the batch is unknown.'

const zBatch = z.object({
  id: z.uuid(),
  name: zShownPlainName.optional(),
  createdBy: z.string().meta({ description: 'The `sub` of the caller that created the batch.' }),
  createdAt: z.iso.datetime(),
  offers: z.int().meta({ description: 'The number of offers that were made in the batch.' }),
  cancelledAt: z.iso.datetime().optional().meta({ description: 'When the batch was cancelled.' }),
})

const zBatchWithCounts = zBatch.extend({
  counts: z
    .object({
      Created: z.int(),
      OfferRetrieved: z.int(),
      Authorized: z.int(),
      TokenIssued: z.int(),
      CredentialIssued: z.int(),
      Accepted: z.int(),
      Error: z.int(),
    } satisfies Record<CredentialOfferState, z.ZodInt>)
    .meta({ description: 'The number of offers in each state. Offers whose sessions were removed are not counted.' }),
  taken: z.int().meta({ description: 'The number of offers that wallets took: CredentialIssued and Accepted.' }),
  cancelled: z.int().meta({ description: 'The number of cancelled offers.' }),
  reason: z.string().optional().meta({ description: 'The reason of a cancelled batch.' }),
})

export const listOfferBatches = {
  meta: route('GET', '/api/v1/offer-batches', {
    tag: TAG,
    summary: 'List batches of credential offers',
    description: 'The batches of the caller, the newest first. Operators receive the batches of all callers.',
    access: 'clientOrIssuer',
    errors: [400],
  }),
  input: z.strictObject(listShape).prefault({}),
  output: zListed(zBatch),
}

export const readOfferBatch = {
  meta: route('GET', '/api/v1/offer-batches/{id}', {
    tag: TAG,
    summary: 'Read a batch of credential offers',
    description: `${WHO} The answer counts the offers of the batch by state. \`filter.batch\` of \`POST /api/v1/credential-status-jobs\` takes its \`id\`.`,
    access: 'clientOrIssuer',
    errors: [400, errors.offerBatchNotFound()],
  }),
  input: z.strictObject({ id: zBatchId }),
  output: zBatchWithCounts,
}

export const cancelOfferBatch = {
  meta: route('POST', '/api/v1/offer-batches/{id}/cancel', {
    tag: TAG,
    summary: 'Cancel a batch of credential offers',
    description:
      `${WHO} Every open offer of the batch is cancelled, as by \`POST /api/v1/credential-offers/{id}/cancel\`. Taken offers stay as they ` +
      'are. The batch gets no further offers. If the service stops meanwhile, it cancels the remaining offers after its next start. A repeat changes nothing.',
    access: 'clientOrIssuer',
    errors: [400, errors.offerBatchNotFound()],
  }),
  input: z.strictObject({
    id: zBatchId,
    reason: z.string().min(1).max(MAX_REASON).optional().meta({
      description: 'Stored encrypted. Only the creator and operators see it, never a wallet.',
    }),
  }),
  output: zBatchWithCounts,
}

/** The formats of a result file. */
export const RESULT_FORMATS = ['ndjson', 'csv'] as const

export const readOfferBatchResult = {
  meta: route('GET', '/api/v1/offer-batches/{id}/result', {
    tag: TAG,
    summary: 'Download the result file of a batch',
    description:
      `${WHO} One record for each offer, in the order of the rows: \`key\`, \`reference\`, \`label\`, \`credentialOfferSessionId\`, \`state\`, \`errorMessage\`, \`createdAt\` ` +
      'and `expiresAt`. While a wallet can take the offer, the record also has `credentialOfferUri`, `pageUrl` and `txCode`. NDJSON begins with a line about the batch, and ends ' +
      'with the line `{"record":"end","count":…}`. CSV follows RFC 4180, as exports do. An offer whose names were erased has no `key`. Offers whose sessions were removed are left out. Each download is an audit event.',
    access: 'clientOrIssuer',
    kind: 'download',
    produces: 'application/x-ndjson',
    alsoProduces: ['text/csv'],
    errors: [400, errors.offerBatchNotFound(), errors.tooManyDownloads(), errors.noDownloadLeft()],
  }),
  input: z.strictObject({
    id: zBatchId,
    format: z.enum(RESULT_FORMATS).default('ndjson').meta({ description: 'The format of the file.' }),
  }),
  output: z
    .custom<Download>((value) => typeof value === 'object' && value !== null)
    .meta({ override: { type: 'string' } }),
}
