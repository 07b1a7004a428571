import { z } from 'zod'
import { zCertificate } from '../agent/shown-certificate.js'
import { route } from '../api/contract.js'
import { LIST_PURPOSES, MAX_LISTS } from '../config/trust-lists.js'

const MAX_CREDENTIAL = 1_048_576
const MAX_CERTIFICATE = 100_000

/** How a place answered: it vouches for the chain, it does not, or it cannot be asked now. */
export const PLACE_ANSWERS = ['trusted', 'not-trusted', 'unusable'] as const

export const explainTrust = {
  meta: route('POST', '/api/v1/trust/explain', {
    tag: 'Trust',
    summary: 'Explain why an issuer is trusted, or why not',
    description:
      'Looks at the certificate chain only: no signature of the credential, no status and no name in TRUSTED_ISSUERS is checked. Nothing is fetched. ' +
      'Nothing of the credential is stored.',
    access: 'verifierOperator',
    status: 200,
    errors: [400],
  }),
  input: z
    .strictObject({
      credential: z.string().min(1).max(MAX_CREDENTIAL).optional().meta({ description: 'A compact credential.' }),
      certificate: z.string().min(1).max(MAX_CERTIFICATE).optional().meta({
        description: 'Certificates in PEM form, the signer’s first; or one certificate as base64 of its DER.',
      }),
      type: z.string().min(1).max(2_000).optional().meta({ description: 'The credential type, for a certificate.' }),
      purpose: z
        .enum(LIST_PURPOSES)
        .optional()
        .meta({ description: 'What the chain should be trusted for. Default: `credentials`.' }),
    })
    .refine(({ credential, certificate }) => (credential === undefined) !== (certificate === undefined), {
      error: 'must have either credential or certificate',
    }),
  output: z.object({
    trusted: z.boolean().meta({ description: 'Whether a root or a trusted list vouches for the chain.' }),
    purpose: z.enum(LIST_PURPOSES),
    issuer: z
      .string()
      .optional()
      .meta({ description: 'The issuer that the credential names. The chain need not prove it.' }),
    types: z.array(z.string()),
    chain: z.array(zCertificate).meta({ description: 'The certificates that were given, the signer’s first.' }),
    end: z.string().meta({ description: 'Where the chain ends.' }),
    places: z
      .array(
        z.object({
          name: z.string().meta({ description: 'A variable with roots, or the address of a trusted list.' }),
          listId: z.string().optional(),
          answer: z.enum(PLACE_ANSWERS),
          sentence: z.string(),
          entity: z.string().optional().meta({ description: 'The entity of the list that the chain leads to.' }),
        }),
      )
      .max(2 * MAX_LISTS + 1)
      .meta({ description: 'Each set of roots and each list that was looked at.' }),
    advice: z.array(z.string()).meta({ description: 'What would make the chain trusted.' }),
  }),
}
