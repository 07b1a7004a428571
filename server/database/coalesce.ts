/**
 * Maximum wait of a read for the previous read, in milliseconds: one connection that hangs must not block all reads.
 */
const MAX_WAIT_MS = 100

interface Batch<Value> {
  readonly keys: Set<string>
  readonly answer: Promise<ReadonlyMap<string, Value>>
}

/** Resolves when a read has succeeded or failed, or after MAX_WAIT_MS. Never rejects. */
function settledOrTimedOut(read: Promise<unknown>): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, MAX_WAIT_MS)
    const end = () => {
      clearTimeout(timer)
      resolve()
    }
    read.then(end, end)
  })
}

/**
 * Combines concurrent reads: requests during a running read share the next statement. A request without a running read
 * starts immediately. Results are not cached: every answer was read after its request.
 *
 * @param readAll reads several keys in one statement; a key may be missing in its answer.
 */
export function coalesced<Value>(
  readAll: (keys: readonly string[]) => Promise<ReadonlyMap<string, Value>>,
): (key: string) => Promise<Value | undefined> {
  let waiting: Batch<Value> | undefined
  let running: Promise<unknown> | undefined

  const open = (): Batch<Value> => {
    const keys = new Set<string>()
    const begin = running === undefined ? Promise.resolve() : settledOrTimedOut(running)
    const answer = begin.then(() => {
      waiting = undefined
      return readAll([...keys])
    })
    running = answer
    const end = () => {
      if (running === answer) running = undefined
    }
    answer.then(end, end)
    return { keys, answer }
  }

  return async (key) => {
    waiting ??= open()
    waiting.keys.add(key)
    return (await waiting.answer).get(key)
  }
}
