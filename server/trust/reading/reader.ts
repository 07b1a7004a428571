import { createRequire } from 'node:module'
import { Worker } from 'node:worker_threads'
import type { TrustedEntity } from '../../protocol/trust-lists/trust-list.js'
import { type ReadContent, type ReadJob, readHere, type WorkerMessage } from './content.js'

/** Longer lists are read in a thread of their own. A list of this length takes about 10 ms. */
const READ_HERE_BYTES = 65_536
/** The thread ends after this time without work. */
const IDLE_MS = 10_000
/** The largest lists take a few seconds. */
const TIMEOUT_MS = 60_000

const LIMITS = { resourceLimits: { maxOldGenerationSizeMb: 1_024 } }

/**
 * Starts the thread. In development, the sources run without a build. A thread does not inherit the loader of TypeScript, so
 * the thread registers the loader first.
 */
function startWorker(): Worker {
  if (!import.meta.url.endsWith('.ts')) return new Worker(new URL('./worker.js', import.meta.url), LIMITS)
  // The loader works only as an ES module, and `resolve` finds its form for `require`.
  const required = createRequire(import.meta.url).resolve('tsx/esm/api')
  const loader = JSON.stringify(required.replace(/\.cjs$/, '.mjs'))
  const source = JSON.stringify(new URL('./worker.ts', import.meta.url).href)
  const code = `import(${loader}).then(({ register }) => { register(); return import(${source}) })`
  return new Worker(code, { ...LIMITS, eval: true })
}

interface Waiting {
  answer: ReadContent | undefined
  readonly entities: TrustedEntity[]
  readonly resolve: (read: ReadContent) => void
  readonly reject: (error: Error) => void
}

export type ListReading = ReturnType<typeof createListReading>

/** Reads lists: short lists in this thread, and long lists in a worker thread. */
export function createListReading() {
  const waiting = new Map<number, Waiting>()
  let worker: Worker | undefined
  let idle: NodeJS.Timeout | undefined
  let last = 0

  const end = () => {
    clearTimeout(idle)
    const ended = worker
    worker = undefined
    return ended?.terminate()
  }

  /** Ends the work of a thread that has failed. */
  const failed = (error: Error) => {
    for (const { reject } of waiting.values()) reject(error)
    waiting.clear()
    void end()
  }

  const take = (message: WorkerMessage) => {
    const one = waiting.get(message.id)
    if (one === undefined) return
    if ('answer' in message) one.answer = message.answer
    else if ('entities' in message) one.entities.push(...message.entities)
    else {
      waiting.delete(message.id)
      if ('fault' in message || one.answer === undefined) one.reject(new Error('A trusted list could not be read.'))
      else one.resolve(withEntities(one.answer, one.entities))
      if (waiting.size === 0) idle = setTimeout(end, IDLE_MS).unref()
    }
  }

  const started = (): Worker => {
    clearTimeout(idle)
    if (worker !== undefined) return worker
    const made = startWorker()
    made.unref()
    made.on('message', take)
    made.on('error', failed)
    made.on('exit', () => {
      if (worker === made) failed(new Error('The thread that reads trusted lists has ended.'))
    })
    worker = made
    return made
  }

  const readElsewhere = (bytes: Uint8Array, job: ReadJob): Promise<ReadContent> =>
    new Promise((resolve, reject) => {
      last += 1
      const id = last
      const timer = setTimeout(() => failed(new Error('A trusted list takes too long to read.')), TIMEOUT_MS)
      const settled = () => clearTimeout(timer)
      waiting.set(id, {
        answer: undefined,
        entities: [],
        resolve: (read) => {
          settled()
          resolve(read)
        },
        reject: (error) => {
          settled()
          reject(error)
        },
      })
      started().postMessage({ id, bytes, job })
    })

  return {
    /** Reads a list and checks its signature, its signer, its content and its times. */
    read: (bytes: Uint8Array, job: ReadJob): Promise<ReadContent> =>
      bytes.length <= READ_HERE_BYTES ? readHere(bytes, job) : readElsewhere(bytes, job),

    async close(): Promise<void> {
      await end()
    },
  }
}

const withEntities = (read: ReadContent, entities: readonly TrustedEntity[]): ReadContent =>
  read.accepted ? { ...read, list: { ...read.list, entities } } : read
