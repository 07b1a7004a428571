/** Milliseconds after which the other side of a transport counts as away. */
export const ANSWER_TIMEOUT_MS = 5_000

/** How announcements reach other processes. */
export interface Transport {
  /** Whether another process may be listening: where there is none for certain, nothing need be sent. Without it there may always be one. */
  readonly isHeard?: () => boolean
  /**
   * Sends messages to every other process that listens, and maybe to this one; one call at a time.
   *
   * @throws within some seconds where they cannot be sent, or nobody says that they were.
   */
  send(messages: readonly string[]): Promise<void>
  /** Listens from the first call on, and again after each outage. */
  listen(): void
  /** For the readiness check: `degraded` while it is away, when events still arrive, but up to a second later. */
  readonly check?: () => Promise<'up' | 'degraded'>
  close(): Promise<void>
}

/** Whom a transport tells what it hears. */
export interface Hearer {
  readonly onMessage: (message: string) => void
  /** From now on messages arrive. Those before, or of an outage, were missed. */
  readonly onListening: () => void
}

export type MakeTransport = (hearer: Hearer) => Transport
