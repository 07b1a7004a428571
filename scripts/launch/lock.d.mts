/** Whether a process of that number is at work; one that has ended and that nobody has asked about yet is not. */
export function isRunning(pid: number): boolean

/** Takes the lock file for this process; null when it is ours, else the number of the process that holds it. */
export function acquireLock(file: string): number | null

/** Gives the lock file up, if it is this process's. */
export function releaseLock(file: string): void
