import { z } from 'zod'

/** The certificates of a signer that is not trusted. `POST /api/v1/trust/explain` explains them. */
export const zUntrustedSigner = z.object({
  purpose: z.enum(['credentials', 'verifiers', 'registrars']),
  certificates: z.array(z.string()).meta({ description: 'Base64 of each certificate in DER, the signer’s first.' }),
  types: z.array(z.string()).meta({ description: 'The types of the credential; empty for other documents.' }),
})
