import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, expect, inject, it } from 'vitest'
import { startService, type TestService } from '../support/service.js'
import { ask, dcql, makeSchema, sessionOf } from '../verifier/actors.js'
import { inParallel, scaled } from './parallel.js'

const KILLS = scaled(200, 6)
/** The number of sessions. Each session changes twice. */
const SESSIONS = KILLS / 2
/** Number of sessions at the same time. Starting their processes takes most of the time. */
const AT_ONCE = 6

let service: TestService
beforeAll(async () => {
  service = await startService({ maintenance: false, eventsEveryMs: 100 })
  await makeSchema(service)
})
afterAll(() => service.close())

/**
 * Runs another built process of the installation, whose store makes one transition. The process is killed at the moment of the
 * announcement: the transition is committed but not announced.
 */
async function killedAfter(transition: string, values: readonly string[]): Promise<void> {
  const file = (path: string) => pathToFileURL(join(inject('installation'), 'dist/server', path)).href
  const script = `
    const { connectDatabase } = await import(${JSON.stringify(file('database/connect.js'))})
    const { createVerificationSessionStore } = await import(${JSON.stringify(file('verifier/sessions/store.js'))})
    const { claimsInClear } = await import(${JSON.stringify(file('keys/claims/vault.js'))})
    const [url, ...values] = process.argv.slice(1)
    const sessions = createVerificationSessionStore(connectDatabase(url, { max: 1 }), claimsInClear, () => process.kill(process.pid, 'SIGKILL'))
    await sessions.${transition}
    process.exit(1)`
  const child = spawn(process.execPath, ['--input-type=module', '-e', script, service.databaseUrl, ...values], {
    cwd: tmpdir(),
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  expect(await once(child, 'close')).toEqual([null, 'SIGKILL'])
}

it(`kill -9 between commit and announcement, ${KILLS} times: every event arrives once and in order`, async () => {
  const seen = await inParallel(SESSIONS, AT_ONCE, async () => {
    const asked = await ask(service, { dcqlQuery: dcql(service, 'dc+sd-jwt') })
    const id = asked.verificationSessionId
    const requestId = new URL(asked.request_uri).pathname.split('/').at(-1) ?? ''
    const leave = new AbortController()
    const stream = await service.platform.events.stream<{ state: string }>({
      sessionId: id,
      current: async () => {
        const latest = await service.platform.stores.verificationSessions.latest(id)
        if (latest === undefined) throw new Error('No such session.')
        return latest as unknown as { seq: number; data: { state: string } }
      },
      caller: { sub: 'verifier' },
      signal: leave.signal,
    })
    const events: string[] = []
    const reading = (async () => {
      for await (const [seq, { state }] of stream) events.push(`${seq} ${state}`)
    })()
    await killedAfter('retrieve(values[0], new Date())', [requestId])
    await killedAfter('expire(new Date(Date.now() + 31_536_000_000), 1, values[0])', [id])
    await expect.poll(() => events.length).toBeGreaterThanOrEqual(3)
    // If an event arrived twice, the second would arrive within this time.
    await new Promise((resolve) => setTimeout(resolve, 250))
    expect((await sessionOf(service, asked)).state).toBe('Error')
    leave.abort()
    await reading
    return events
  })
  expect(new Set(seen.map((events) => events.join(', ')))).toEqual(
    new Set(['1 RequestCreated, 2 RequestUriRetrieved, 3 Error']),
  )
}, 1_800_000)
