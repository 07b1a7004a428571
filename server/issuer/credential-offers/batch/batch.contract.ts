import { z } from 'zod'
import { route } from '../../../api/contract.js'
import { errors } from '../../../api/errors.js'
import { zPlainName } from '../../../names/names.js'
import { createCredentialOffer } from '../credential-offers.contract.js'

export const MAX_ROWS = 100

/** The highest number of offers in a batch, over all its requests. */
export const MAX_OFFERS = 10_000

/** The id of a batch in a request. The letters of a UUID count alike in upper and lower case (RFC 9562 §4). */
export const zBatchId = z.string().max(200).toLowerCase()

/** The caller's key stays as it is, because it identifies the row in later requests. */
const zKey = z
  .string()
  .min(1)
  .max(100)
  .refine((key) => key.trim() !== '', { error: 'must not be empty' })

export const createOfferBatch = {
  meta: route('POST', '/api/v1/credential-offers/batch', {
    tag: 'Credential offers',
    summary: 'Create many credential offers at once',
    description:
      'Creates all offers or none. If a row is invalid, a 400 names each invalid row by its position, from 0 (`rows.3.credentialSubject…`). The `key` of a row ' +
      "is the caller's own name for it. If a key already has an offer, no new offer is made. The answer then contains the existing offer with its transaction code. A repeated key with " +
      'different members is invalid. With `dryRun` no offer is made, and `errors` lists the problems. The rate limit counts one call. ' +
      `The new offers belong to a batch, which can be listed and cancelled. Several calls make one batch of at most ${MAX_OFFERS} offers if they have the same \`batch.id\`.`,
    access: 'issuer',
    idempotent: true,
    errors: [400, errors.offerBatchNotFound(), errors.offerBatchCancelled()],
  }),
  input: z.strictObject({
    rows: z
      .array(createCredentialOffer.input.extend({ key: zKey }))
      .min(1)
      .max(MAX_ROWS),
    dryRun: z.boolean().default(false),
    batch: z
      .strictObject({
        id: z.uuid().toLowerCase().optional().meta({
          description:
            'The id of the batch, in lower case. An id in upper case is changed to lower case. The first call with this id makes the batch. Default: a new batch for each call.',
        }),
        name: zPlainName
          .optional()
          .meta({ description: 'The name of the batch, for people. Only the first call sets it.' }),
      })
      .optional(),
  }),
  output: z.strictObject({
    batchId: z.uuid().optional().meta({
      description:
        'The batch of the new offers; of the first row if no offer is new. Absent for offers of earlier versions.',
    }),
    offers: z.array(
      z.strictObject({
        key: z.string(),
        credentialOfferSessionId: z.uuid(),
        credentialOfferUri: z.string().meta({ description: 'URI of the offer by reference, for a link or QR code.' }),
        txCode: z.string().optional(),
        pageUrl: z.url().optional().meta({ description: 'URL of the share page, if one was requested.' }),
        repeated: z.boolean().meta({ description: 'Whether the key already had this offer.' }),
      }),
    ),
    errors: z
      .array(z.strictObject({ row: z.int(), key: z.string(), messages: z.array(z.string()) }))
      .meta({ description: 'With `dryRun`: the invalid rows.' }),
  }),
}
