import { type ChildProcess, spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { cp, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { isRunning } from '../../scripts/launch/lock.mjs'
import { projectDirectory } from '../../server/database/migrations.js'

const original = projectDirectory()
const copied = [
  'scripts',
  'server/database',
  'server/generated',
  // The console reads schemas with the same code as the service.
  'server/protocol',
  'prisma',
  'client',
  'package.json',
  'package-lock.json',
]
const settings = ['prisma.config.ts', 'tsconfig.json', 'tsconfig.build.json']

export type JournalEntry = Record<string, unknown>

/** One run of a command in a project. */
export interface Run {
  readonly child: ChildProcess
  /** The output so far. */
  output(): string
  /** Resolves when the output contains the text. Rejects if the run ends before. */
  until(text: string): Promise<void>
  readonly exit: Promise<{ code: number | null; signal: NodeJS.Signals | null }>
}

/**
 * Makes a clone of the project, in which a small program replaces the service. The clone's packages are links to the
 * packages of this project.
 */
export class Project {
  private readonly runs: Run[] = []

  private constructor(readonly directory: string) {}

  /** @param more paths to copy in addition to the paths that the scripts need */
  static async create(more: readonly string[] = []): Promise<Project> {
    const directory = await mkdtemp(join(tmpdir(), 'credence-project-'))
    for (const path of [...copied, ...settings, ...more]) {
      await mkdir(dirname(join(directory, path)), { recursive: true })
      await cp(join(original, path), join(directory, path), { recursive: true })
    }
    await cp(join(original, 'test/scripts/stand-in-server.ts'), join(directory, 'server/main.ts'))
    await buildWithoutCheck(join(directory, 'tsconfig.build.json'))
    await linkDependencies(directory)
    return new Project(directory)
  }

  /** Runs `npm start` until the service is ready. */
  async start(environment: Record<string, string> = {}): Promise<Run> {
    const run = this.run('start.mjs', environment)
    await run.until('Stop with Ctrl-C.')
    return run
  }

  /** Runs a script of the project. From this process's environment it gets only the variables for finding programs. */
  run(script: string, environment: Record<string, string> = {}, args: readonly string[] = []): Run {
    const { PATH = '', HOME = '' } = process.env
    const env = { PATH, HOME, PORT: '0', JOURNAL: join(this.directory, 'journal'), ...environment }
    const child = spawn(process.execPath, [`scripts/${script}`, ...args], { cwd: this.directory, env, stdio: 'pipe' })
    const run = observe(child)
    this.runs.push(run)
    return run
  }

  async journal(): Promise<JournalEntry[]> {
    const text = await readFile(join(this.directory, 'journal'), 'utf8').catch(() => '')
    return text
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line))
  }

  /** Reads from the journal with which settings the service was started, the oldest start first. */
  async starts(): Promise<JournalEntry[]> {
    return (await this.journal()).filter((entry) => 'started' in entry)
  }

  /** Reads the process id of the embedded PostgreSQL. Returns null if the server has written no process id. */
  async postgresPid(): Promise<number | null> {
    const file = join(this.directory, '.data', 'postgres', 'postmaster.pid')
    const text = await readFile(file, 'utf8').catch(() => null)
    return text === null ? null : Number.parseInt(text, 10)
  }

  /** The process ids of all processes that a run started. */
  async processes(): Promise<{ service: number; postgres: number; supervisor: number }> {
    const postgres = await this.postgresPid()
    if (postgres === null) throw new Error('There is no PostgreSQL.')
    const lock = await readFile(join(this.directory, '.data', 'postgres.lock'), 'utf8')
    return { service: Number((await this.starts()).at(-1)?.started), postgres, supervisor: Number.parseInt(lock, 10) }
  }

  async clearJournal(): Promise<void> {
    await rm(join(this.directory, 'journal'), { force: true })
  }

  async remove(): Promise<void> {
    for (const { child, exit } of this.runs) {
      child.kill('SIGTERM')
      await exit
    }
    await rm(this.directory, { recursive: true })
  }
}

/** Turns off type checks, which take several times as long as compiling. `npm run typecheck` checks types. */
async function buildWithoutCheck(file: string): Promise<void> {
  const { compilerOptions, ...rest } = JSON.parse(await readFile(file, 'utf8'))
  await writeFile(file, JSON.stringify({ ...rest, compilerOptions: { ...compilerOptions, noCheck: true } }))
}

/** Makes a folder of links, so that changes of the folder do not affect the real folder. */
async function linkDependencies(directory: string): Promise<void> {
  const modules = join(directory, 'node_modules')
  await mkdir(join(modules, '.credence'), { recursive: true })
  for (const name of await readdir(join(original, 'node_modules'))) {
    if (name !== '.credence') await symlink(join(original, 'node_modules', name), join(modules, name))
  }
  const lock = await readFile(join(directory, 'package-lock.json'))
  const hash = createHash('sha256').update(lock).digest('hex')
  await writeFile(join(modules, '.credence', 'installed'), `${hash} ${process.platform} ${process.arch}\n`)
}

function observe(child: ChildProcess): Run {
  let written = ''
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk) => (written += chunk))
  const exit = once(child, 'close').then(([code, signal]) => ({ code, signal }))
  let ended = false
  void exit.then(() => (ended = true))
  return {
    child,
    exit,
    output: () => written,
    async until(text) {
      while (!written.includes(text)) {
        if (ended) throw new Error(`The run ended without writing "${text}":\n${written}`)
        await sleep(20)
      }
    },
  }
}

/** Resolves when the process has ended. */
export async function untilGone(pid: number): Promise<void> {
  while (isRunning(pid)) await sleep(20)
}
