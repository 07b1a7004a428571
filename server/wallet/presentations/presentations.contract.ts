import { z } from 'zod'
import { route } from '../../api/contract.js'
import { pageShape } from '../../api/paging.js'

/** A presentation of a hosted wallet to a verifier. */
export const zWalletPresentation = z.object({
  id: z.uuid(),
  verifier: z.string().meta({ description: 'Client identifier of the verifier, with its prefix.' }),
  verifierName: z
    .string()
    .optional()
    .meta({ description: 'The name that the verifier gave itself in its request. Nobody has checked it.' }),
  state: z.enum(['accepted', 'failed']),
  credentials: z.array(
    z.object({
      queryId: z.string(),
      credentialId: z.uuid(),
      claims: z
        .array(z.array(z.union([z.string(), z.number(), z.null()])))
        .optional()
        .meta({
          description:
            'The paths of the claims that the verifier asked for and received, without their values. A JWT VC always shows all of its ' +
            'claims. Absent for presentations of earlier versions of the service.',
        }),
    }),
  ),
  redirectUri: z.string().optional(),
  errorMessage: z.string().optional(),
  createdAt: z.iso.datetime(),
})

export const listWalletPresentations = {
  meta: route('GET', '/holders/{holderId}/presentations', {
    tag: 'Holders',
    summary: 'List the presentations of a holder, with their verifiers',
    description:
      'Newest first, including failed presentations. Presentations are removed RETENTION_PRESENTATIONS_DAYS after they were made. The `Link` header of the reply names the next page, if there is one.',
    access: 'holder',
    errors: [400],
  }),
  input: z.strictObject({
    holderId: z.string(),
    credentialId: z.uuid().optional().meta({ description: 'Only presentations of this credential.' }),
    ...pageShape,
  }),
  output: z.array(zWalletPresentation),
}
