import { execFileSync, spawnSync } from 'node:child_process'
import { statSync } from 'node:fs'
import { dirname } from 'node:path'

/** The account that runs PostgreSQL, which refuses to run as root. */
export interface Account {
  readonly uid: number
  readonly gid: number
}

const name = 'postgres'

/**
 * The account that runs PostgreSQL. It is null if the caller's own account can do so. If the caller is root, it is the
 * owner of the data directory, or the system account `postgres`, which is created if it is missing.
 */
export function accountFor(dataDirectory: string): Account | null {
  if (process.getuid?.() !== 0) return null
  const owner = statSync(dataDirectory, { throwIfNoEntry: false })
  if (owner !== undefined && owner.uid !== 0) return { uid: owner.uid, gid: owner.gid }
  return systemAccount() ?? createSystemAccount()
}

function systemAccount(): Account | null {
  try {
    const id = (flag: string) => Number(execFileSync('id', [flag, name], { encoding: 'utf8', stdio: 'pipe' }))
    return { uid: id('-u'), gid: id('-g') }
  } catch {
    return null
  }
}

function createSystemAccount(): Account {
  try {
    execFileSync('useradd', ['--system', '--user-group', '--no-create-home', name], { stdio: 'pipe' })
  } catch (cause) {
    throw new Error(
      `PostgreSQL does not run as root, and the account ${name} could not be made. ` +
        'Start as another user, or set DATABASE_URL to a PostgreSQL of your own.',
      { cause },
    )
  }
  const account = systemAccount()
  if (account === null) throw new Error(`The account ${name} was made but cannot be found.`)
  return account
}

/** A program with its arguments and the options to spawn it with. */
export interface Command {
  readonly file: string
  readonly args: readonly string[]
  readonly options: { uid?: number; gid?: number }
}

/**
 * Returns the command that runs `file args` as `account`. The account may have no access to a directory above one of
 * `paths`, such as a clone below /root. In this case setpriv(1) gives the process a Linux capability to search and read
 * all directories.
 */
export function commandAs(account: Account | null, file: string, args: readonly string[], paths: string[]): Command {
  if (account === null) return { file, args, options: {} }
  const closed = paths.find((path) => !mayReach(account, path))
  if (closed === undefined) return { file, args, options: { ...account } }
  if (spawnSync('setpriv', ['--version']).error !== undefined) {
    throw new Error(
      `PostgreSQL does not run as root, and the account that it runs as may not pass the directories above ${closed}. ` +
        'Move the project to where others may enter, start as another user, or set DATABASE_URL to a PostgreSQL of your own.',
    )
  }
  return {
    file: 'setpriv',
    args: [
      `--reuid=${account.uid}`,
      `--regid=${account.gid}`,
      '--clear-groups',
      // PostgreSQL's programs first call access(2), which ignores the capability unless this bit is set.
      '--securebits=+no_setuid_fixup',
      '--inh-caps=+dac_read_search',
      '--ambient-caps=+dac_read_search',
      '--',
      file,
      ...args,
    ],
    options: {},
  }
}

/** Whether the account has access to every directory above `path`. */
function mayReach(account: Account, path: string): boolean {
  const directory = dirname(path)
  const { mode, uid, gid } = statSync(directory)
  const passes = uid === account.uid ? 0o100 : gid === account.gid ? 0o010 : 0o001
  return (mode & passes) !== 0 && (directory === dirname(directory) || mayReach(account, directory))
}
