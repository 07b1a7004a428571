import { Prisma } from '../../../generated/prisma/client.js'

/** Something that counts once: a proof that was sent with a request. */
export interface UsedOnce {
  readonly hash: string
  /** When a repeat would be refused without being remembered. */
  readonly expiresAt: Date
}

/**
 * `once`: what counts once, put on record where `condition` has a row; as many rows as there were fresh ones. The same
 * value again meets the primary key, in whichever statement it comes.
 */
export const usedOnce = (values: readonly UsedOnce[], condition: Prisma.Sql): Prisma.Sql => Prisma.sql`
  once AS (
    INSERT INTO used_nonces (hash, expires_at)
    SELECT u.hash, u.expires_at
    FROM unnest(${values.map(({ hash }) => hash)}::text[],
      ${values.map(({ expiresAt }) => expiresAt.toISOString())}::timestamptz[]) AS u(hash, expires_at)
    WHERE EXISTS (${condition})
    ON CONFLICT DO NOTHING RETURNING hash)`
