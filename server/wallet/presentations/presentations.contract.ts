import { z } from 'zod'
import { route } from '../../api/contract.js'
import { pageShape } from '../../api/paging.js'

/** A presentation of a hosted wallet to a verifier. */
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
    summary: 'List the presentations of a holder, with their verifiers',
    description:
      'Newest first, including failed presentations. The `Link` header of the reply names the next page, if there is one.',
    access: 'holder',
    errors: [400],
  }),
  input: z.strictObject({ holderId: z.string(), ...pageShape }),
  output: z.array(zWalletPresentation),
}
