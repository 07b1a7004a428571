import { z } from 'zod'
import { route } from '../../api/contract.js'
import { pageShape } from '../../api/paging.js'

/** What a hosted wallet presented to whom. */
export const zWalletPresentation = z.object({
  id: z.uuid(),
  verifier: z.string().meta({ description: 'Client identifier of the verifier, with its prefix.' }),
  state: z.enum(['accepted', 'failed']),
  credentials: z.array(z.object({ queryId: z.string(), credentialId: z.uuid() })),
  redirectUri: z.string().optional(),
  errorMessage: z.string().optional(),
  createdAt: z.iso.datetime(),
})

export const listWalletPresentations = {
  meta: route('GET', '/holders/{holderId}/presentations', {
    tag: 'Holders',
    summary: 'List what a holder presented, and to whom',
    description:
      "The newest first, those that failed among them. The answer's `Link` header names the next page, where there " +
      'is one.',
    access: 'holder',
    errors: [400],
  }),
  input: z.strictObject({ holderId: z.string(), ...pageShape }),
  output: z.array(zWalletPresentation),
}
