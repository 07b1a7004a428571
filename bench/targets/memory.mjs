const pause = () => new Promise((resolve) => setTimeout(resolve, 100))

/** Memory once collecting garbage frees nothing more: what finalizers let go and pages given back come later. */
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
 * Lets the benchmark ask this process over IPC for its memory after a garbage collection, or for another of its commands. The
 * process ends when the benchmark has ended.
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
