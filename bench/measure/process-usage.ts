import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'

const clockTicks = Number(execFileSync('getconf', ['CLK_TCK'], { encoding: 'utf8' }))
const pageBytes = Number(execFileSync('getconf', ['PAGE_SIZE'], { encoding: 'utf8' }))

/** The fields of proc(5)'s stat after the name of the program, which is in brackets and may contain spaces. */
function statOf(pid: number): { readonly name: string; readonly fields: readonly string[] } {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
  const end = stat.lastIndexOf(')')
  return { name: stat.slice(stat.indexOf('(') + 1, end), fields: stat.slice(end + 2).split(' ') }
}

/**
 * Reads a value of a process. If the process has ended meanwhile, returns `gone`, because the figures of the parent
 * process then include the value.
 */
function orGone<T>(read: () => T, gone: T): T {
  try {
    return read()
  } catch {
    return gone
  }
}

/** The ids of a process and its child processes, such as the workers of a service or the backends of a database. */
function treeOf(pid: number): number[] {
  const children = orGone(() => readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8'), '')
  return [pid, ...children.split(' ').filter(Boolean).map(Number).flatMap(treeOf)]
}

/** CPU time of a process since its start with all its threads and the processes it has started, in milliseconds. */
export function cpuMs(pid: number): number {
  const ticks = treeOf(pid).flatMap((each) => orGone(() => statOf(each).fields.slice(11, 15).map(Number), []))
  return (ticks.reduce((sum, each) => sum + each, 0) / clockTicks) * 1000
}

/** Resident memory of a process and its child processes, in MiB. */
export function residentMiB(pid: number): number {
  const pages = treeOf(pid).map((each) =>
    orGone(() => Number(readFileSync(`/proc/${each}/statm`, 'utf8').split(' ')[1]), 0),
  )
  return (pages.reduce((sum, each) => sum + each, 0) * pageBytes) / 2 ** 20
}

/** @returns the parent of a process, if that process is on this machine and runs a program of that name */
export function parentOf(pid: number, program: string): number | undefined {
  const stat = orGone(() => statOf(pid), undefined)
  return stat?.name === program ? Number(stat.fields[1]) : undefined
}
