import { type ChildProcess, fork } from 'node:child_process'
import { createRequire } from 'node:module'
import { setTimeout as pause } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { VARIABLES } from '../../../config/shown.js'
import { decodeBase64url, encodeBase64url } from '../../../protocol/jose/base64url.js'
import { digestOf } from '../digest.js'
import { type KeyProvider, ProviderRefusal, type ProviderTools, ProviderUnavailable } from '../provider.js'
import type { Answer, Call, Calls } from './messages.js'
import { readPin } from './pin.js'
import type { Pkcs11Settings } from './settings.js'

/** Shortest time between two starts of the process. */
const RESTART_MS = 1_000
/** Time limit for the start of the process and the login. */
const OPEN_MS = 30_000
/** Time for the process to end by itself. */
const END_MS = 1_000

interface Waiting {
  readonly resolve: (result: unknown) => void
  readonly reject: (error: Error) => void
}

/** The settings of this service, with its other secrets, are no business of a module. */
function environmentFor(
  { pinVariable, sessions }: Pkcs11Settings,
  environment: ProviderTools['environment'],
): NodeJS.ProcessEnv {
  const withheld = new Set<string>([...VARIABLES, ...(pinVariable === undefined ? [] : [pinVariable])])
  const kept = Object.entries(environment).filter(([name]) => !withheld.has(name))
  // Each session signs in a thread of its own.
  return { ...Object.fromEntries(kept), UV_THREADPOOL_SIZE: String(sessions) }
}

/** In development the sources run without a build, so the process needs the loader of TypeScript. */
function startProcess(env: NodeJS.ProcessEnv): ChildProcess {
  const isSource = import.meta.url.endsWith('.ts')
  const loader = isSource
    ? [
        '--import',
        pathToFileURL(
          createRequire(import.meta.url)
            .resolve('tsx/esm')
            .replace(/\.cjs$/, '.mjs'),
        ).href,
      ]
    : []
  return fork(new URL(isSource ? './child.ts' : './child.js', import.meta.url), [], {
    env,
    execArgv: loader,
    serialization: 'advanced',
    // A module may write what it wants, perhaps secrets.
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  })
}

/** One process with an open token. */
function createConnection(env: NodeJS.ProcessEnv) {
  const child = startProcess(env)
  const waiting = new Map<number, Waiting>()
  let last = 0
  /** Why the process has ended. */
  let ended: string | undefined

  /** Only a call that waits for its answer keeps the service alive. */
  function hold(isWaiting: boolean): void {
    for (const handle of [child, child.channel]) {
      if (isWaiting) handle?.ref()
      else handle?.unref()
    }
  }

  const end = (reason: string) => {
    if (ended !== undefined) return
    ended = reason
    for (const { reject } of waiting.values()) reject(new ProviderUnavailable(reason))
    waiting.clear()
    hold(false)
  }

  child.on('message', (answer: Answer) => {
    const one = waiting.get(answer.id)
    waiting.delete(answer.id)
    if (waiting.size === 0) hold(false)
    if (one === undefined) return
    if (!('fault' in answer)) one.resolve(answer.result)
    else if (answer.fault === 'refused') one.reject(new ProviderRefusal(answer.reason))
    else {
      one.reject(new ProviderUnavailable(answer.reason))
      if (answer.fault === 'broken') kill(answer.reason)
    }
  })
  child.on('error', () => end('the process of the token could not be started.'))
  child.on('exit', () => end('the process of the token has ended.'))
  hold(false)

  function kill(reason: string): void {
    end(reason)
    child.kill('SIGKILL')
  }

  return {
    /** Why the process has ended; undefined while it runs. */
    ended: () => ended,

    call<Name extends Call>(
      call: Name,
      given: Calls[Name]['given'],
      signal?: AbortSignal,
    ): Promise<Calls[Name]['result']> {
      if (ended !== undefined) return Promise.reject(new ProviderUnavailable(ended))
      last += 1
      const id = last
      return new Promise<Calls[Name]['result']>((resolve, reject) => {
        // A module that does not answer in time would not answer the next call either.
        const hang = () => kill('the token did not answer in time.')
        hold(true)
        const settled = () => signal?.removeEventListener('abort', hang)
        waiting.set(id, {
          resolve: (result) => {
            settled()
            resolve(result as Calls[Name]['result'])
          },
          reject: (error) => {
            settled()
            reject(error)
          },
        })
        if (signal?.aborted) hang()
        else signal?.addEventListener('abort', hang, { once: true })
        child.send({ id, call, given }, (error) => {
          if (error !== null) end('the process of the token has ended.')
        })
      })
    },

    kill,

    async close(): Promise<void> {
      end('the process of the token is closed.')
      if (child.exitCode !== null || child.signalCode !== null) return
      const gone = new Promise<void>((resolve) => child.once('exit', () => resolve()))
      child.ref()
      if (child.connected) child.disconnect()
      await Promise.race([gone, pause(END_MS, undefined, { ref: false })])
      child.kill('SIGKILL')
    },
  }
}

