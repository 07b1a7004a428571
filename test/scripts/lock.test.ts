import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { acquireLock, isRunning, releaseLock } from '../../scripts/launch/lock.mjs'
import { projectDirectory } from '../../server/database/migrations.js'

const lockModule = pathToFileURL(join(projectDirectory(), 'scripts', 'launch', 'lock.mjs')).href

let directory: string
let file: string

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'credence-lock-'))
  file = join(directory, 'lock')
})

afterEach(() => rm(directory, { recursive: true }))

/** A process that takes the lock, reports the result, and keeps the lock. */
async function rival(): Promise<{ pid: number; outcome: string; kill(): Promise<void> }> {
  const program = `import { acquireLock } from '${lockModule}'
    process.stdout.write(String(acquireLock('${file}')))
    setInterval(() => {}, 1000)`
  const child = spawn(process.execPath, ['--input-type=module', '-e', program], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [chunk] = await once(child.stdout, 'data')
  return {
    pid: child.pid ?? 0,
    outcome: String(chunk),
    async kill() {
      child.kill('SIGKILL')
      await once(child, 'exit')
    },
  }
}

it('is taken by one process and refused to another, which learns the holder', async () => {
  expect(acquireLock(file)).toBeNull()
  const { outcome, kill } = await rival()
  expect(outcome).toBe(String(process.pid))
  await kill()
})

it('can be taken again by its holder', () => {
  expect(acquireLock(file)).toBeNull()
  expect(acquireLock(file)).toBeNull()
})

it('is free after it was released', async () => {
  acquireLock(file)
  releaseLock(file)
  const { outcome, kill } = await rival()
  expect(outcome).toBe('null')
  await kill()
})

it('cannot be released by a process that does not hold it', async () => {
  const { pid, kill } = await rival()
  releaseLock(file)
  expect(acquireLock(file)).toBe(pid)
  await kill()
})

it('ends with its holder: a killed holder loses it', async () => {
  const { pid, kill } = await rival()
  expect(acquireLock(file)).toBe(pid)
  await kill()
  expect(acquireLock(file)).toBeNull()
})

it('is free if another process now has the number of the holder', async () => {
  await writeFile(file, `${process.ppid} some other beginning`)
  expect(acquireLock(file)).toBeNull()
})

it('is taken by only one of several processes that find it stale', async () => {
  await writeFile(file, '999999999 never')
  const rivals = await Promise.all(Array.from({ length: 6 }, rival))
  expect(rivals.filter(({ outcome }) => outcome === 'null')).toHaveLength(1)
  const [holder] = rivals.filter(({ outcome }) => outcome === 'null')
  const losers = rivals.filter(({ outcome }) => outcome !== 'null')
  expect(losers.map(({ outcome }) => outcome)).toEqual(losers.map(() => String(holder?.pid)))
  await Promise.all(rivals.map(({ kill }) => kill()))
  await expect(readdir(directory)).resolves.toEqual(['lock'])
})

it('a process that has ended but is still listed is not running', async () => {
  // The shell never reads the exit code of its child.
  const shell = spawn('sh', ['-c', 'true & echo $!; exec sleep 30'], { stdio: ['ignore', 'pipe', 'inherit'] })
  const [chunk] = await once(shell.stdout, 'data')
  await expect.poll(() => isRunning(Number(chunk))).toBe(false)
  shell.kill()
})
