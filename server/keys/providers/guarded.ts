import { setTimeout as pause } from 'node:timers/promises'
import { errors } from '../../api/errors.js'
import type { SignatureAlgorithm } from '../../protocol/jose/algorithms.js'
import { isSignatureOver } from '../../protocol/jose/signature.js'
import { verificationKey } from '../../protocol/jose/verification-key.js'
import { type KeyProvider, type ProviderKey, ProviderRefusal, ProviderUnavailable } from './provider.js'
import { createSlots } from './slots.js'

export type ProviderOperation = 'generate' | 'find' | 'sign' | 'wrap' | 'unwrap' | 'check'

/**
 * How a call ended. `busy`: the queue was full. `invalid-signature`: the provider's signature did not fit the public key.
 * `failed`: an error of unknown cause.
 */
export type ProviderOutcome = 'ok' | 'refused' | 'unavailable' | 'timeout' | 'busy' | 'invalid-signature' | 'failed'

export interface GuardLimits {
  /** Maximum number of calls at the same time. */
  readonly concurrency: number
  /** Maximum number of calls that wait. */
  readonly queue: number
  /** Time limit for a call, with its time in the queue and its repetition. */
  readonly timeoutMs: number
}

export interface GuardPorts {
  readonly name: string
  /** Makes the adapter. A refusal is final; after any other error the next call opens again. */
  readonly open: () => Promise<KeyProvider>
  readonly limits: GuardLimits
  readonly onCall: (provider: string, operation: ProviderOperation, outcome: ProviderOutcome, seconds: number) => void
  /** Receives the end of each call too, with its error. */
  readonly onEnd?: (operation: ProviderOperation, outcome: ProviderOutcome, error: unknown) => void
}

/** Pause before a call is repeated. */
const AGAIN_MS = 100

class Ended extends Error {
  constructor(
    readonly outcome: ProviderOutcome,
    message: string,
  ) {
    super(message)
  }
}

function outcomeOf(error: unknown): ProviderOutcome {
  if (error instanceof Ended) return error.outcome
  if (error instanceof ProviderRefusal) return 'refused'
  return error instanceof ProviderUnavailable ? 'unavailable' : 'failed'
}

const cannotWrap = (name: string) => new ProviderRefusal(`the kind of the key provider ${name} cannot wrap keys.`)

export type GuardedProvider = ReturnType<typeof guardProvider>

/**
 * Wraps the adapter of a provider. It bounds calls, queue and time, repeats calls that change nothing, counts calls, and
 * verifies each signature before it leaves.
 */
export function guardProvider({ name, open, limits, onCall, onEnd }: GuardPorts) {
  const slots = createSlots(limits)
  let opening: Promise<KeyProvider> | undefined
  let refusal: ProviderRefusal | undefined

  /** A refusal is kept. Wrong credentials that are tried again could lock the provider. */
  const adapter = (): Promise<KeyProvider> => {
    if (refusal !== undefined) return Promise.reject(refusal)
    opening ??= open().catch((error: unknown) => {
      opening = undefined
      if (error instanceof ProviderRefusal) refusal = error
      throw error
    })
    return opening
  }

  type Work<Result> = (provider: KeyProvider, signal: AbortSignal) => Promise<Result>

  const late = () => new Ended('timeout', `Key provider ${name} did not answer within ${limits.timeoutMs} ms.`)

  /** The call keeps its slot until it has ended, even if nobody waits for it any more. So hanging calls stay few. */
  async function attempt<Result>(work: Work<Result>, signal: AbortSignal): Promise<Result> {
    if (!(await slots.take(signal))) {
      if (signal.aborted) throw late()
      throw new Ended('busy', `Key provider ${name} has too many waiting calls.`)
    }
    const working = adapter().then((provider) => work(provider, signal))
    working.then(slots.release, slots.release)
    return Promise.race([
      working,
      new Promise<never>((_resolve, reject) => {
        const stop = () => reject(late())
        if (signal.aborted) stop()
        else signal.addEventListener('abort', stop, { once: true })
      }),
    ])
  }

  async function repeated<Result>(operation: ProviderOperation, work: Work<Result>, signal: AbortSignal) {
    try {
      return await attempt(work, signal)
    } catch (error) {
      if (operation === 'generate' || signal.aborted || !(error instanceof ProviderUnavailable)) throw error
      await pause(AGAIN_MS)
      return attempt(work, signal)
    }
  }

  async function call<Result>(operation: ProviderOperation, work: Work<Result>): Promise<Result> {
    const started = performance.now()
    const count = (outcome: ProviderOutcome, error?: unknown) => {
      onCall(name, operation, outcome, (performance.now() - started) / 1_000)
      onEnd?.(operation, outcome, error)
    }
    try {
      const result = await repeated(operation, work, AbortSignal.timeout(limits.timeoutMs))
      count('ok')
      return result
    } catch (error) {
      count(outcomeOf(error), error)
      throw error
    }
  }

  const find = (reference: string): Promise<ProviderKey> =>
    call('find', (provider, signal) => provider.find(reference, signal))

  const check = (): Promise<void> => call('check', (provider, signal) => provider.check(signal))

  return {
    name,

    /** The algorithms of new keys. */
    algorithms: async (): Promise<readonly SignatureAlgorithm[]> => (await adapter()).algorithms,

    /** Makes a key. @throws 503 if the provider cannot do it now. */
    async generate(label: string, alg: SignatureAlgorithm): Promise<ProviderKey> {
      try {
        return await call('generate', (provider, signal) => provider.generate(label, alg, signal))
      } catch (cause) {
        throw errors.signingUnavailable(cause)
      }
    },

    /** Finds a key. @throws {ProviderRefusal} if the key is unknown or unusable. */
    find,

    /** Signs data, in JOSE form. @throws 503 if the provider cannot do it now. */
    async sign(key: ProviderKey, data: Uint8Array): Promise<Uint8Array> {
      try {
        return await call('sign', async (provider, signal) => {
          const signature = await provider.sign(key, data, signal)
          if (!isSignatureOver(key.alg, verificationKey(key.publicJwk), data, signature))
            throw new Ended('invalid-signature', `A signature of key provider ${name} does not fit its public key.`)
          return signature
        })
      } catch (cause) {
        throw errors.signingUnavailable(cause)
      }
    },

    /** Wraps a key-encryption key. @throws {ProviderRefusal} if the kind or the key cannot wrap. */
    wrap: (reference: string, key: Uint8Array, place: string): Promise<string> =>
      call('wrap', async (provider, signal) => {
        if (provider.wrap === undefined) throw cannotWrap(name)
        return provider.wrap(reference, key, place, signal)
      }),

    /** Unwraps a key-encryption key. @throws {ProviderRefusal} if the wrapped key was altered, or another key wrapped it. */
    unwrap: (reference: string, wrapped: string, place: string): Promise<Uint8Array> =>
      call('unwrap', async (provider, signal) => {
        if (provider.unwrap === undefined) throw cannotWrap(name)
        return provider.unwrap(reference, wrapped, place, signal)
      }),

    /** Checks that the provider answers. */
    check,

    async close(): Promise<void> {
      const opened = opening
      opening = undefined
      refusal = new ProviderRefusal(`Key provider ${name} is closed.`)
      await (await opened?.catch(() => undefined))?.close()
    },
  }
}
