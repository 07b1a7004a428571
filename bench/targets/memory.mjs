/**
 * Lets the benchmark ask this process over IPC for its memory after a collection of garbage, or for something else that
 * it can do; ends it when the benchmark is gone.
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
    // Once for what is garbage now, once for what only finalizers let go.
    for (let round = 0; round < 2; round += 1) {
      globalThis.gc?.()
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
    process.send?.(process.memoryUsage())
  })
  process.on('disconnect', () => process.exit())
}
