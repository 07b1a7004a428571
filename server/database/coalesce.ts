/** How long a read waits for the one before it; a connection that hangs must not hold up everybody. */
const PATIENCE_MS = 100

interface Batch<Value> {
  readonly keys: Set<string>
  readonly answer: Promise<ReadonlyMap<string, Value>>
}

/** Resolves when another read has ended, however it did, or has taken too long. */
function over(read: Promise<unknown>): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, PATIENCE_MS)
    const end = () => {
      clearTimeout(timer)
      resolve()
    }
    read.then(end, end)
  })
}

/**
 * Lets reads that are asked for while one is under way go together in the next: under load one statement answers many
 * requests, and an idle service waits for nothing. Nothing is kept: every answer was read after it was asked for.
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
    const begin = running === undefined ? Promise.resolve() : over(running)
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
