import { z } from 'zod'
import type { Check } from '../../protocol/credential/verification.js'

/** Every check that a credential or an answer can fail. */
export const CHECKS = [
  'format',
  'issuer-key',
  'issuer-trust',
  'signature',
  'validity',
  'holder-binding',
  'transaction-data',
  'revoked',
  'status',
  'query',
] as const satisfies readonly Check[]

/** A check and its outcome. */
export const zCheckDone = z.object({
  check: z.enum(CHECKS),
  outcome: z.enum(['passed', 'failed', 'not-reached']).meta({
    description: '`not-reached`: the check was not made, because another check failed before it.',
  }),
  message: z.string().meta({ description: 'One sentence. It never holds the value of a claim.' }),
})

/** The sentence for each passed check. */
export const PASSED: Readonly<Record<Check, string>> = {
  format: 'The credential is well-formed.',
  'issuer-key': 'The issuer’s key was found.',
  'issuer-trust': 'The issuer is trusted.',
  signature: 'The issuer’s key signed the credential.',
  validity: 'The credential is valid now.',
  'holder-binding': 'The wallet signed this request with the credential’s key.',
  'transaction-data': 'The wallet authorized the transaction data with the credential’s key.',
  revoked: 'The credential is neither revoked nor suspended.',
  status: 'The credential’s status was read.',
  query: 'The credential matches the query.',
}

/** The sentence for a check that was not made. */
export const NOT_REACHED = 'This check was not made, because an earlier check failed.'
