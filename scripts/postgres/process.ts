import { execFileSync } from 'node:child_process'
import { readlinkSync, realpathSync } from 'node:fs'

/**
 * Whether the process is a PostgreSQL server on the data directory. The working directory of such a server is its data
 * directory.
 */
export function isPostgresOn(dataDirectory: string, pid: number): boolean {
  try {
    return readlinkSync(`/proc/${pid}/cwd`) === realpathSync(dataDirectory)
  } catch {
    return commandOf(pid).includes(dataDirectory)
  }
}

/** The command line of a process, for systems without /proc. */
function commandOf(pid: number): string {
  try {
    return execFileSync('ps', ['-o', 'command=', '-p', String(pid)], { encoding: 'utf8', stdio: 'pipe' })
  } catch {
    return ''
  }
}
