/**
 * Calls `stop` when the npm that started this program has ended. npm sends a SIGTERM only to its shell, and the shell
 * ends without sending the signal to this program. If npm did not start this program, the function does nothing,
 * because a program may run longer than the script that started it.
 */
export function whenParentIsGone(stop: () => void): void {
  if (process.env.npm_lifecycle_event === undefined) return
  const parent = process.ppid
  const watch = setInterval(() => {
    if (process.ppid === parent) return
    clearInterval(watch)
    stop()
  }, 500)
  watch.unref()
}
