import { ProviderRefusal, ProviderUnavailable } from '../provider.js'

/** A token or a set of keys with which the service identifies itself to a provider. */
export interface Credential<Value> {
  readonly value: Value
  /** The moment from which the provider refuses the credential. Undefined if the credential has no end. */
  readonly expiresAt: Date | undefined
}

/** Keeps one credential and renews it before its end. */
export interface KeptCredential<Value> {
  /**
   * The credential for a request.
   *
   * @throws {ProviderRefusal} or {ProviderUnavailable} if there is no usable credential
   */
  current(signal: AbortSignal): Promise<Value>
  /**
   * Reports that the provider refused the credential. The next request gets a new credential.
   *
   * @returns the error of the refused call: worth a repetition, unless the credential was new
   */
  refused(value: Value, message: string): Error
}

/** Obtains a credential. @param previous the credential so far, which a provider may prolong */
export type CredentialSource<Value> = (signal: AbortSignal, previous: Value | undefined) => Promise<Credential<Value>>

/** Limit in milliseconds for obtaining a credential. The work is shared, so the signal of one caller must not end it. */
const OBTAIN_MS = 15_000
/** A credential is renewed this long before its end, but not before half of its life. */
const EARLY_MS = 300_000
/** The shortest time between two attempts to renew a credential that is still good. */
const RETRY_MS = 10_000
/** A credential without an end is obtained again after this time, because its file may have changed. */
const REREAD_MS = 300_000
/** A credential of this age is new. Its refusal is final: another credential of the same source would be refused too. */
const NEW_MS = 5_000

interface Kept<Value> extends Credential<Value> {
  readonly obtainedAt: number
}

/** Keeps the credential of one source. At most one request for a new credential runs at any time. */
export function keepCredential<Value>(source: CredentialSource<Value>, clock: () => Date): KeptCredential<Value> {
  let kept: Kept<Value> | undefined
  let running: Promise<Kept<Value>> | undefined
  let lastAttempt = Number.NEGATIVE_INFINITY

  const obtain = (): Promise<Kept<Value>> => {
    if (running !== undefined) return running
    lastAttempt = clock().getTime()
    const previous = kept?.value
    running = source(AbortSignal.timeout(OBTAIN_MS), previous)
      .then((credential) => {
        kept = { ...credential, obtainedAt: clock().getTime() }
        return kept
      })
      .finally(() => {
        running = undefined
      })
    // A renewal in the background has no caller. The next caller after the end of the credential gets the error.
    running.catch(() => {})
    return running
  }

  const renewalOf = ({ obtainedAt, expiresAt }: Kept<Value>): number => {
    if (expiresAt === undefined) return obtainedAt + REREAD_MS
    const end = expiresAt.getTime()
    return Math.max(end - EARLY_MS, obtainedAt + (end - obtainedAt) / 2)
  }

  return {
    async current(signal) {
      const now = clock().getTime()
      const isGood = kept !== undefined && (kept.expiresAt === undefined || now < kept.expiresAt.getTime())
      if (kept === undefined || !isGood) return (await unlessAborted(obtain(), signal)).value
      if (now >= renewalOf(kept) && now - lastAttempt >= RETRY_MS) obtain()
      return kept.value
    },
    refused(value, message) {
      const isNew = kept?.value === value && clock().getTime() - kept.obtainedAt < NEW_MS
      if (kept?.value === value) kept = undefined
      return isNew ? new ProviderRefusal(message) : new ProviderUnavailable(message)
    },
  }
}

/** Waits for shared work, but not longer than the caller wants. */
async function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  signal.throwIfAborted()
  let stop = () => {}
  const aborted = new Promise<never>((_, reject) => {
    stop = () => reject(signal.reason)
    signal.addEventListener('abort', stop, { once: true })
  })
  try {
    return await Promise.race([work, aborted])
  } finally {
    signal.removeEventListener('abort', stop)
  }
}

/**
 * The end of a token that lives for a number of seconds from now (RFC 6749 §5.1 `expires_in`).
 *
 * @throws {ProviderUnavailable} if the answer has no such number
 */
export function endAfter(seconds: unknown, clock: () => Date, service: string): Date {
  // Some token services write the number as a text.
  const number = typeof seconds === 'string' && /^\d{1,9}$/.test(seconds) ? Number(seconds) : seconds
  if (typeof number === 'number' && Number.isFinite(number) && number > 0)
    return new Date(clock().getTime() + Math.min(number, MAX_SECONDS) * 1000)
  throw new ProviderUnavailable(`${service} answered with a credential that has no end.`)
}

/** The end of a credential from its text. @throws {ProviderUnavailable} if it is no moment. */
export function endAt(moment: unknown, service: string): Date {
  const end = typeof moment === 'string' ? new Date(moment) : undefined
  if (end !== undefined && !Number.isNaN(end.getTime())) return end
  throw new ProviderUnavailable(`${service} answered with a credential that has no end.`)
}

/** One year: no credential is kept longer without a renewal. */
const MAX_SECONDS = 31_536_000
