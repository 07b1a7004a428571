import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** One folder of prisma/migrations. */
export interface Migration {
  /** The folder's name, for example `20260101120000_init`. */
  readonly name: string
  readonly sql: string
  /** SHA-256 of the SQL in hexadecimal, as `_prisma_migrations` records it. */
  readonly checksum: string
}

/** The root folder of the project. It is found from the sources and from the build below dist/. */
export function projectDirectory(): string {
  let directory = dirname(fileURLToPath(import.meta.url))
  while (!existsSync(join(directory, 'package.json'))) {
    const parent = dirname(directory)
    if (parent === directory) throw new Error('package.json is not above the program.')
    directory = parent
  }
  return directory
}

export const migrationsDirectory = (): string => join(projectDirectory(), 'prisma', 'migrations')

const checksumOf = (sql: string): string => createHash('sha256').update(sql).digest('hex')

/** The migrations in the order of their application. */
export async function readMigrations(directory: string): Promise<Migration[]> {
  const entries = await readdir(directory, { withFileTypes: true }).catch(() => [])
  const names = entries.filter((entry) => entry.isDirectory()).map((entry) => entry.name)
  return Promise.all(
    names.sort().map(async (name) => {
      const sql = await readFile(join(directory, name, 'migration.sql'), 'utf8')
      return { name, sql, checksum: checksumOf(sql) }
    }),
  )
}

/**
 * Whether a recorded checksum belongs to this SQL, with Unix or Windows line ends. Git may have changed the line ends,
 * and Prisma accepts both too.
 */
export function isChecksumOf({ sql, checksum }: Migration, recorded: string): boolean {
  if (checksum === recorded) return true
  const lines = sql.replaceAll('\r\n', '\n')
  return [lines, lines.replaceAll('\n', '\r\n')].some((text) => checksumOf(text) === recorded)
}
