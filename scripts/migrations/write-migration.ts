import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { projectDirectory } from '../../server/database/migrations.js'
import { startTemporaryPostgres } from '../postgres/temporary.js'
import { migrationDrift } from './drift.js'

const usage = 'Usage: npm run db:migration NAME   (letters, digits and underscores, for example add_offer_expiry)'

/** A time in UTC as Prisma's folder names write it: 20260131120000. */
const timestamp = (now: Date): string => now.toISOString().replace(/\D/g, '').slice(0, 14)

/**
 * Writes prisma/migrations/<timestamp>_<name>/migration.sql with the SQL that changes the database after the earlier
 * migrations to match schema.prisma.
 *
 * @returns the written file; null if there is no difference
 */
export async function writeMigration(
  prismaDirectory: string,
  name: string,
  databaseUrl: string,
  now: Date,
): Promise<string | null> {
  const sql = await migrationDrift(prismaDirectory, databaseUrl)
  if (sql === null) return null
  const directory = join(prismaDirectory, 'migrations', `${timestamp(now)}_${name}`)
  await mkdir(directory, { recursive: true })
  await writeFile(join(prismaDirectory, 'migrations', 'migration_lock.toml'), 'provider = "postgresql"\n')
  await writeFile(join(directory, 'migration.sql'), sql, { flag: 'wx' })
  return join(directory, 'migration.sql')
}

/** `npm run db:migration NAME`: writes a migration. */
export async function run(args: readonly string[]): Promise<void> {
  const [name] = args
  if (name === undefined || args.length > 1 || !/^[a-z0-9_]+$/i.test(name)) throw new Error(usage)
  const postgres = await startTemporaryPostgres()
  try {
    const file = await writeMigration(join(projectDirectory(), 'prisma'), name, postgres.url, new Date())
    process.stdout.write(
      file === null ? 'schema.prisma and the migrations agree: nothing to write.\n' : `Wrote ${file}\n`,
    )
  } finally {
    await postgres.remove()
  }
}
