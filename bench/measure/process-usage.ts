import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'

const clockTicks = Number(execFileSync('getconf', ['CLK_TCK'], { encoding: 'utf8' }))
const pageBytes = Number(execFileSync('getconf', ['PAGE_SIZE'], { encoding: 'utf8' }))

/** CPU time of a process with all its threads since its start, in milliseconds (proc(5): utime and stime). */
export function cpuMs(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
  // The name of the program, in brackets, may hold spaces.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return ((Number(fields[11]) + Number(fields[12])) / clockTicks) * 1000
}

/** Resident memory in MiB. */
export function residentMiB(pid: number): number {
  const pages = Number(readFileSync(`/proc/${pid}/statm`, 'utf8').split(' ')[1])
  return (pages * pageBytes) / 2 ** 20
}
