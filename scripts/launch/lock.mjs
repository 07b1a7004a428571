import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { linkSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'

/**
 * Reads the fields of proc_pid_stat(5), beginning with the third field (the state). Returns null if there is no such
 * file.
 *
 * @param {number} pid
 */
function statOf(pid) {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // The second field is a name in parentheses, which may contain any character.
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  } catch {
    return null
  }
}

/**
 * Whether a process with this number is running. A process that has ended does not count, even if its parent has not
 * read its exit code yet.
 *
 * @param {number} pid
 */
export function isRunning(pid) {
  try {
    process.kill(pid, 0)
  } catch (error) {
    if (error.code !== 'EPERM') return false
  }
  return statOf(pid)?.[0] !== 'Z'
}

/**
 * The start time of a process, as the system writes it. It distinguishes the process from a later process with the same
 * number.
 *
 * @param {number} pid
 */
function beginningOf(pid) {
  const stat = statOf(pid)
  if (stat !== null) return stat[19] ?? ''
  if (process.platform === 'win32') return ''
  try {
    const started = execFileSync('ps', ['-o', 'lstart=', '-p', String(pid)], { encoding: 'utf8', stdio: 'pipe' })
    return started.trim().replaceAll(' ', '_')
  } catch {
    return ''
  }
}

/** @param {string} file */
function read(file) {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return null
  }
}

/**
 * Gives a file a second name if this name is free. If several processes try this, only one of them succeeds. A file
 * with the second name is never incomplete.
 *
 * @param {string} file
 * @param {string} name
 */
function link(file, name) {
  try {
    linkSync(file, name)
    return true
  } catch (error) {
    if (error.code === 'EEXIST' || error.code === 'ENOENT') return false
    throw error
  }
}

/** @param {string} content of a lock file */
function holderOf(content) {
  const [pid, beginning] = content.split(' ', 2)
  return isRunning(Number(pid)) && beginningOf(Number(pid)) === beginning ? Number(pid) : null
}

/**
 * Acquires the lock file for this process. It also acquires the lock if its holder has ended.
 *
 * @param {string} file
 * @returns {number | null} null if this process has the lock, otherwise the number of the process that holds it
 */
export function acquireLock(file) {
  mkdirSync(dirname(file), { recursive: true })
  const mine = `${process.pid} ${beginningOf(process.pid)}`
  const draft = `${file}.${process.pid}`
  writeFileSync(draft, mine)
  try {
    for (;;) {
      if (link(draft, file)) return null
      const content = read(file)
      if (content === mine) return null
      const holder = content === null ? null : holderOf(content)
      if (holder !== null) return holder
      if (content !== null) discard(file, content)
    }
  } finally {
    rmSync(draft, { force: true })
  }
}

/**
 * Removes the lock file of a holder that has ended. Only one process may remove the file, otherwise it could remove the
 * lock of the next holder. A process gets the permission to remove the file by creating a second name for the file. The
 * name is made from the file's content.
 *
 * @param {string} file
 * @param {string} content
 */
function discard(file, content) {
  const right = `${file}.${createHash('sha256').update(content).digest('hex').slice(0, 16)}`
  if (link(file, right)) {
    if (read(right) === content) rmSync(file, { force: true })
    rmSync(right, { force: true })
    return
  }
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 10)
  // The process that had the right to remove the lock file ended during the few instructions above.
  const age = Date.now() - (statSync(right, { throwIfNoEntry: false })?.ctimeMs ?? Date.now())
  if (age > 5_000) rmSync(right, { force: true })
}

/**
 * Removes the lock file if this process holds it.
 *
 * @param {string} file
 */
export function releaseLock(file) {
  if (Number.parseInt(read(file) ?? '', 10) === process.pid) rmSync(file, { force: true })
}
