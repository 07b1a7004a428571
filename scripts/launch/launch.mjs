import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { installDependencies, root } from './install.mjs'
import { acquireLock, releaseLock } from './lock.mjs'

const lock = join(root, '.data', 'setup.lock')

/**
 * Runs work under a lock. @param {() => Promise<unknown>} work the work, which two processes must not do at the same
 * time in one clone
 */
async function alone(work) {
  let told = false
  for (let holder = acquireLock(lock); holder !== null; holder = acquireLock(lock)) {
    if (!told) process.stdout.write(`Waiting for process ${holder}, which is setting up …\n`)
    told = true
    await sleep(200)
  }
  try {
    await work()
  } finally {
    releaseLock(lock)
  }
}

/**
 * Installs and builds the missing parts of a fresh clone. Then runs the module of a command. The module is TypeScript
 * and exports `run(args: readonly string[]): Promise<void>`. If any step fails, the process prints one sentence and
 * ends with exit code 1.
 *
 * @param {string} module path relative to scripts/
 * @param {{ build: boolean }} needs whether the command needs dist/
 */
export async function launch(module, needs) {
  try {
    await alone(async () => {
      installDependencies()
      // The dependencies are installed now, so they can be imported.
      const { register } = await import('tsx/esm/api')
      register()
      const { generateClient, build, buildConsole } = await import('./build.ts')
      generateClient()
      if (needs.build) {
        build()
        buildConsole()
      }
    })
    const { run } = await import(`../${module}`)
    await run(process.argv.slice(2))
  } catch (error) {
    process.stderr.write(`${legible(error)}\n`)
    process.exitCode = 1
  }
}

/**
 * The text to print for an error. An expected error is an Error whose message is a sentence. Any other error is a fault
 * in these scripts, so its text includes the stack.
 *
 * @param {unknown} error
 */
function legible(error) {
  if (!(error instanceof Error)) return String(error)
  if (error.name !== 'Error') return error.stack
  return error.cause instanceof Error ? `${error.message}\n(${error.cause.message.trim()})` : error.message
}
