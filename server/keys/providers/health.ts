import { setTimeout as pause } from 'node:timers/promises'
import type { SignatureAlgorithm } from '../../protocol/jose/algorithms.js'
import type { ProviderOperation, ProviderOutcome } from './guarded.js'
import { ProviderRefusal, ProviderUnavailable } from './provider.js'

/** Time limit for the answer about a provider. A slow provider must not fail the readiness of the service, whose limit is longer. */
const ANSWER_MS = 2_000

/** For this time, in milliseconds, a finished check is the answer for all callers. */
const KEPT_MS = 5_000

/** Maximum length of a stored message of a provider, in characters. */
const MAX_MESSAGE = 500

/** Why a provider cannot be used: an outcome of a call that says so. */
export const PROVIDER_FAULTS = ['refused', 'unavailable', 'timeout', 'failed'] as const

export type ProviderFault = (typeof PROVIDER_FAULTS)[number]

/** The state of a provider, as this process knows it. */
export interface ProviderState {
  /** Null while the provider can be used. */
  readonly fault: {
    readonly reason: ProviderFault
    /** A sentence for operators, without secrets. It may name hosts and files. */
    readonly message: string
    /** When the first call failed after the last success. */
    readonly since: Date
  } | null
  /** When the last check ended; null while the first check runs. */
  readonly checkedAt: Date | null
  /** The algorithms of new keys; empty if this process has not reached the provider yet. */
  readonly algorithms: readonly SignatureAlgorithm[]
}

/** What the end of a call says about the provider; undefined if it says nothing. */
function faultOf(operation: ProviderOperation, outcome: ProviderOutcome): ProviderFault | undefined {
  if (outcome === 'unavailable' || outcome === 'timeout' || outcome === 'failed') return outcome
  // Other calls may be refused because of their key, and may find a full queue in a short peak.
  if (operation !== 'check') return undefined
  if (outcome === 'busy') return 'unavailable'
  return outcome === 'refused' ? 'refused' : undefined
}

/** Only the errors of adapters have messages that are known to hold no secret. */
function messageOf(name: string, outcome: ProviderOutcome, error: unknown): string {
  if (outcome === 'timeout') return `Key provider ${name} did not answer in time.`
  if (outcome === 'busy') return `Key provider ${name} has too many waiting calls.`
  return error instanceof ProviderRefusal || error instanceof ProviderUnavailable
    ? error.message.slice(0, MAX_MESSAGE)
    : `Key provider ${name} failed for an unknown reason.`
}

export interface HealthPorts {
  readonly name: string
  readonly clock: () => Date
  /** Opens the provider if necessary, and checks it. Resolves with the algorithms of new keys. */
  readonly check: () => Promise<readonly SignatureAlgorithm[]>
}

export type Health = ReturnType<typeof createHealth>

/**
 * Knows whether a provider can be used, from its calls and from checks. Callers cannot drive checks: a check is the answer for some
 * seconds, and no check begins while another one runs.
 */
export function createHealth({ name, clock, check }: HealthPorts) {
  let fault: ProviderState['fault'] = null
  let checkedAt: Date | null = null
  let algorithms: readonly SignatureAlgorithm[] = []
  let running: Promise<void> | undefined

  const failed = (reason: ProviderFault, message: string) => {
    fault = { reason, message, since: fault?.since ?? clock() }
  }

  function ended(operation: ProviderOperation, outcome: ProviderOutcome, error: unknown): void {
    const reason = faultOf(operation, outcome)
    if (outcome === 'ok') fault = null
    else if (reason !== undefined) failed(reason, messageOf(name, outcome, error))
  }

  async function checkOnce(): Promise<void> {
    try {
      algorithms = await check()
    } catch {
      // The guard has reported the outcome of the call already.
    } finally {
      checkedAt = clock()
      running = undefined
    }
  }

  const isRecent = () => checkedAt !== null && Math.abs(clock().getTime() - checkedAt.getTime()) < KEPT_MS

  return {
    /** Receives the end of each call to the provider. */
    ended,

    /** The state of the provider. It takes at most {@link ANSWER_MS}, and never rejects. */
    async read(): Promise<ProviderState> {
      if (running === undefined && !isRecent()) running = checkOnce()
      if (running !== undefined) {
        const patience = new AbortController()
        const late = pause(ANSWER_MS, 'late', { signal: patience.signal }).catch(() => undefined)
        const first = await Promise.race([running, late])
        patience.abort()
        if (first === 'late' && fault === null) failed('timeout', messageOf(name, 'timeout', undefined))
      }
      return { fault, checkedAt, algorithms }
    },
  }
}
