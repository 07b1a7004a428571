export interface Deadline {
  /**
   * Aborts when the caller aborts, with the caller's reason, or after the time limit, with the error of the deadline.
   */
  readonly signal: AbortSignal
  stop(): void
}

/** Starts the deadline of a whole request: name resolution, connection, headers, body and all redirects. */
export function startDeadline(ms: number, caller: AbortSignal, expired: Error): Deadline {
  const controller = new AbortController()
  const timer = setTimeout(() => controller.abort(expired), ms)
  const onCallerAbort = () => controller.abort(caller.reason)
  if (caller.aborted) onCallerAbort()
  caller.addEventListener('abort', onCallerAbort, { once: true })
  return {
    signal: controller.signal,
    stop() {
      clearTimeout(timer)
      caller.removeEventListener('abort', onCallerAbort)
    },
  }
}
