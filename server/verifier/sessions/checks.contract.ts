import { z } from 'zod'
import { route } from '../../api/contract.js'
import { errors } from '../../api/errors.js'
import { zCheckDone } from '../verify/check-done.js'
import { zUntrustedSigner } from '../verify/untrusted.contract.js'
import { SESSION_STATES } from './session.js'

/** A credential query of a request, without the values that it requires: they may be claims of a person. */
export const zAsk = z.object({
  credentialQueryId: z.string().meta({ description: 'Id of the DCQL credential query.' }),
  format: z.string(),
  types: z.array(z.string()).meta({
    description:
      'Accepted types. A type of this installation has its name, and any other type is as credentials name it.',
  }),
  claims: z
    .array(z.array(z.union([z.string(), z.int(), z.null()])))
    .meta({ description: 'Paths of the requested claims (OpenID4VP 1.0 §7), beginning at the subject.' }),
})

/** An entry of `transaction_data` (OpenID4VP 1.0 §5.1), with all members that its type defines. */
const zShownTransaction = z.looseObject({ type: z.string(), credential_ids: z.array(z.string()).readonly() })

export const readSessionChecks = {
  meta: route('GET', '/api/v1/verification-sessions/{sessionId}/checks', {
    tag: 'Verification sessions',
    summary: 'List the checks of the answer to a request, with their outcomes',
    description:
      'What the request asks for, its transaction data while it is open, and all checks of each presentation: passed, failed and not reached. No checks if no wallet presented anything; `errorMessage` ' +
      'then has the reason. The checks are stored as long as the session. For operators and the caller that created the session. ' +
      'For any other caller the session is unknown: a 500.',
    access: 'clientOrVerifier',
    errors: [400, errors.verificationSessionNotFound()],
  }),
  input: z.strictObject({ sessionId: z.string() }),
  output: z.object({
    verificationSessionId: z.string(),
    createdBy: z
      .string()
      .optional()
      .meta({ description: 'The `sub` of the caller that created the session. Absent for a client secret.' }),
    state: z.enum(SESSION_STATES),
    errorMessage: z.string().optional(),
    asks: z.array(zAsk).meta({ description: 'What the request asks for, without the values that it requires.' }),
    transactionData: z.array(zShownTransaction).optional().meta({
      description:
        'The transactions that the holder is asked to authorize. Absent without transactions, and after the end of the session.',
    }),
    checks: z.array(
      zCheckDone.extend({
        credentialQueryId: z
          .string()
          .optional()
          .meta({ description: 'Id of the DCQL credential query. Absent for a check of the whole answer.' }),
        signer: zUntrustedSigner.optional().meta({
          description: 'The certificates of an issuer that is not trusted. Absent if the credential has none.',
        }),
      }),
    ),
  }),
}
