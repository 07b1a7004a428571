import { joinedUnit, outsideUnit } from './unit-of-work.js'

/**
 * Maximum time that a read waits for the previous read, in milliseconds. So a connection that hangs does not block all
 * reads.
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
 * Combines concurrent reads. Requests that arrive while a read is running are answered together by the next statement.
 * If no read is running, a request is sent to the database immediately. Results are not cached: the read for a request
 * always begins after the request.
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
    // Several requests share the read, so it belongs to the unit of work of none of them.
    const answer = outsideUnit(() =>
      begin.then(() => {
        waiting = undefined
        return readAll([...keys])
      }),
    )
    running = answer
    const end = () => {
      if (running === answer) running = undefined
    }
    answer.then(end, end)
    return { keys, answer }
  }

  return async (key) => {
    // Only the unit's own connection sees its changes before the commit.
    if (joinedUnit()?.isPending === true) return (await readAll([key])).get(key)
    waiting ??= open()
    waiting.keys.add(key)
    return (await waiting.answer).get(key)
  }
}