type Connection = ReturnType<typeof createConnection>

/**
 * Opens a token in a process of its own. If the process ends, the next call starts another one, at most once a second.
 *
 * A refusal of the PIN is final. The PIN is read once, at the start.
 */
export async function openPkcs11(
  settings: Pkcs11Settings,
  name: string,
  environment: ProviderTools['environment'],
): Promise<KeyProvider> {
  const pin = await readPin(settings, environment)
  const env = environmentFor(settings, environment)
  const { module, tokenLabel, tokenSerial, sessions } = settings
  let current: Promise<Connection> | undefined
  let opened: Connection | undefined
  let startedAt = Number.NEGATIVE_INFINITY
  let refusal: ProviderRefusal | undefined
  let closed = false
  let algorithms: Calls['open']['result']['algorithms'] = []
  /** Why the token could not be used last. Calls before the next try say the same. */
  let reason = 'the token cannot be used at the moment.'

  const connect = async (): Promise<Connection> => {
    const wait = startedAt + RESTART_MS - performance.now()
    if (wait > 0) throw new ProviderUnavailable(reason)
    startedAt = performance.now()
    const connection = createConnection(env)
    opened = connection
    try {
      const opening = { module, tokenLabel, tokenSerial, sessions, pin }
      ;({ algorithms } = await connection.call('open', opening, AbortSignal.timeout(OPEN_MS)))
      return connection
    } catch (error) {
      connection.kill('the token could not be opened.')
      if (error instanceof ProviderRefusal) refusal = error
      if (error instanceof ProviderUnavailable) reason = error.message
      throw error
    }
  }

  const connection = async (): Promise<Connection> => {
    if (refusal !== undefined) throw refusal
    if (closed) throw new ProviderUnavailable(`Key provider ${name} is closed.`)
    const ended = opened?.ended()
    if (current !== undefined && ended !== undefined) {
      current = undefined
      reason = ended
    }
    current ??= connect().catch((error: unknown) => {
      current = undefined
      throw error
    })
    return current
  }

  await connection()

  return {
    get algorithms() {
      return algorithms
    },
    generate: async (label, alg, signal) => (await connection()).call('generate', { label, alg }, signal),
    find: async (reference, signal) => (await connection()).call('find', { reference }, signal),
    async sign({ reference, alg }, data, signal) {
      return (await connection()).call('sign', { reference, alg, data: digestOf(alg, data) ?? data }, signal)
    },
    async wrap(reference, key, place, signal) {
      const wrapped = await (await connection()).call('wrap', { reference, key, place }, signal)
      return encodeBase64url(wrapped)
    },
    async unwrap(reference, wrapped, place, signal) {
      const octets = decodeBase64url(wrapped)
      if (octets === undefined) throw new ProviderRefusal('the wrapped key is not in base64url.')
      return (await connection()).call('unwrap', { reference, wrapped: octets, place }, signal)
    },
    async check(signal) {
      await (await connection()).call('check', {}, signal)
    },
    async close() {
      closed = true
      await opened?.close()
    },
  }
}
