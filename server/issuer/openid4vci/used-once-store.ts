import { type Fragment, fragment, Step } from '../../database/fragment.js'
import { CLOCK_SKEW_SECONDS } from '../../maintenance/task.js'
import { DPOP_IAT_SECONDS } from '../../protocol/oauth/dpop.js'
import { POP_IAT_SECONDS } from '../../protocol/openid4vci/wallet-attestation.js'

/** What counts once: a nonce, a proof that was sent with a request, or a code. */
export interface UsedOnce {
  /** A hash of it; of a code its `jti`. */
  readonly hash: string
  /**
   * From when on a repeat is refused by its age, so that the row is not needed any more. It must follow from the thing
   * itself, never from the moment of its use: hash and expiry together are the key, by which a repeat meets its row.
   */
  readonly expiresAt: Date
}

const HOUR_MS = 3_600_000

/**
 * Two proofs with one `jti` can both be accepted if their `iat` differ by less: each `iat` may lie that far from the moment of
 * its use, to either side, and the clocks of two processes may differ.
 */
const SAME_JTI_MS = (2 * Math.max(DPOP_IAT_SECONDS, POP_IAT_SECONDS) + CLOCK_SKEW_SECONDS) * 1000

/** The last moment of an hour. */
const endOfHour = (ms: number): number => (Math.floor(ms / HOUR_MS) + 1) * HOUR_MS - 1

/** How far beyond the present the row of a proof may expire, in seconds. */
export const PROOF_ROW_SECONDS = (SAME_JTI_MS + HOUR_MS) / 1000

/**
 * The rows by which the `jti` of a proof counts once, whatever `iat` another proof with the same `jti` has (RFC 9449 §11.1).
 *
 * The table's key is hash and expiry, so the rows expire at the end of an hour, not at that of the proof. A proof near the end of
 * an hour has a row in the next hour too. Two proofs that can both be accepted therefore have a row in common.
 *
 * @param hash of key and `jti`
 * @param expiresAt from when on the proof is refused by its age
 */
export function proofOnce(hash: string, expiresAt: Date): UsedOnce[] {
  const ends = [expiresAt.getTime(), expiresAt.getTime() + SAME_JTI_MS].map(endOfHour)
  return [...new Set(ends)].map((end) => ({ hash, expiresAt: new Date(end) }))
}

/** The rows of used values, for FROM. One order for all statements keeps two of them from waiting for each other. */
export function usedRows(values: readonly UsedOnce[]): Fragment {
  const sorted = [...values].sort((a, b) =>
    a.hash === b.hash ? a.expiresAt.getTime() - b.expiresAt.getTime() : a.hash < b.hash ? -1 : 1,
  )
  return fragment`
    unnest(${sorted.map(({ hash }) => hash)}::text[],
      ${sorted.map(({ expiresAt }) => expiresAt.toISOString())}::timestamptz[])`
}

/**
 * The step that stores proofs as used where another step has a row, and returns one row for each that was new. A repeated value
 * conflicts with the primary key, in this statement and in every other.
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
