import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'

/**
 * The fields of proc_pid_stat(5) from the third one, the state, on; null where there is no such file.
 *
 * @param {number} pid
 */
function statOf(pid) {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // The second field is a name in parentheses, which may hold anything.
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  } catch {
    return null
  }
}

/**
 * Whether a process of that number is at work; one that has ended and that nobody has asked about yet is not.
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
 * When the process began, in the system's own words: tells it from a later one of the same number.
 *
 * @param {number} pid
 */
function beginningOf(pid) {
  const stat = statOf(pid)
  if (stat !== null) return stat[19] ?? ''
  if (process.platform === 'win32') return ''
  try {
    return execFileSync('ps', ['-o', 'lstart=', '-p', String(pid)], { encoding: 'utf8', stdio: 'pipe' }).trim()
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
 * Takes the lock file for this process, also from a process that is no more.
 *
 * @param {string} file
 * @returns {number | null} null when it is ours, else the number of the process that holds it
 */
export function acquireLock(file) {
  mkdirSync(dirname(file), { recursive: true })
  const mine = `${process.pid} ${beginningOf(process.pid)}`
  for (;;) {
    try {
      writeFileSync(file, mine, { flag: 'wx' })
      return null
    } catch (error) {
      if (error.code !== 'EEXIST') throw error
    }
    const content = read(file)
    if (content === null) continue
    if (content === mine) return null
    const pid = Number.parseInt(content, 10)
    const begun = content.slice(content.indexOf(' ') + 1)
    if (content !== '' && isRunning(pid) && beginningOf(pid) === begun) return pid
    discard(file, content)
  }
}

/**
 * Moves a stale lock away; renaming is what only one of several takers can do. Where another one was quicker, what was
 * moved is a live lock, and goes back.
 *
 * @param {string} file
 * @param {string} content
 */
function discard(file, content) {
  const aside = `${file}.${process.pid}`
  try {
    renameSync(file, aside)
  } catch {
    return
  }
  if (read(aside) === content) rmSync(aside, { force: true })
  else renameSync(aside, file)
}

/**
 * Gives the lock file up, if it is this process's.
 *
 * @param {string} file
 */
export function releaseLock(file) {
  if (Number.parseInt(read(file) ?? '', 10) === process.pid) rmSync(file, { force: true })
}
