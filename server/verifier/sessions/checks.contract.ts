import { z } from 'zod'
import { route } from '../../api/contract.js'
import { errors } from '../../api/errors.js'
import { zCheckDone } from '../verify/check-done.js'
import { SESSION_STATES } from './session.js'

export const readSessionChecks = {
  meta: route('GET', '/api/v1/verification-sessions/{sessionId}/checks', {
    tag: 'Verification sessions',
    summary: 'What was checked of the answer to a request, and with what outcome',
    description:
      'Of each presentation every check: those that it passed, the one that failed, and those that were not reached. None where no wallet presented anything: then ' +
      '`errorMessage` says why. They stay as long as the session. An unknown session is a 500.',
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
          .meta({ description: 'Id of the DCQL credential query; absent of a check of the whole answer.' }),
      }),
    ),
  }),
}
