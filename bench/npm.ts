import { spawnSync } from 'node:child_process'
import { basename, join } from 'node:path'

/** Runs npm, or npx, and returns its output; @throws with the output if it fails */
function run(program: 'npm' | 'npx', args: readonly string[], cwd: string): string {
  const npm = process.env.npm_execpath ?? ''
  const own = basename(npm) === 'npm-cli.js' ? join(npm, '..', `${program}-cli.js`) : undefined
  const [command, ...before] = own === undefined ? [program] : [process.execPath, own]
  const { status, stdout, stderr, error } = spawnSync(command ?? program, [...before, ...args], {
    cwd,
    encoding: 'utf8',
  })
  if (error !== undefined) throw new Error(`${program} could not be run.`, { cause: error })
  if (status !== 0) throw new Error(`${program} ${args.join(' ')} failed:\n${stdout}${stderr}`.trimEnd())
  return stdout.trim()
}

/** Downloads a version of Node.js from npm if it is missing. @returns the path of its program, and its exact version */
export function nodeOfVersion(version: string): { readonly program: string; readonly version: string } {
  const said = run(
    'npx',
    ['--yes', `node@${version}`, '--print', "process.version + ' ' + process.execPath"],
    process.cwd(),
  )
  const [exactly = '', ...path] = said.split(' ')
  return { program: path.join(' '), version: exactly }
}

/** Installs the packages of a folder's lock file, without scripts, and downloads nothing else. */
export function installExactly(folder: string): void {
  run('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], folder)
}
