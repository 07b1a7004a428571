/** Whether a process with that number is running. A process that has ended is not, even if its parent has not read its exit code yet. */
export function isRunning(pid: number): boolean

/** Takes the lock file for this process. Returns null if this process has the lock, otherwise the number of the process that holds it. */
export function acquireLock(file: string): number | null

/** Removes the lock file if this process holds it. */
export function releaseLock(file: string): void
