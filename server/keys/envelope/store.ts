import { z } from 'zod'
import type { Database } from '../../database/connect.js'
import { fragment } from '../../database/fragment.js'
import { idRow, noRow } from '../../database/row-shapes.js'

const zEnvelopeKey = z.strictObject({
  /** The name of the key in the values that it encrypts. */
  id: z.string(),
  /** The wrapping key, as KEY_ENCRYPTION_PROVIDER named it. */
  wrapping: z.string(),
  wrapped: z.string(),
  /** Whether the time has come from which the key encrypts. */
  isActive: z.boolean(),
  /** Whether a newer key took its place. */
  isRetired: z.boolean(),
  /** Whether stored values may be encrypted under the key, by the progress of the encryption. */
  isNeeded: z.boolean(),
  /** Whether the key retired more than a day ago. */
  isOld: z.boolean(),
})

/** A wrapped key-encryption key. */
export type EnvelopeKey = z.infer<typeof zEnvelopeKey>

/** Limit of keys that a start unwraps. */
const MOST_KEYS = 100
/** How long a retired key stays at least, in seconds. A process that has not yet changed to the newer key may still encrypt with it. */
const RETIRED_SECONDS = 24 * 3_600

const retiredLongAgo = fragment`k.retired_at < now() - make_interval(secs => ${RETIRED_SECONDS})`

export type EnvelopeStore = ReturnType<typeof createEnvelopeStore>

export function createEnvelopeStore({ sql }: Pick<Database, 'sql'>) {
  return {
    /** All keys, the newest first. */
    all: (): Promise<EnvelopeKey[]> =>
      sql(zEnvelopeKey)`
        SELECT k.id, k.wrapping, k.wrapped, k.active_at <= now() AS "isActive", k.retired_at IS NOT NULL AS "isRetired",
          EXISTS (SELECT 1 FROM encryption_progress p WHERE p.key_id = k.id OR k.id = ANY(p.former_key_ids)) AS "isNeeded",
          COALESCE(${retiredLongAgo}, false) AS "isOld"
        FROM envelope_keys k ORDER BY k.active_at DESC, k.id LIMIT ${MOST_KEYS}`,

    /** @param seconds time until the key encrypts. Until then it only decrypts. */
    async add({ id, wrapping, wrapped }: Pick<EnvelopeKey, 'id' | 'wrapping' | 'wrapped'>, seconds: number) {
      await sql(noRow)`
        INSERT INTO envelope_keys (id, wrapping, wrapped, active_at)
        VALUES (${id}, ${wrapping}, ${wrapped}, now() + make_interval(secs => ${seconds}))`
    },

    /** Replaces a wrapped form. @returns false if the stored form has changed meanwhile */
    async rewrap({ id, wrapped: from }: Pick<EnvelopeKey, 'id' | 'wrapped'>, wrapping: string, wrapped: string) {
      const rows = await sql(idRow)`
        UPDATE envelope_keys SET wrapping = ${wrapping}, wrapped = ${wrapped} WHERE id = ${id} AND wrapped = ${from}
        RETURNING id`
      return rows.length > 0
    },

    /** Notes that a key took the place of all older keys. */
    async retireBefore(id: string): Promise<void> {
      await sql(noRow)`
        UPDATE envelope_keys SET retired_at = now()
        WHERE retired_at IS NULL AND active_at < (SELECT k.active_at FROM envelope_keys k WHERE k.id = ${id})`
    },

    /** Notes that keys do not encrypt any more, because the environment has the key. */
    async retire(ids: readonly string[]): Promise<void> {
      await sql(noRow)`
        UPDATE envelope_keys SET retired_at = now() WHERE retired_at IS NULL AND id = ANY(${[...ids]}::text[])`
    },

    /**
     * Removes keys. A key stays if it retired less than a day ago, if a value may need it, or while the maintenance job visits values.
     *
     * @returns the names of the removed keys
     */
    async remove(ids: readonly string[]): Promise<string[]> {
      const rows = await sql(idRow)`
        DELETE FROM envelope_keys k WHERE k.id = ANY(${[...ids]}::text[]) AND ${retiredLongAgo}
          AND NOT EXISTS (SELECT 1 FROM encryption_progress p
            WHERE p.position IS NOT NULL OR p.key_id = k.id OR k.id = ANY(p.former_key_ids))
        RETURNING k.id`
      return rows.map(({ id }) => id)
    },
  }
}
