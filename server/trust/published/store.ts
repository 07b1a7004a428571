import { z } from 'zod'
import type { Database } from '../../database/connect.js'
import { publicJwk } from '../../database/row-shapes.js'

const zIssue = z.strictObject({
  contentHash: z.string(),
  /** A number of at most 2^53. */
  sequenceNumber: z.number(),
  issuedAt: z.date(),
  nextUpdate: z.date(),
  body: z.instanceof(Uint8Array),
})

/** One issue of a published list, as it was signed. */
export type Issue = z.infer<typeof zIssue>

const zIssuerKey = z.strictObject({
  issuerId: z.string(),
  isDefault: z.boolean(),
  did: z.string(),
  keyId: z.string(),
  publicJwk,
  /** Base64 DER, the signer's first. */
  x5c: z.array(z.string()),
  isRetired: z.boolean(),
})

/** A key of an issuer record that has a certificate. */
export type IssuerKey = z.infer<typeof zIssuerKey>

/** The limit of keys that one list reads. */
const MAX_KEYS = 5_000

const zSequence = z.strictObject({ sequenceNumber: z.number() })

export type PublishedListStore = ReturnType<typeof createPublishedListStore>

/** The newest issue of each published list, and the certificates that a list may have. */
export function createPublishedListStore({ sql }: Database) {
  return {
    async newest(name: string): Promise<Issue | undefined> {
      const [row] = await sql(zIssue)`
        SELECT content_hash AS "contentHash", sequence_number::float8 AS "sequenceNumber", issued_at AS "issuedAt",
          next_update AS "nextUpdate", body FROM published_trust_lists WHERE name = ${name}`
      return row
    },

    /**
     * Stores an issue behind the one with the number before it.
     *
     * @returns false if another process has stored an issue meanwhile; then nothing is written.
     */
    async add(name: string, { contentHash, sequenceNumber, issuedAt, nextUpdate, body }: Issue): Promise<boolean> {
      const text = Buffer.from(body).toString('base64')
      const rows = await sql(zSequence)`
        INSERT INTO published_trust_lists AS p (name, content_hash, sequence_number, issued_at, next_update, body)
        VALUES (${name}, ${contentHash}, ${sequenceNumber}::float8::bigint, ${issuedAt}, ${nextUpdate}, decode(${text}, 'base64'))
        ON CONFLICT (name) DO UPDATE SET content_hash = EXCLUDED.content_hash, sequence_number = EXCLUDED.sequence_number,
          issued_at = EXCLUDED.issued_at, next_update = EXCLUDED.next_update, body = EXCLUDED.body
        WHERE p.sequence_number = EXCLUDED.sequence_number - 1
        RETURNING sequence_number::float8 AS "sequenceNumber"`
      return rows.length > 0
    },

    /**
     * The certified keys of issuer records, of each record the newest first.
     *
     * @param ids ids of records; `default` is the default issuer
     */
    issuerKeys: (ids: readonly string[]): Promise<IssuerKey[]> =>
      sql(zIssuerKey)`
        SELECT i.id AS "issuerId", i.is_default AS "isDefault", i.did, k.id AS "keyId", k.public_jwk AS "publicJwk", k.x5c,
          k.retired_at IS NOT NULL AS "isRetired"
        FROM issuers i JOIN keys k ON k.key_set_id = i.key_set_id
        WHERE (i.id = ANY(${[...ids]}::text[]) OR (i.is_default AND 'default' = ANY(${[...ids]}::text[]))) AND k.x5c IS NOT NULL
        ORDER BY i.id, k.created_at DESC, k.id DESC LIMIT ${MAX_KEYS}`,
  }
}
