import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { expect, it } from 'vitest'
import { cpuMs, parentOf, residentMiB } from '../../bench/measure/process-usage.js'

/** A program that uses a number of milliseconds of processor time, and then reports that it has done so. */
const BUSY = `const end = process.cpuUsage().user + 900_000; while (process.cpuUsage().user < end) for (let n = 0; n < 1e6; n += 1) Math.sqrt(n); `

it.each([
  ['its own', `${BUSY} console.log('done'); setInterval(() => {}, 1_000)`, 850],
  [
    "a worker's, which still runs",
    `const child = require('child_process').spawn(process.execPath, ['-e', ${JSON.stringify(`${BUSY} console.log('done'); setInterval(() => {}, 1_000); process.stdin.on('end', () => process.exit()).resume()`)}], { stdio: ['pipe', 'inherit', 'inherit'] })`,
    850,
  ],
  [
    "a worker's, which has ended",
    `require('child_process').spawn(process.execPath, ['-e', ${JSON.stringify(BUSY)}]).on('exit', () => console.log('done')); setInterval(() => {}, 1_000)`,
    850,
  ],
  [
    "a thread's",
    `new (require('worker_threads').Worker)(${JSON.stringify(`${BUSY} console.log('done')`)}, { eval: true }); setInterval(() => {}, 1_000)`,
    850,
  ],
  ['of an idle process', `console.log('done'); setInterval(() => {}, 1_000)`, 0],
])('the processor time of a process is %s, too', async (_, script, least) => {
  const child = spawn(process.execPath, ['-e', script], { stdio: ['ignore', 'pipe', 'inherit'] })
  try {
    await once(child.stdout, 'data')
    const used = cpuMs(child.pid ?? 0)
    expect(used).toBeGreaterThanOrEqual(least)
    // A slow machine needs some hundred milliseconds to start a program.
    if (least === 0) expect(used).toBeLessThan(600)
    expect(residentMiB(child.pid ?? 0)).toBeGreaterThan(10)
    expect(parentOf(child.pid ?? 0, 'node')).toBe(process.pid)
    expect(parentOf(child.pid ?? 0, 'postgres')).toBeUndefined()
  } finally {
    child.kill('SIGKILL')
  }
})
