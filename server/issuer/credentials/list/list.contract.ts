import { z } from 'zod'
import { route } from '../../../api/contract.js'
import { listShape, zListed } from '../../../api/paging.js'
import { CREDENTIAL_STATUSES } from '../status.js'

/** A credential on record without anything that it says. */
export const zListedCredential = z.object({
  id: z.uuid(),
  schemaId: z.uuid(),
  type: z.string().meta({ description: 'Name of its type.' }),
  version: z.number(),
  configurationIds: z.array(z.string()).meta({ description: 'What was taken of it.' }),
  issuerId: z.string(),
  holderDid: z.string().optional().meta({ description: 'The DID that it is bound to, where it is bound to one.' }),
  offeringId: z.string().optional().meta({ description: 'The offering, or credential offer, that it was taken from.' }),
  createdBy: z
    .string()
    .optional()
    .meta({ description: 'The `sub` that made, claimed or signed it; absent where a wallet took it.' }),
  status: z.enum(CREDENTIAL_STATUSES),
  createdAt: z.iso.datetime(),
  revokedAt: z.iso.datetime().optional(),
})

export const listCredentials = {
  meta: route('GET', '/api/v1/credentials', {
    tag: 'Credentials',
    summary: 'List credentials on record',
    description:
      'All that were issued, the newest first. What they say of anybody is not in it: a credential itself is read by its id, by who it belongs to.',
    access: 'issuerOperator',
    errors: [400],
  }),
  input: z
    .strictObject({
      schema: z
        .string()
        .min(1)
        .max(200)
        .optional()
        .meta({ description: 'The name of a type, which stands for all its versions, or the id of one version.' }),
      status: z.enum(CREDENTIAL_STATUSES).optional(),
      holderDid: z
        .string()
        .max(8_192)
        .refine((value) => /^did:[a-z0-9]+:\S+$/.test(value), { error: 'must be a DID' })
        .optional(),
      idPrefix: z
        .string()
        .regex(/^[0-9a-f]{8}[0-9a-f-]{0,28}$/, { error: 'must be the first 8 to 36 characters of an id' })
        .optional()
        .meta({ description: 'What the id begins with, 8 characters at least.' }),
      offeringId: z
        .string()
        .max(200)
        .optional()
        .meta({ description: 'The id of an offering, or of a credential-offer session.' }),
      ...listShape,
    })
    .prefault({}),
  output: zListed(zListedCredential),
}
