/**
 * Calls `stop` when npm is gone that ran this: it passes a SIGTERM on to its shell, which ends without doing likewise.
 * Outside of npm nothing is watched, since a program may well outlive the script that started it.
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
