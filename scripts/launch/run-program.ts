import { spawn } from 'node:child_process'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { whenParentIsGone } from './parent.js'

const require = createRequire(import.meta.url)

/** Absolute path of a Node program in an installed package. */
export function programOf(packageName: string, program = packageName): string {
  const manifest = require.resolve(`${packageName}/package.json`)
  const { bin }: { bin: string | Record<string, string> } = require(manifest)
  const path = typeof bin === 'string' ? bin : bin[program]
  if (path === undefined) throw new Error(`${packageName} has no program ${program}.`)
  return join(dirname(manifest), path)
}

/**
 * Runs a program of a package in the foreground, with this terminal. Forwards SIGTERM to the program. The terminal
 * itself sends Ctrl-C to the program.
 *
 * @returns the program's exit code, or 1 if a signal ended it
 */
export async function runInForeground(path: string, args: readonly string[], env: NodeJS.ProcessEnv): Promise<number> {
  const child = spawn(process.execPath, [path, ...args], { env, stdio: 'inherit' })
  const terminate = () => child.kill('SIGTERM')
  const wait = () => undefined
  process.on('SIGTERM', terminate).on('SIGINT', wait)
  whenParentIsGone(terminate)
  try {
    return await new Promise<number>((resolve, reject) => {
      child.once('error', reject)
      child.once('exit', (code) => resolve(code ?? 1))
    })
  } finally {
    process.off('SIGTERM', terminate).off('SIGINT', wait)
  }
}
