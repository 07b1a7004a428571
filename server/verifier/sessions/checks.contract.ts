import { z } from 'zod'
import { route } from '../../api/contract.js'
import { errors } from '../../api/errors.js'
import { zCheckDone } from '../verify/check-done.js'
import { SESSION_STATES } from './session.js'

export const readSessionChecks = {
  meta: route('GET', '/api/v1/verification-sessions/{sessionId}/checks', {
    tag: 'Verification sessions',
    summary: 'List the checks of the answer to a request, with their outcomes',
    description:
      'All checks of each presentation: passed, failed and not reached. Empty if no wallet presented anything; `errorMessage` ' +
      'then has the reason. The checks are stored as long as the session. An unknown session is a 500.',
    access: 'verifierOperator',
    errors: [400, errors.verificationSessionNotFound()],
  }),
  input: z.strictObject({ sessionId: z.string() }),
  output: z.object({
    verificationSessionId: z.string(),
    state: z.enum(SESSION_STATES),
    errorMessage: z.string().optional(),
    checks: z.array(
      zCheckDone.extend({
        credentialQueryId: z
          .string()
          .optional()
          .meta({ description: 'Id of the DCQL credential query. Absent for a check of the whole answer.' }),
      }),
    ),
  }),
}
