import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { readMigrations } from '../../server/database/migrations.js'
import { migrationList, withSchemaEngine } from './schema-engine.js'

const empty = '-- This is an empty migration.'

/**
 * Returns the SQL that would change the database after all migrations to match schema.prisma. Returns null if both
 * agree. A migration may contain parts that Prisma cannot express (check constraints, partial indexes, triggers). These
 * parts do not count as a difference.
 *
 * @param prismaDirectory the folder with schema.prisma and migrations/
 * @param databaseUrl address of a server on which this function may make an empty database for the comparison
 */
export async function migrationDrift(prismaDirectory: string, databaseUrl: string): Promise<string | null> {
  const directory = join(prismaDirectory, 'migrations')
  const schema = join(prismaDirectory, 'schema.prisma')
  const migrations = await readMigrations(directory)
  const files = [{ path: schema, content: await readFile(schema, 'utf8') }]
  const { stdout } = await withSchemaEngine(databaseUrl, (engine) =>
    engine.diff({
      from: { tag: 'migrations', ...migrationList(directory, migrations) },
      to: { tag: 'schemaDatamodel', files },
      script: true,
      exitCode: null,
      filters: { externalTables: [], externalEnums: [] },
    }),
  )
  const sql = (stdout ?? '').trim()
  return sql === '' || sql === empty ? null : `${sql}\n`
}
