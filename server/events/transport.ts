/** Milliseconds without an answer after which the other side of a transport counts as unreachable. */
export const ANSWER_TIMEOUT_MS = 5_000

/** Carries announcements to other processes. */
export interface Transport {
  /**
   * Whether another process may be listening. If it returns false, no message is sent. A transport without this
   * function always sends.
   */
  readonly isHeard?: () => boolean
  /**
   * Sends messages to every other listening process, and possibly to this process. The next call must wait for this
   * call.
   *
   * @throws within a few seconds if the messages cannot be sent, or their receipt is not confirmed.
   */
  send(messages: readonly string[]): Promise<void>
  /** Listens from the first call on, and resumes after each outage. */
  listen(): void
  /** For the readiness check: `degraded` during an outage. During an outage, events arrive up to a second later. */
  readonly check?: () => Promise<'up' | 'degraded'>
  close(): Promise<void>
}

/** Callbacks of a transport. */
export interface Hearer {
  readonly onMessage: (message: string) => void
  /** Called when messages begin to arrive. Earlier messages were missed, including the messages during an outage. */
  readonly onListening: () => void
}

export type MakeTransport = (hearer: Hearer) => Transport
