import { type Fragment, fragment, type Step } from './fragment.js'

/**
 * A condition that is always true. PostgreSQL evaluates it once, before it reads rows, and so runs the step first. Statements that
 * lock the same rows in the same order cannot block each other. The rows of a credential offer are locked in this order: session,
 * authorization or token, offering, credential.
 *
 * @param step locks the rows that come first
 */
export const lockedBefore = (step: Step): Fragment => fragment`(SELECT count(*) FROM ${step}) >= 0`
