import { z } from 'zod'
import { route } from '../../api/contract.js'
import { errors } from '../../api/errors.js'
import { zEvidence } from './package.js'

const MAX_DAYS = 3_650

/** Members of a request that asks for evidence. */
export const evidenceShape = {
  keepEvidence: z
    .boolean()
    .optional()
    .meta({
      description:
        'Whether evidence of the answer is kept, verified or refused: everything with which an auditor verifies it again years later. ' +
        'It contains the presentation with its claims. Default: false.',
    }),
  evidenceRetention: z
    .strictObject({ days: z.int().min(1).max(MAX_DAYS) })
    .optional()
    .meta({
      description:
        'How long the evidence is kept after the end of the session, also if the session is deleted before. Requires `keepEvidence`. ' +
        'Default: as long as the result, SESSION_RESULT_TTL_SECONDS.',
    }),
}

/** Refuses a time for evidence that is not kept. */
export function checkEvidence({
  value,
  issues,
}: z.core.ParsePayload<{
  readonly keepEvidence?: boolean | undefined
  readonly evidenceRetention?: { readonly days: number } | undefined
}>): void {
  if (value.evidenceRetention === undefined || value.keepEvidence === true) return
  const message = 'must be left out where keepEvidence is not true'
  issues.push({ code: 'custom', input: value, path: ['evidenceRetention'], message })
}

export const readEvidence = {
  meta: route('GET', '/api/v1/verification-sessions/{sessionId}/evidence', {
    tag: 'Verification sessions',
    summary: 'Read the evidence of an answer',
    description:
      'For an auditor: the presentations as they arrived, the request, and every key, certificate and status list that was used, each ' +
      'with its time. `npm run verify-evidence FILE` checks it without a network. Readable with x-client-secret, by an admin, or by the ' +
      'caller that created the session, without a response_code. Each read is an audit event `evidence.read`.',
    access: 'clientOrVerifier',
    errors: [
      400,
      errors.evidenceDenied(),
      errors.noEvidenceSession(),
      errors.evidenceNotReady(),
      errors.noEvidence(),
      errors.evidenceGone(),
    ],
  }),
  input: z.strictObject({ sessionId: z.string() }),
  output: zEvidence,
}
