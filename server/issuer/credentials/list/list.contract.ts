import { z } from 'zod'
import { route } from '../../../api/contract.js'
import { listShape, mineShape, zListed } from '../../../api/paging.js'
import { nameFilters, namesShape } from '../../../names/names.js'
import { zClaimsErasedAt } from '../credentials.contract.js'
import { CREDENTIAL_STATUSES, STATUS_REASONS } from '../status.js'

/** A stored credential without its claims. */
export const zListedCredential = z.object({
  id: z.uuid(),
  schemaId: z.uuid(),
  type: z.string().meta({ description: 'The name of its type.' }),
  version: z.number(),
  configurationIds: z.array(z.string()).meta({ description: 'The configurations of its instances.' }),
  issuerId: z.string(),
  ...namesShape,
  holderDid: z.string().optional().meta({ description: 'The DID that it is bound to, if any.' }),
  offeringId: z.string().optional().meta({ description: 'The offering or credential offer that it was taken from.' }),
  createdBy: z
    .string()
    .optional()
    .meta({ description: 'The `sub` of the caller that created, claimed or signed it. Absent if a wallet took it.' }),
  status: z.enum(CREDENTIAL_STATUSES),
  suspendable: z.literal(true).optional().meta({ description: 'Present if its type can be suspended.' }),
  createdAt: z.iso.datetime(),
  revokedAt: z.iso.datetime().optional(),
  suspendedAt: z.iso.datetime().optional().meta({ description: 'A credential that is revoked later keeps it.' }),
  expiresAt: z.iso.datetime().optional().meta({
    description:
      'When its last instance expires. Absent if it does not expire, and for credentials of earlier versions.',
  }),
  supersededBy: z
    .uuid()
    .optional()
    .meta({ description: 'The credential that replaced it as the active set of its subject.' }),
  reason: z.enum(STATUS_REASONS).optional().meta({ description: 'The reason of the last change of its status.' }),
  claimsErasedAt: zClaimsErasedAt,
})

export const listCredentials = {
  meta: route('GET', '/api/v1/credentials', {
    tag: 'Credentials',
    summary: 'List stored credentials',
    description:
      'Issued credentials, the newest first, without their claims. Operators list the credentials of all callers, and other ' +
      'callers those that they created, claimed or signed. The owner of a credential can read it by its id.',
    access: 'clientOrIssuer',
    errors: [400],
  }),
  input: z
    .strictObject({
      schema: z
        .string()
        .min(1)
        .max(200)
        .optional()
        .meta({ description: 'The name of a type, for all its versions, or the id of one version.' }),
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
        .meta({ description: 'The beginning of the id, at least 8 characters.' }),
      offeringId: z
        .string()
        .max(200)
        .optional()
        .meta({ description: 'The id of an offering or of a credential-offer session.' }),
      ...nameFilters,
      ...mineShape,
      ...listShape,
    })
    .prefault({}),
  output: zListed(zListedCredential),
}
