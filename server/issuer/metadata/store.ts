import { z } from 'zod'
import { coalesced } from '../../database/coalesce.js'
import type { Database } from '../../database/connect.js'
import { fragment } from '../../database/fragment.js'
import { currentKey, ENCRYPTION_KEY_SET } from '../../keys/store.js'
import { asMdocOfAny, listedVersions } from '../schemas/store.js'

const zState = z.strictObject({ state: z.string() })

/**
 * The `xmin` of a row names the transaction that last wrote the row. So `xmin` changes with every change of the row, by
 * any process.
 */
const keyRow = fragment`k.id, (SELECT xmin::text FROM keys WHERE keys.id = k.id)`

export type MetadataStore = ReturnType<typeof createMetadataStore>

export function createMetadataStore({ sql }: Database) {
  const read = coalesced(async (times) => {
    const now = new Date(times.toSorted().at(-1) ?? 0)
    const [row] = await sql(zState)`
      SELECT encode(sha256(convert_to(json_build_array(
        ARRAY(SELECT ARRAY[s.id, s.xmin::text, ${asMdocOfAny}::text]
          FROM (${listedVersions(now, fragment`id, name, mdoc, xmin`)}) s ORDER BY s.name),
        ARRAY(SELECT DISTINCT ARRAY[k.alg, i.signing, (k.x5c IS NOT NULL)::text]
          FROM issuers i ${currentKey(fragment`i.key_set_id`)} ORDER BY 1),
        ARRAY(SELECT ARRAY[i.id, i.xmin::text, ${keyRow}]
          FROM issuers i ${currentKey(fragment`i.key_set_id`)} WHERE i.is_default),
        ARRAY(SELECT ARRAY[${keyRow}]
          FROM key_sets s ${currentKey(fragment`s.id`)} WHERE s.id = ${ENCRYPTION_KEY_SET}),
        ARRAY(SELECT ARRAY[r.id, r.status, r.failed_check, (r.ends_at <= ${now})::text]
          FROM registration_certificates r WHERE r.issuer_id IS NOT NULL ORDER BY r.id)
      )::text, 'UTF8')), 'base64') AS state`
    return new Map(times.map((time) => [time, row?.state]))
  })
  return {
    /**
     * Returns a short text that identifies the current database content behind the metadata. If this content changes,
     * the text changes. It covers the listed versions and whether an issuer signs their mobile documents. It also covers
     * algorithms with and without certificates, the default issuer with its key and certificates, the encryption key for requests, and the
     * registration certificates of issuers. Simultaneous requests share one statement.
     */
    async state(now: Date): Promise<string> {
      const state = await read(now.toISOString())
      if (state === undefined) throw new Error('A statement that always has a row had none.')
      return state
    },
  }
}
