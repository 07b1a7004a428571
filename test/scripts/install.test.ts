import { execFile } from 'node:child_process'
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { projectDirectory } from '../../server/database/migrations.js'

/** A program that replaces npm. It records its arguments, and installs the only dependency. On demand it fails. */
const npm = `
const { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } = require('node:fs')
appendFileSync('npm-calls', process.argv.slice(2).join(' ') + '\\n')
const failure = existsSync('npm-fails') ? readFileSync('npm-fails', 'utf8') : ''
if (failure.startsWith(process.argv[2])) {
  process.stderr.write(failure)
  process.exit(1)
}
mkdirSync('node_modules/left-pad', { recursive: true })
const packages = { 'node_modules/left-pad': { version: '1.3.0' } }
writeFileSync('node_modules/.package-lock.json', JSON.stringify({ packages }))
`

const options = '--include=dev --include=optional --ignore-scripts --no-audit --no-fund'

let directory: string

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'credence-install-'))
  await write('package.json', '{}')
  await lock('1.3.0')
  await write('npm/npm-cli.js', npm)
  const script = join('scripts', 'launch', 'install.mjs')
  await cp(join(projectDirectory(), script), join(directory, script))
})

afterEach(() => rm(directory, { recursive: true }))

async function write(path: string, content: string): Promise<void> {
  await mkdir(dirname(join(directory, path)), { recursive: true })
  await writeFile(join(directory, path), content)
}

const lock = (version: string) =>
  write('package-lock.json', JSON.stringify({ packages: { '': {}, 'node_modules/left-pad': { version } } }))

async function install(): Promise<void> {
  const program = "import { installDependencies } from './scripts/launch/install.mjs'; installDependencies()"
  await promisify(execFile)(process.execPath, ['--input-type=module', '-e', program], {
    cwd: directory,
    env: { ...process.env, npm_execpath: join(directory, 'npm', 'npm-cli.js') },
  })
}

const calls = async () =>
  (await readFile(join(directory, 'npm-calls'), 'utf8').catch(() => '')).split('\n').slice(0, -1)

it('installs all packages of package-lock.json without install scripts, and only once', async () => {
  await install()
  await install()
  await expect(calls()).resolves.toEqual([`ci ${options}`])
})

it('installs again when package-lock.json has changed', async () => {
  await install()
  await lock('1.3.1')
  await install()
  await expect(calls()).resolves.toEqual([`ci ${options}`, `ci ${options}`])
})

it('installs again if node_modules is missing', async () => {
  await install()
  await rm(join(directory, 'node_modules'), { recursive: true })
  await install()
  await expect(calls()).resolves.toHaveLength(2)
})

it('accepts a complete manual installation', async () => {
  await write('node_modules/left-pad/package.json', '{}')
  await write('node_modules/.package-lock.json', '{ "packages": { "node_modules/left-pad": { "version": "1.3.0" } } }')
  await install()
  await expect(calls()).resolves.toEqual([])
})

it('does not accept a manual installation with another version', async () => {
  await write('node_modules/left-pad/package.json', '{}')
  await write('node_modules/.package-lock.json', '{ "packages": { "node_modules/left-pad": { "version": "1.2.0" } } }')
  await install()
  await expect(calls()).resolves.toEqual([`ci ${options}`])
})

it('installs from package.json if there is no package-lock.json', async () => {
  await rm(join(directory, 'package-lock.json'))
  await install()
  await expect(calls()).resolves.toEqual([`install ${options}`])
})

it('installs the locked versions even if the lockfile lacks packages of other platforms', async () => {
  await write('npm-fails', 'ci: npm error code EUSAGE')
  await install()
  await expect(calls()).resolves.toEqual([`ci ${options}`, `install --no-save ${options}`])
})

it('ends with the output of npm if npm fails, and tries again the next time', async () => {
  await write('npm-fails', 'ci: npm error code ENOTFOUND')
  await expect(install()).rejects.toThrow('npm error code ENOTFOUND')
  await rm(join(directory, 'npm-fails'))
  await install()
  await expect(calls()).resolves.toEqual([`ci ${options}`, `ci ${options}`])
})
