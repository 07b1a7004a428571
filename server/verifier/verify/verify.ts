import type { z } from 'zod'
import type { AnyValid, Invalid } from '../../formats/contract.js'
import type { Formats } from '../../formats/registry.js'
import type { FormatAnswer, Verifying } from '../../formats/verifying.js'
import type { Metrics } from '../../metrics/metrics.js'
import { type Check, CredentialError } from '../../protocol/credential/verification.js'
import type { Work } from '../../protocol/work.js'
import { NOT_REACHED, PASSED, type zCheckDone } from './check-done.js'
import type { Verifications } from './verification.js'

const UNSUPPORTED = 'Unsupported credential format. Expected compact JWT (x.y.z) or SD-JWT.'

/** The result of a verification. */
export type Verdict = AnyValid | Invalid

/** The result of a verification, and the failed check of an invalid credential. */
interface Judgement {
  readonly verdict: Verdict
  readonly failed: Check | undefined
  /** The passed checks, in order. The failed check may be in this list. */
  readonly passed: readonly Check[]
}

/** Selects how a format answers; undefined if the endpoint does not accept the format. */
type AnswerOf = (verifying: Verifying, compact: string) => FormatAnswer | undefined

const compactAnswer: AnswerOf = ({ answer }) => answer
const anyAnswer: AnswerOf = ({ answer, answerByCheck }, compact) =>
  answerByCheck?.resembles(compact) ? answerByCheck : answer

/** Checks that every valid credential has passed. */
const ALL: readonly Check[] = ['format', 'issuer-key', 'signature', 'validity', 'revoked']

function checksOf({ verdict, failed, passed }: Judgement): z.input<typeof zCheckDone>[] {
  const done = (checks: readonly Check[]) =>
    checks.map((check) => ({ check, outcome: 'passed' as const, message: PASSED[check] }))
  if (failed === undefined) return done(ALL)
  const before = passed.filter((check) => check !== failed)
  return [
    ...done(before),
    { check: failed, outcome: 'failed', message: String(verdict.error) },
    ...ALL.filter((check) => check !== failed && !before.includes(check)).map((check) => ({
      check,
      outcome: 'not-reached' as const,
      message: NOT_REACHED,
    })),
  ]
}

/** Dependencies of {@link createVerify}. */
export interface VerifyPorts {
  readonly formats: Pick<Formats, 'recognise'>
  readonly metrics: Pick<Metrics, 'verification'>
  readonly check: Verifications['check']
}

export type Verify = ReturnType<typeof createVerify>

/** Verifies single credentials for API callers. The result for an invalid credential is a verdict, not an error. */
export function createVerify({ formats, metrics, check }: VerifyPorts) {
  const judged = async (compact: string, work: Work, answerOf: AnswerOf): Promise<Judgement> => {
    const passed: Check[] = []
    try {
      const format = formats.recognise(compact)
      const answer = format === undefined ? undefined : answerOf(format.verifying, compact)
      if (format === undefined || answer === undefined) throw new CredentialError(UNSUPPORTED)
      const credential = await check(format, compact, work, (one) => passed.push(one))
      // Presentations are not verified here; `isValid: true` would suggest that this presentation was.
      if (credential.holderProof !== undefined) {
        throw new CredentialError(
          `Credential carries a ${credential.holderProof}: presentations are not verified here.`,
        )
      }
      metrics.verification(undefined)
      // The interface fixes the members of /credentials/verify, so the contract of this endpoint leaves the issuer out.
      const { issuer, shown } = credential
      const verdict = { isValid: true as const, format: answer.format, issuer, ...shown }
      return { verdict, failed: undefined, passed }
    } catch (thrown) {
      if (!(thrown instanceof CredentialError)) throw thrown
      metrics.verification(thrown.check)
      return { verdict: { isValid: false as const, error: thrown.message }, failed: thrown.check, passed }
    }
  }

  return {
    /** Verifies a credential of a format that the interface names. @param work the budget for the verification */
    verify: async (compact: string, work: Work): Promise<Verdict> =>
      (await judged(compact, work, compactAnswer)).verdict,

    /**
     * Verifies a credential of any format and reports the outcome of each check.
     *
     * @param work the budget for the verification
     */
    async checks(compact: string, work: Work): Promise<{ verdict: Verdict; checks: z.input<typeof zCheckDone>[] }> {
      const judgement = await judged(compact, work, anyAnswer)
      return { verdict: judgement.verdict, checks: checksOf(judgement) }
    },
  }
}
