import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterEach, expect, inject, it } from 'vitest'
import { parentOf } from '../../bench/measure/process-usage.js'
import { floorRow } from '../../bench/rows/compared/floor.js'
import { formatOperationRows } from '../../bench/rows/mdoc/operations.js'
import { startTarget, type Target, type TargetOptions } from '../../bench/targets/target.js'
import { freePort } from '../../scripts/postgres/free-port.js'
import { createTestDatabase } from '../support/postgres.js'

// These programs load modules of the built service. No compiler checks whether the modules still exist.

const running: Target[] = []
afterEach(async () => {
  for (const target of running.splice(0)) await target.stop()
})

async function start(options: Pick<TargetOptions, 'program' | 'env' | 'ready'>): Promise<Target> {
  const dist = pathToFileURL(join(inject('installation'), 'dist/server/')).href
  const target = await startTarget({
    ...options,
    node: process.execPath,
    port: options.ready === undefined ? 0 : await freePort(),
    env: { ...options.env, BENCH_DIST: dist },
  })
  running.push(target)
  return target
}

it('a mobile document and an SD-JWT VC are issued and verified without HTTP', async () => {
  const rows = await formatOperationRows({ startOperations: (program, env = {}) => start({ program, env }) })
  for (const { name, measure } of rows) {
    const { operations, cpuMs } = await measure(0.05)
    expect(operations, name).toBeGreaterThan(0)
    expect(cpuMs, name).toBeGreaterThan(0)
  }
  expect(rows).toHaveLength(4)
})

it.each(['sign', 'verify', 'token'])('signatures are made and checked alone: %s', async (operation) => {
  const target = await start({ program: 'cryptography.mjs' })
  const { operations } = Object(await target.ask({ operation, atOnce: 2, seconds: 0.05 }))
  expect(operations).toBeGreaterThan(0)
})

it('the floor of both flows answers every request of the flows', async () => {
  const database = await createTestDatabase()
  try {
    const floor = await start({ program: 'floor.mjs', env: { DATABASE_URL: database.url }, ready: '/ready' })
    for (const flow of ['issuing', 'presenting'] as const) {
      const { operations } = await floorRow(floor, flow, []).measure(0.05)
      expect(operations, flow).toBeGreaterThan(0)
    }
    await floor.stop()
  } finally {
    await database.drop()
  }
})

it('the service with several processes answers, and ends', async () => {
  const database = await createTestDatabase()
  try {
    const env = {
      ISSUER_BASE_URL: 'http://127.0.0.1',
      VERIFIER_BASE_URL: 'http://127.0.0.1',
      ALLOW_INSECURE_HTTP: 'true',
      AUTH_DISABLED: 'true',
      DATABASE_URL: database.url,
      LOG_LEVEL: 'warn',
      WEB_CONCURRENCY: '2',
    }
    const { url, pid, ask, stop } = await start({ program: 'service.mjs', env, ready: '/health/readiness' })
    expect((await fetch(`${url}/bench/noop`)).status).toBe(200)
    expect(await ask('memory')).toMatchObject({ rss: expect.any(Number) })
    expect(parentOf(pid, 'node')).toBe(process.pid)
    const begun = performance.now()
    await stop()
    expect(performance.now() - begun).toBeLessThan(25_000)
  } finally {
    await database.drop()
  }
})

it('a process that ends before its answer is reported with its output', async () => {
  const target = await start({ program: 'formats.mjs' })
  await expect(target.ask({ operation: 'issuing mso_mdoc', atOnce: 1, seconds: 1 })).rejects.toThrow(
    /formats\.mjs ended with 1:[\s\S]*SyntaxError/,
  )
})
