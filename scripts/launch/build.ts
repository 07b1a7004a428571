import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { basename, dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { programOf } from './run-program.js'

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))))

/** Generates server/generated/prisma if it is missing or prisma/schema.prisma has changed. */
export function generateClient(): void {
  const generated = join(root, 'server', 'generated')
  unlessUpToDate(join(generated, '.sources'), join(generated, 'prisma', 'client.ts'), clientSources(), () => {
    process.stdout.write('Generating the database client …\n')
    runQuietly(programOf('prisma'), 'generate')
  })
}

/** Compiles the service to dist/ if it is missing or a source has changed. */
export function build(): void {
  const dist = join(root, 'dist')
  unlessUpToDate(join(dist, '.sources'), join(dist, 'server', 'main.js'), serverSources(), () => {
    process.stdout.write('Building …\n')
    // Otherwise dist/ would still contain the output of deleted sources.
    for (const output of ['server', 'prisma']) rmSync(join(dist, output), { recursive: true, force: true })
    runQuietly(programOf('typescript', 'tsc'), '-p', 'tsconfig.build.json')
  })
}

const CONSOLE = 'client/console/vite.config.ts'

/** Bundles the console to dist/console if it is missing or a source has changed. */
export function buildConsole(): void {
  const dist = join(root, 'dist')
  unlessUpToDate(join(dist, '.console-sources'), join(dist, 'console', 'index.html'), consoleSources(), () => {
    process.stdout.write('Building the console …\n')
    runQuietly(programOf('vite'), 'build', '--config', CONSOLE, '--logLevel', 'warn')
  })
}

/**
 * Calls `make` if the hash of the files' contents has changed. The modification times of files are not reliable after a
 * checkout or a copy.
 */
function unlessUpToDate(stamp: string, product: string, sources: readonly string[], make: () => void): void {
  const hash = hashOf(sources)
  if (existsSync(product) && existsSync(stamp) && readFileSync(stamp, 'utf8') === hash) return
  rmSync(stamp, { force: true })
  make()
  mkdirSync(dirname(stamp), { recursive: true })
  writeFileSync(stamp, hash)
}

function hashOf(files: readonly string[]): string {
  const hash = createHash('sha256')
  for (const file of files)
    hash
      .update(`${relative(root, file)}\0`)
      .update(readFileSync(file))
      .update('\0')
  return hash.digest('hex')
}

const clientSources = (): string[] =>
  ['prisma/schema.prisma', 'prisma.config.ts', 'package-lock.json'].map(inRoot).filter((file) => existsSync(file))

const serverSources = (): string[] => [
  ...filesBelow(inRoot('server')),
  ...['tsconfig.json', 'tsconfig.build.json', 'package.json'].map(inRoot),
  ...clientSources(),
]

/**
 * Sources of the console: its own files, and pure functions in `server/protocol`. It also imports types of the service,
 * but they do not change the bundle.
 */
const consoleSources = (): string[] => [
  ...['client', 'server/protocol']
    .flatMap((place) => filesBelow(inRoot(place)))
    .filter((file) => /\.(?:tsx?|css|html)$/.test(file)),
  ...['tsconfig.json', 'package.json', 'package-lock.json'].map(inRoot).filter((file) => existsSync(file)),
]

const inRoot = (path: string): string => join(root, path)

function filesBelow(directory: string): string[] {
  if (!existsSync(directory)) return []
  return readdirSync(directory)
    .sort()
    .filter((name) => name !== 'generated' && name !== 'dist')
    .map((name) => join(directory, name))
    .flatMap((path) => (statSync(path).isDirectory() ? filesBelow(path) : [path]))
}

/** Runs a program of a package. Shows the program's output only if the program fails. */
function runQuietly(program: string, ...args: readonly string[]): void {
  const { status, stdout, stderr } = spawnSync(process.execPath, [program, ...args], { cwd: root, encoding: 'utf8' })
  if (status !== 0) throw new Error(`${basename(program)} ${args.join(' ')} failed:\n${stdout}${stderr}`.trimEnd())
}
