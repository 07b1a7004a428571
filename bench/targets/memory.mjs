const pause = () => new Promise((resolve) => setTimeout(resolve, 100))

/**
 * Collects garbage until the memory no longer falls, and returns the memory. One collection is not enough, because
 * finalizers and the return of pages free memory later.
 */
async function settledMemory() {
  let last = process.memoryUsage()
  for (let round = 0; round < 30; round += 1) {
    globalThis.gc?.()
    await pause()
    const now = process.memoryUsage()
    if (round > 2 && Math.abs(now.rss - last.rss) < 65_536) return now
    last = now
  }
  return last
}

/**
 * Answers commands of the benchmark over IPC: `memory` returns the memory of this process after a garbage collection,
 * and `commands` are the other commands. The process ends when the benchmark has ended.
 *
 * @param {Record<string, () => unknown>} commands
 */
export function answerMemory(commands = {}) {
  process.on('message', async (command) => {
    if (typeof command !== 'string') return
    if (command !== 'memory') {
      await commands[command]?.()
      process.send?.({})
      return
    }
    process.send?.(await settledMemory())
  })
  process.on('disconnect', () => process.exit())
}
