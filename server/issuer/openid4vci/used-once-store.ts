import { type Fragment, fragment, Step } from '../../database/fragment.js'
import { CLOCK_SKEW_SECONDS } from '../../maintenance/task.js'
import { DPOP_IAT_SECONDS } from '../../protocol/oauth/dpop.js'
import { POP_IAT_SECONDS } from '../../protocol/openid4vci/wallet-attestation.js'

/** A value that may be used once: a nonce, a proof of a request, or a code. */
export interface UsedOnce {
  /** The hash of a nonce or proof, or the `jti` of a code. */
  readonly hash: string
  /**
   * The time after which a repeated value is refused for its age, so the row is no longer needed. This time must depend
   * on the value itself, never on the time of its use. Hash and expiry together are the key on which a repeated value
   * conflicts.
   */
  readonly expiresAt: Date
}

const HOUR_MS = 3_600_000

/**
 * Two proofs with one `jti` can both be accepted if their `iat` differ by less than this time. Each `iat` may differ
 * from the time of its use in both directions, and the clocks of two processes may differ.
 */
const SAME_JTI_MS = (2 * Math.max(DPOP_IAT_SECONDS, POP_IAT_SECONDS) + CLOCK_SKEW_SECONDS) * 1000

/** The last moment of an hour. */
const endOfHour = (ms: number): number => (Math.floor(ms / HOUR_MS) + 1) * HOUR_MS - 1

/** The longest time until the row of a proof expires, in seconds. */
export const PROOF_ROW_SECONDS = (SAME_JTI_MS + HOUR_MS) / 1000

/**
 * The rows that let the `jti` of a proof count only once. Another proof with the same `jti` is refused even if its `iat`
 * differs (RFC 9449 §11.1).
 *
 * The table's key is hash and expiry. Two proofs collide only in rows of the same expiry, so a row expires at the end of an
 * hour, not when its proof expires. A proof near the end of an hour has a row in the next hour too. Two proofs that can both
 * be accepted therefore have a row in common.
 *
 * @param hash the hash of the proof's key and `jti`
 * @param expiresAt the time after which the proof is refused for its age
 */
export function proofOnce(hash: string, expiresAt: Date): UsedOnce[] {
  const ends = [expiresAt.getTime(), expiresAt.getTime() + SAME_JTI_MS].map(endOfHour)
  return [...new Set(ends)].map((end) => ({ hash, expiresAt: new Date(end) }))
}

/** The rows of used values, for FROM. All statements use the same order, so two statements cannot block each other. */
export function usedRows(values: readonly UsedOnce[]): Fragment {
  const sorted = [...values].sort((a, b) =>
    a.hash === b.hash ? a.expiresAt.getTime() - b.expiresAt.getTime() : a.hash < b.hash ? -1 : 1,
  )
  return fragment`
    unnest(${sorted.map(({ hash }) => hash)}::text[],
      ${sorted.map(({ expiresAt }) => expiresAt.toISOString())}::timestamptz[])`
}

/**
 * The step that marks proofs as used if another step has a row. It returns one row for each new proof. A repeated value
 * conflicts with the primary key, in this statement and in every other statement.
 */
export const usedOnce = (values: readonly UsedOnce[], condition: Step): Step<'hash'> =>
  new Step<'hash'>(
    'once',
    fragment`
      INSERT INTO used_nonces (hash, expires_at)
      SELECT u.hash, u.expires_at FROM ${usedRows(values)} AS u(hash, expires_at)
      WHERE EXISTS (SELECT 1 FROM ${condition})
      ON CONFLICT DO NOTHING RETURNING hash`,
  )

/** Whether all proofs of `usedOnce` were new. */
export const allNew = (once: Step<'hash'>, values: readonly UsedOnce[]): Fragment =>
  fragment`(SELECT count(*) FROM ${once}) = ${values.length}`
