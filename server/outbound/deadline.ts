export interface Deadline {
  /** Aborts with the caller's reason, or with the given error when the time is up. */
  readonly signal: AbortSignal
  stop(): void
}

/** One deadline for all of a request: name resolution, connecting, headers, body, and every redirect. */
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
