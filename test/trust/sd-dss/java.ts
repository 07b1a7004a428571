import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'

/** Newer versions of the plugin need a newer Maven. */
const CLASS_PATH = 'org.apache.maven.plugins:maven-dependency-plugin:3.8.1:build-classpath'
const OFFLINE_MS = 60_000
const DOWNLOAD_MS = 300_000

/** Runs a program to its end. Throws with its output if it fails, is not installed, or takes longer. */
async function run(program: string, args: readonly string[], timeout: number): Promise<void> {
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'], timeout })
  const output: string[] = []
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => output.push(String(text)))
  const [code] = await once(child, 'close').catch(() => {
    throw new Error(`${program} is not installed. This test needs Java 17 or later, and Maven.`)
  })
  if (code !== 0) throw new Error(`${program} failed: ${output.join('').slice(-2_000)}`)
}

/** The libraries in the local repository of Maven. Maven downloads them if they are not there yet. */
async function classPath(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'credence-sd-dss-'))
  try {
    const file = join(folder, 'class-path')
    const args = ['-B', '-q', '-f', join(import.meta.dirname, 'pom.xml'), CLASS_PATH, `-Dmdep.outputFile=${file}`]
    await run('mvn', ['-o', ...args], OFFLINE_MS).catch(() => run('mvn', args, DOWNLOAD_MS))
    return await readFile(file, 'utf8')
  } finally {
    await rm(folder, { recursive: true })
  }
}

export interface SdDss extends AsyncDisposable {
  /** Sends a request to the program. Throws the library's error. */
  // biome-ignore lint/suspicious/noExplicitAny: each request has its own answer, and tests assert what they find.
  ask(request: Readonly<Record<string, unknown>>): Promise<any>
}

/** Starts SdDss.java, which Java compiles in memory. */
export async function startSdDss(): Promise<SdDss> {
  const child = spawn('java', ['-cp', await classPath(), join(import.meta.dirname, 'SdDss.java')], {
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  const log: string[] = []
  child.stderr.on('data', (text) => {
    log.push(String(text))
    if (log.length > 200) log.shift()
  })
  const answers = createInterface(child.stdout)[Symbol.asyncIterator]()
  let last: Promise<unknown> = Promise.resolve()
  const askOnce = async (request: Readonly<Record<string, unknown>>) => {
    child.stdin.write(`${JSON.stringify(request)}\n`)
    const { value, done } = await answers.next()
    if (done) throw new Error(`The program with SD-DSS has ended: ${log.join('').slice(-2_000)}`)
    const answer = JSON.parse(value)
    if (answer.error === undefined) return answer.ok
    throw new Error(`SD-DSS: ${answer.error}`)
  }
  return {
    ask: (request) => {
      const next = last.then(() => askOnce(request))
      last = next.catch(() => undefined)
      return next
    },
    [Symbol.asyncDispose]: () => ended(child),
  }
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return
  child.stdin?.end()
  await once(child, 'close')
}
