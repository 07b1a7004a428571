import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { sendPath } from '../http/raw.js'
import { createTestDatabase, type TestDatabase } from '../support/postgres.js'
import { localEnvironment, startProcess } from './process.js'

let database: TestDatabase

beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database.drop())

/** Each on a connection of its own, so that the workers take turns. */
const statuses = (url: string, count: number) =>
  Promise.all(Array.from({ length: count }, async () => (await sendPath(url, 'GET', '/version')).status))

const isAlive = (pid: unknown) => {
  try {
    return process.kill(Number(pid), 0)
  } catch {
    return false
  }
}

describe('WEB_CONCURRENCY=2', () => {
  it('serves from two processes that count one rate limit, replaces one that dies, and stops as a whole', async () => {
    await using service = startProcess({
      ...localEnvironment(database.url),
      WEB_CONCURRENCY: '2',
      RATE_LIMIT_MAX: '20',
    })
    const workers = await service.logged('listening', 2)
    const pids = workers.map(({ pid }) => Number(pid))
    expect(new Set([...pids, service.child.pid]).size).toBe(3)
    const url = await service.url()

    const answers = await statuses(url, 30)
    expect(answers.toSorted()).toEqual([...Array(20).fill(200), ...Array(10).fill(429)])

    const [victim = 0] = pids
    process.kill(victim, 'SIGKILL')
    const [ended] = await service.logged('worker ended')
    expect(ended).toMatchObject({ level: 50, signal: 'SIGKILL' })
    const [, , replacement] = await service.logged('listening', 3)
    expect(pids).not.toContain(replacement?.pid)
    expect(await statuses(url, 4)).toEqual([429, 429, 429, 429])

    service.child.kill('SIGTERM')
    expect(await service.exit()).toBe(0)
    for (const pid of [...pids, replacement?.pid]) expect(isAlive(pid)).toBe(false)
    expect(service.log().filter(({ msg }) => msg === 'stopped')).toHaveLength(2)
    // Migrations and default records are made once, by the primary.
    expect(service.log().filter(({ msg }) => msg?.startsWith('AUTH_DISABLED'))).toHaveLength(1)
  })
})
