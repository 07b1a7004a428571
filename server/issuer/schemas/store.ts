import type { Database } from '../../database/connect.js'
import { Prisma } from '../../generated/prisma/client.js'

export interface SchemaDisplay {
  readonly name: string
  readonly locale?: string | undefined
  readonly description?: string | undefined
  readonly background_color?: string | undefined
  readonly text_color?: string | undefined
  readonly logo?: { readonly uri: string; readonly alt_text?: string | undefined } | undefined
}

/** A schema version as it is stored. */
export interface CredentialSchema {
  readonly id: string
  readonly name: string
  readonly version: number
  readonly body: Readonly<Record<string, unknown>>
  readonly title: string | null
  readonly description: string | null
  readonly display: readonly SchemaDisplay[] | null
  readonly selectivelyDisclosable: readonly string[] | null
  readonly expiresInDays: number | null
  readonly createdAt: Date
  /** Whether it is the highest version of its name. */
  readonly active: boolean
  readonly issuers: readonly string[]
}

export interface NewSchema {
  readonly id: string
  readonly name: string
  readonly version: number
  readonly body: Record<string, unknown>
  readonly title: string | null
  readonly description: string | null
  readonly display: readonly SchemaDisplay[] | null
  readonly selectivelyDisclosable: readonly string[] | null
  readonly expiresInDays: number | null
  readonly createdBy: string
}

/** Columns of a schema in plain SQL, under the alias `s`. */
export const schemaColumns = Prisma.sql`
  s.id, s.name, s.version, s.body, s.title, s.description, s.display,
  s.selectively_disclosable AS "selectivelyDisclosable", s.expires_in_days AS "expiresInDays", s.created_at AS "createdAt",
  NOT EXISTS (SELECT 1 FROM schemas newer WHERE newer.name = s.name AND newer.version > s.version) AS active,
  ARRAY(SELECT a.issuer_id FROM schema_issuers a WHERE a.schema_id = s.id ORDER BY a.created_at, a.issuer_id) AS issuers`

const jsonOrNull = (value: unknown): string | null => (value === null ? null : JSON.stringify(value))

export type SchemaStore = ReturnType<typeof createSchemaStore>

export function createSchemaStore({ sql }: Database) {
  const select = (where: Prisma.Sql) =>
    sql<CredentialSchema>`SELECT ${schemaColumns} FROM schemas s WHERE ${where} ORDER BY s.version DESC`

  return {
    /**
     * Stores a schema with its audit row, in one statement.
     *
     * @returns false where the name has that version already.
     */
    async insert(schema: NewSchema): Promise<boolean> {
      const audited = await sql`
        WITH inserted AS (
          INSERT INTO schemas (id, name, version, body, title, description, display, selectively_disclosable, expires_in_days, created_by)
          VALUES (${schema.id}, ${schema.name}, ${schema.version}, ${JSON.stringify(schema.body)}::json, ${schema.title},
            ${schema.description}, ${jsonOrNull(schema.display)}::jsonb, ${jsonOrNull(schema.selectivelyDisclosable)}::jsonb,
            ${schema.expiresInDays}, ${schema.createdBy})
          ON CONFLICT (name, version) DO NOTHING RETURNING id)
        INSERT INTO audit_events (actor, action, subject, subject_id)
        SELECT ${schema.createdBy}, 'schema.created', 'schema', id FROM inserted RETURNING id`
      return audited.length > 0
    },

    async find(id: string): Promise<CredentialSchema | undefined> {
      const [schema] = await select(Prisma.sql`s.id = ${id}`)
      return schema
    },

    /** Every version of a name, the newest first. */
    versions: (name: string): Promise<CredentialSchema[]> => select(Prisma.sql`s.name = ${name}`),

    async active(name: string): Promise<CredentialSchema | undefined> {
      const [schema] = await sql<CredentialSchema>`
        SELECT ${schemaColumns} FROM schemas s WHERE s.name = ${name} ORDER BY s.version DESC LIMIT 1`
      return schema
    },

    /** The active version of every name, as metadata lists them. */
    allActive: (): Promise<CredentialSchema[]> =>
      sql<CredentialSchema>`
        SELECT ${schemaColumns} FROM (SELECT DISTINCT ON (name) * FROM schemas ORDER BY name, version DESC) s ORDER BY s.name`,

    /** Assigns a schema to an issuer, with an audit row where it was not yet. */
    async assign(schemaId: string, issuerId: string, actor: string): Promise<void> {
      await sql`
        WITH assigned AS (
          INSERT INTO schema_issuers (schema_id, issuer_id) VALUES (${schemaId}, ${issuerId})
          ON CONFLICT (schema_id, issuer_id) DO NOTHING RETURNING schema_id)
        INSERT INTO audit_events (actor, action, subject, subject_id)
        SELECT ${actor}, 'schema.assigned', 'schema', schema_id FROM assigned`
    },
  }
}
