/**
 * Calls `stop` when the npm that started this program has ended. npm passes a SIGTERM on to its shell only, and the shell ends without
 * passing it on. Without npm this function does nothing, because a program may run longer than the script that started it.
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
