import { type Fragment, fragment } from '../../../database/fragment.js'

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

/** Their rows, for FROM. They are in one order, so that of two statements with the same ones none waits for the other. */
export function usedRows(values: readonly UsedOnce[]): Fragment {
  const sorted = [...values].sort((a, b) => (a.hash < b.hash ? -1 : 1))
  return fragment`
    unnest(${sorted.map(({ hash }) => hash)}::text[],
      ${sorted.map(({ expiresAt }) => expiresAt.toISOString())}::timestamptz[])`
}

/**
 * `once`: stores the given proofs as used where `condition` has a row, and returns one row for each that was new. A
 * repeated value conflicts with the primary key, in this statement and in every other.
 */
export const usedOnce = (values: readonly UsedOnce[], condition: Fragment): Fragment => fragment`
  once AS (
    INSERT INTO used_nonces (hash, expires_at)
    SELECT u.hash, u.expires_at FROM ${usedRows(values)} AS u(hash, expires_at)
    WHERE EXISTS (${condition})
    ON CONFLICT DO NOTHING RETURNING hash)`
