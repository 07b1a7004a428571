import { answerMemory } from './memory.mjs'

/**
 * Repeats an operation when the benchmark commands it: for a number of seconds, several at the same time. The command
 * and the result are IPC messages.
 *
 * @param {Record<string, () => unknown>} operations
 */
export function answerOperations(operations) {
  answerMemory()
  process.on('message', async (message) => {
    if (typeof message !== 'object' || message === null) return
    const { operation, atOnce, seconds } = message
    const run = operations[operation]
    const times = []
    const cpuBefore = process.cpuUsage()
    const started = performance.now()
    const end = started + seconds * 1000
    const actor = async () => {
      while (performance.now() < end) {
        const begun = performance.now()
        await run()
        times.push(performance.now() - begun)
        // A loop that awaits only settled promises never returns to the event loop, so the other actors could not
        // begin.
        if (times.length % 64 === 0) await new Promise((resolve) => setImmediate(resolve))
      }
    }
    await Promise.all(Array.from({ length: atOnce }, actor))
    const elapsed = performance.now() - started
    const { user, system } = process.cpuUsage(cpuBefore)
    times.sort((a, b) => a - b)
    process.send?.({
      operations: times.length,
      perSecond: times.length / (elapsed / 1000),
      p50: times[Math.floor(times.length / 2)],
      p99: times[Math.floor(times.length * 0.99)],
      cpuMs: (user + system) / 1000 / times.length,
      residentMiB: process.memoryUsage().rss / 2 ** 20,
    })
  })
}
