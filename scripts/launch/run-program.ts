import { spawn } from 'node:child_process'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { whenParentIsGone } from './parent.js'

const require = createRequire(import.meta.url)

/** Absolute path of a program that an installed package brings, to be run by Node. */
export function programOf(packageName: string, program = packageName): string {
  const manifest = require.resolve(`${packageName}/package.json`)
  const { bin }: { bin: string | Record<string, string> } = require(manifest)
  const path = typeof bin === 'string' ? bin : bin[program]
  if (path === undefined) throw new Error(`${packageName} has no program ${program}.`)
  return join(dirname(manifest), path)
}

/**
 * Runs a program of a package in the foreground, with this terminal, and passes SIGTERM on; Ctrl-C reaches it by itself.
 *
 * @returns its exit code, 1 where a signal ended it
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
