/** Ends a turn. */
type EndTurn = () => void

/**
 * Equal requests of one process run one after the other, in the order of their arrival. So only one of them reads the
 * key at a time.
 */
export function createKeyTurns() {
  /** The requests that wait for a key whose turn is taken. */
  const waiting = new Map<string, Set<() => void>>()

  const end = (id: string): void => {
    const queue = waiting.get(id)
    const [next] = queue ?? []
    if (next === undefined) waiting.delete(id)
    else {
      queue?.delete(next)
      next()
    }
  }

  return {
    /**
     * Waits for the turn of a key.
     *
     * @param waitMs how long a request waits at most, in milliseconds
     * @returns whether the request had to wait, and the function that ends the turn; undefined if it waited too long
     */
    take(id: string, waitMs: number): Promise<{ hasWaited: boolean; end: EndTurn } | undefined> {
      const queue = waiting.get(id)
      if (queue === undefined) {
        waiting.set(id, new Set())
        return Promise.resolve({ hasWaited: false, end: () => end(id) })
      }
      return new Promise((resolve) => {
        const begin = () => {
          clearTimeout(timer)
          resolve({ hasWaited: true, end: () => end(id) })
        }
        const timer = setTimeout(() => {
          queue.delete(begin)
          resolve(undefined)
        }, waitMs)
        queue.add(begin)
      })
    },
  }
}
