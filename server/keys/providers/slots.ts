/** Lets a bounded number of calls run, and a bounded number wait. */
export function createSlots({ concurrency, queue }: { readonly concurrency: number; readonly queue: number }) {
  const waiting = new Set<() => void>()
  let running = 0

  return {
    /** Waits for a slot. @returns false if the queue is full, or if the signal ends the wait. */
    take(signal: AbortSignal): Promise<boolean> {
      if (signal.aborted) return Promise.resolve(false)
      if (running < concurrency) {
        running += 1
        return Promise.resolve(true)
      }
      if (waiting.size >= queue) return Promise.resolve(false)
      return new Promise((resolve) => {
        const end = () => {
          waiting.delete(begin)
          resolve(false)
        }
        const begin = () => {
          signal.removeEventListener('abort', end)
          resolve(true)
        }
        waiting.add(begin)
        signal.addEventListener('abort', end, { once: true })
      })
    },

    /** Gives the slot to the call that waits longest. */
    release(): void {
      const [next] = waiting
      if (next === undefined) {
        running -= 1
        return
      }
      waiting.delete(next)
      next()
    },
  }
}
