import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { programOf } from '../../scripts/launch/run-program.js'

const run = promisify(execFile)

export const root = resolve(import.meta.dirname, '../..')

/** Runs npm on this machine, without variables of the process that started the test. */
async function npm(cwd: string, ...args: string[]): Promise<string> {
  const { stdout } = await run('npm', [...args, '--no-audit', '--no-fund', '--loglevel=error'], {
    cwd,
    env: { PATH: process.env.PATH, HOME: process.env.HOME, npm_config_cache: join(cwd, '.npm') },
  })
  return stdout
}

/** Returns an installed package and every package that it needs at run time. */
async function closure(names: readonly string[], found = new Set<string>()): Promise<Set<string>> {
  for (const name of names.filter((each) => !found.has(each))) {
    found.add(name)
    const { dependencies = {} } = JSON.parse(await readFile(join(root, 'node_modules', name, 'package.json'), 'utf8'))
    await closure(Object.keys(dependencies), found)
  }
  return found
}

/** A separate project with the client's tarball and its dependencies. */
export interface Consumer extends AsyncDisposable {
  readonly directory: string
  /** Paths in the tarball. */
  readonly files: readonly string[]
  write(name: string, text: string): Promise<void>
  /** Compiles files with the strictest settings of TypeScript. Returns the output, which is empty without errors. */
  compile(files: readonly string[], options: Readonly<Record<string, unknown>>): Promise<string>
  /** Runs a program of the project. Returns its standard output. */
  run(file: string, env: Readonly<Record<string, string>>): Promise<string>
}

/** All strict options of TypeScript, also for declarations. */
const STRICT = {
  strict: true,
  skipLibCheck: false,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  noPropertyAccessFromIndexSignature: true,
  verbatimModuleSyntax: true,
  isolatedModules: true,
  target: 'es2022',
  types: [],
}

/** The compiler's errors; empty if it has none. */
export async function complaints(directory: string, config: object): Promise<string> {
  await writeFile(join(directory, 'tsconfig.json'), JSON.stringify(config))
  const args = [programOf('typescript', 'tsc'), '-p', directory]
  return run(process.execPath, args).then(
    ({ stdout }) => stdout,
    ({ stdout }) => stdout,
  )
}

/**
 * Packs the client as its users do and installs it into an empty project. Its dependencies are packed from this project's
 * packages, so npm asks no registry.
 */
export async function createConsumer(): Promise<Consumer> {
  const directory = await mkdtemp(join(tmpdir(), 'credence-consumer-'))
  const tarballs = join(directory, 'tarballs')
  const { dependencies, peerDependencies } = JSON.parse(await readFile(join(root, 'client/package.json'), 'utf8'))
  const packages = await closure(Object.keys({ ...dependencies, ...peerDependencies }))
  await writeFile(join(directory, 'package.json'), JSON.stringify({ private: true, type: 'module' }))
  await npm(directory, 'pack', join(root, 'client'), '--pack-destination', directory)
  const [tarball = ''] = (await readdir(directory)).filter((name) => name.endsWith('.tgz'))
  const installed = [...packages].map((name) => join(root, 'node_modules', name))
  await mkdir(tarballs)
  await npm(directory, 'pack', ...installed, '--ignore-scripts', '--pack-destination', tarballs)
  const others = (await readdir(tarballs)).map((name) => join(tarballs, name))
  // The compiler is a peer dependency of @trpc/client. npm would otherwise download it.
  await npm(directory, 'install', join(directory, tarball), ...others, '--offline', '--legacy-peer-deps')
  const { stdout } = await run('tar', ['-tzf', join(directory, tarball)])
  return {
    directory,
    files: stdout.trim().split('\n'),
    write: (name, text) => writeFile(join(directory, name), text),
    compile: (files, options) => complaints(directory, { compilerOptions: { ...STRICT, ...options }, files }),
    run: async (file, env) =>
      (await run(process.execPath, [join(directory, file)], { env: { PATH: process.env.PATH, ...env } })).stdout,
    [Symbol.asyncDispose]: () => rm(directory, { recursive: true }),
  }
}
