import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdir } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import { projectDirectory } from '../../server/database/migrations.js'

const folder = join(projectDirectory(), 'scripts', 'eu-wallet')
const target = join(folder, 'program', 'target')

/** Runs a program with the terminal of this process. @returns its exit code @throws {Error} if it cannot be started */
async function runWithTerminal(command: string, args: readonly string[], missing: string): Promise<number> {
  const child = spawn(command, args, { stdio: 'inherit' })
  const [code] = await once(child, 'exit').catch((cause) => {
    throw new Error(missing, { cause })
  })
  return code ?? 1
}

async function runMaven(args: readonly string[]): Promise<void> {
  const code = await runWithTerminal('mvn', ['-q', '-B', ...args], 'Maven (mvn) is needed, and was not found.')
  if (code !== 0) throw new Error('Maven could not build the program: see its output above.')
}

const TRUST = 'eudi-lib-kmp-etsi-1196x2'

/** The modules of libraries that have common sources, and sources for the JVM: the folder of both. */
const MULTIPLATFORM: Readonly<Record<string, string>> = {
  statium: 'eudi-lib-kmp-statium/lib/src',
  'trust-data-model': `${TRUST}/119602-data-model/src`,
  'trust-consultation': `${TRUST}/consultation/src`,
  'trust-lists': `${TRUST}/119602-consultation/src`,
}

/** The sources of a module in the form that the compiler expects: each file with its part. */
async function sourcesOf(directory: string): Promise<string> {
  const listed = async (part: string, name: string) => {
    const parent = join(directory, name, 'kotlin')
    const files = await readdir(parent, { recursive: true })
    return files.filter((file) => file.endsWith('.kt')).map((file) => `${part}:${join(parent, file)}`)
  }
  return [...(await listed('common', 'commonMain')), ...(await listed('jvm', 'jvmAndAndroidMain'))].join(',')
}

async function buildLibraries(checkouts: string): Promise<void> {
  const sources = Object.entries(MULTIPLATFORM).map(
    async ([module, directory]) => `-D${module}.sources=${await sourcesOf(join(checkouts, directory))}`,
  )
  const pom = join(folder, 'libraries', 'pom.xml')
  await runMaven(['-f', pom, `-Dcheckouts=${checkouts}`, ...(await Promise.all(sources)), 'install'])
}

/** Compiles the program, and first the libraries if there are checkouts of them. */
export async function buildProgram(checkouts: string | undefined): Promise<void> {
  if (checkouts !== undefined) await buildLibraries(checkouts)
  await runMaven(['-f', join(folder, 'program', 'pom.xml'), 'compile'])
}

/** Runs the program. It prints a line for each step. @param world the file with the world of the run @returns its exit code */
export function runProgram(world: string): Promise<number> {
  const classes = [join(target, 'classes'), join(target, 'libraries', '*')].join(delimiter)
  return runWithTerminal('java', ['-cp', classes, 'MainKt', world], 'A JDK (java) is needed, and was not found.')
}
