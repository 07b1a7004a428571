import { z } from 'zod'
import type { Check } from '../../protocol/credential/verification.js'

const CHECKS = [
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
  format: 'It is well-formed.',
  'issuer-key': 'The key of its issuer was found.',
  'issuer-trust': 'Its issuer is trusted.',
  signature: 'Its signature is that of its issuer.',
  validity: 'It is valid at this time.',
  'holder-binding': 'Its holder has proven to be its holder, for this request.',
  'transaction-data': 'Its holder has authorized transaction data with it.',
  revoked: 'It is neither revoked nor suspended.',
  status: 'Its status could be read.',
  query: 'It is what was asked for.',
}

/** The sentence for a check that was not made. */
export const NOT_REACHED = 'It was not checked: another check failed before.'
