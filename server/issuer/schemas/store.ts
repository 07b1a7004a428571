import { recordAudit } from '../../audit/audit.js'
import { Prisma, type PrismaClient } from '../../generated/prisma/client.js'

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

const json = (value: unknown): Prisma.InputJsonValue | typeof Prisma.DbNull =>
  value === null ? Prisma.DbNull : (value as Prisma.InputJsonValue)

const isUniqueViolation = (thrown: unknown) =>
  thrown instanceof Prisma.PrismaClientKnownRequestError && thrown.code === 'P2002'

export type SchemaStore = ReturnType<typeof createSchemaStore>

export function createSchemaStore(prisma: PrismaClient) {
  const select = (where: Prisma.Sql) =>
    prisma.$queryRaw<CredentialSchema[]>`SELECT ${schemaColumns} FROM schemas s WHERE ${where} ORDER BY s.version DESC`

  return {
    /** @returns false where the name has that version already. */
    async insert(schema: NewSchema): Promise<boolean> {
      try {
        await prisma.$transaction(async (tx) => {
          await tx.schema.create({
            data: {
              ...schema,
              body: json(schema.body) as Prisma.InputJsonValue,
              display: json(schema.display),
              selectivelyDisclosable: json(schema.selectivelyDisclosable),
            },
          })
          await recordAudit(tx, {
            actor: schema.createdBy,
            action: 'schema.created',
            subject: 'schema',
            subjectId: schema.id,
          })
        })
        return true
      } catch (thrown) {
        if (isUniqueViolation(thrown)) return false
        throw thrown
      }
    },

    async find(id: string): Promise<CredentialSchema | undefined> {
      const [schema] = await select(Prisma.sql`s.id = ${id}`)
      return schema
    },

    /** Every version of a name, the newest first. */
    versions: (name: string): Promise<CredentialSchema[]> => select(Prisma.sql`s.name = ${name}`),

    async active(name: string): Promise<CredentialSchema | undefined> {
      const [schema] = await prisma.$queryRaw<CredentialSchema[]>`
        SELECT ${schemaColumns} FROM schemas s WHERE s.name = ${name} ORDER BY s.version DESC LIMIT 1`
      return schema
    },

    /** The active version of every name, as metadata lists them. */
    allActive: (): Promise<CredentialSchema[]> =>
      prisma.$queryRaw<CredentialSchema[]>`
        SELECT ${schemaColumns} FROM (SELECT DISTINCT ON (name) * FROM schemas ORDER BY name, version DESC) s ORDER BY s.name`,

    async assign(schemaId: string, issuerId: string, actor: string): Promise<void> {
      await prisma.$transaction(async (tx) => {
        const { count } = await tx.schemaIssuer.createMany({ data: [{ schemaId, issuerId }], skipDuplicates: true })
        if (count > 0)
          await recordAudit(tx, { actor, action: 'schema.assigned', subject: 'schema', subjectId: schemaId })
      })
    },
  }
}
