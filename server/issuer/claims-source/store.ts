import { z } from 'zod'
import { audited } from '../../database/audited.js'
import type { Database } from '../../database/connect.js'
import { fragment, Step } from '../../database/fragment.js'
import { noRow } from '../../database/row-shapes.js'
import { isTheirs, type SchemaEditor } from '../schemas/store.js'

const zSecret = z.strictObject({ secret: z.string() })

const zPermitted = z.strictObject({ permitted: z.boolean() })

const zFailing = z.strictObject({
  name: z.string(),
  lastFailureAt: z.date().nullable(),
  lastFailure: z.string().nullable(),
  failing: z.boolean(),
})

/** The health of the claims source of an active schema. */
export type SourceHealth = z.infer<typeof zFailing>

/** Limit for the sources of the checklist. */
const MAX_SHOWN = 200

export type ClaimsSourceStore = ReturnType<typeof createClaimsSourceStore>

export function createClaimsSourceStore({ sql }: Database) {
  return {
    /** The secrets of a source, protected by the vault. */
    async secret(schemaId: string): Promise<string | undefined> {
      const [row] = await sql(zSecret)`SELECT secret FROM claims_sources WHERE schema_id = ${schemaId}`
      return row?.secret
    },

    /** Whether an editor may change a schema, and its source may be asked for them. Undefined for an unknown schema. */
    async permits(schemaId: string, editor: SchemaEditor): Promise<boolean | undefined> {
      const [row] = await sql(zPermitted)`
        SELECT ${isTheirs(editor)} AS permitted FROM schemas s JOIN credential_types t ON t.name = s.name WHERE s.id = ${schemaId}`
      return row?.permitted
    },

    /** Replaces the secrets of a source, with an audit row. @param secret protected by the vault */
    async replaceSecret(schemaId: string, secret: string, editor: SchemaEditor): Promise<void> {
      const replaced = new Step<'id'>(
        'replaced',
        fragment`
          UPDATE claims_sources SET secret = ${secret} WHERE schema_id = ${schemaId} AND EXISTS (
            SELECT 1 FROM schemas s JOIN credential_types t ON t.name = s.name WHERE s.id = ${schemaId} AND ${isTheirs(editor)})
          RETURNING schema_id AS id`,
      )
      const recorded = audited({
        of: replaced,
        actor: editor.sub,
        action: 'schema.claims_source_secret_replaced',
        subject: 'schema',
      })
      await sql(noRow, [recorded])`SELECT FROM ${replaced} WHERE false`
    },

    /** Records that a test showed a caller the claims of a person. The event names neither the person nor the claims. */
    async recordShown(schemaId: string, actor: string): Promise<void> {
      const shown = new Step<'id'>('shown', fragment`SELECT id FROM schemas WHERE id = ${schemaId}`)
      const recorded = audited({ of: shown, actor, action: 'schema.claims_source_claims_shown', subject: 'schema' })
      await sql(noRow, [recorded])`SELECT FROM ${shown} WHERE false`
    },

    /** Stores how the last request to a source ended. @param failure null if it succeeded */
    async note(schemaId: string, failure: string | null, now: Date): Promise<void> {
      const outcome =
        failure === null
          ? fragment`last_success_at = GREATEST(last_success_at, ${now}::timestamptz)`
          : fragment`last_failure_at = GREATEST(last_failure_at, ${now}::timestamptz), last_failure = ${failure}`
      await sql(noRow)`UPDATE claims_sources SET ${outcome} WHERE schema_id = ${schemaId}`
    },

    /** The sources of active schemas, the failing ones first. A source is failing if its last request failed. */
    health: (): Promise<SourceHealth[]> =>
      sql(zFailing)`
        SELECT s.name, c.last_failure_at AS "lastFailureAt", c.last_failure AS "lastFailure",
          c.last_failure_at IS NOT NULL AND (c.last_success_at IS NULL OR c.last_failure_at > c.last_success_at) AS failing
        FROM claims_sources c JOIN schemas s ON s.id = c.schema_id
        WHERE s.withdrawn_at IS NULL AND NOT EXISTS (
          SELECT 1 FROM schemas newer WHERE newer.name = s.name AND newer.version > s.version AND newer.withdrawn_at IS NULL)
        ORDER BY failing DESC, s.name LIMIT ${MAX_SHOWN}`,
  }
}
