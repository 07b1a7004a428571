/** Milliseconds without an answer after which a transport treats its server as unreachable. */
export const ANSWER_TIMEOUT_MS = 5_000

/** Carries announcements to other processes. */
export interface Transport {
  /**
   * Whether another process may be listening. If it returns false, no message is sent. A transport without this
   * function always sends.
   */
  readonly isHeard?: () => boolean
  /**
   * Sends messages to every other listening process, and possibly to this process. Call it again only after the
   * previous call has ended.
   *
   * @throws within a few seconds if the messages cannot be sent, or their receipt is not confirmed.
   */
  send(messages: readonly string[]): Promise<void>
  /** Listens from the first call on, and resumes after each outage. */
  listen(): void
  /** The result for the readiness check. It is `degraded` during an outage. Then events arrive up to a second late. */
  readonly check?: () => Promise<'up' | 'degraded'>
  close(): Promise<void>
}

/** Callbacks of a transport. */
export interface Hearer {
  readonly onMessage: (message: string) => void
  /**
   * Called when messages begin to arrive, at the start or after an outage. Messages that were sent before this call are
   * lost.
   */
  readonly onListening: () => void
}

export type MakeTransport = (hearer: Hearer) => Transport
