import { type Fragment, fragment } from '../../../database/fragment.js'

/** A proof that was sent with a request and may be used only once. */
export interface UsedOnce {
  readonly hash: string
  /** From when on a repeat is refused by its age, so that the row is not needed any more. */
  readonly expiresAt: Date
}

/**
 * `once`: stores the given proofs as used where `condition` has a row, and returns one row for each that was new. A
 * repeated value conflicts with the primary key, in this statement and in every other.
 */
export const usedOnce = (values: readonly UsedOnce[], condition: Fragment): Fragment => fragment`
  once AS (
    INSERT INTO used_nonces (hash, expires_at)
    SELECT u.hash, u.expires_at
    FROM unnest(${values.map(({ hash }) => hash)}::text[],
      ${values.map(({ expiresAt }) => expiresAt.toISOString())}::timestamptz[]) AS u(hash, expires_at)
    WHERE EXISTS (${condition})
    ON CONFLICT DO NOTHING RETURNING hash)`
