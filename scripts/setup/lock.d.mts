/** Whether a process of that number exists. */
export function isRunning(pid: number): boolean

/** Takes the lock file for this process; null when it is ours, else the number of the process that holds it. */
export function acquireLock(file: string): number | null

/** Gives the lock file up, if it is this process's. */
export function releaseLock(file: string): void
