import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { withStartLock } from '../../server/database/start-lock.js'
import { createEmptyDatabase, query } from '../support/postgres.js'

it('admits simultaneous starts one after the other', async () => {
  await using database = await createEmptyDatabase()
  let inside = 0
  const seen: number[] = []
  const start = () =>
    withStartLock(database.url, async () => {
      inside += 1
      seen.push(inside)
      await sleep(5)
      inside -= 1
    })
  await Promise.all(Array.from({ length: 8 }, start))
  expect(seen).toEqual([1, 1, 1, 1, 1, 1, 1, 1])
})

it('is free again after a start that failed', async () => {
  await using database = await createEmptyDatabase()
  const failing = withStartLock(database.url, () => Promise.reject(new Error('no key')))
  await expect(failing).rejects.toThrow('no key')
  await expect(withStartLock(database.url, async () => 'started')).resolves.toBe('started')
})

it('ends a start whose connection is cut, because its lock is lost and another start may begin', async () => {
  await using database = await createEmptyDatabase()
  const start = withStartLock(database.url, async ({ connection }) => {
    const { rows } = await connection.query<{ pid: number }>('SELECT pg_backend_pid() AS pid')
    await query(database.url, 'SELECT pg_terminate_backend($1)', [rows[0]?.pid])
    return new Promise<never>(() => {})
  })
  await expect(start).rejects.toThrow('terminating connection due to administrator command')
})

it('reports an unreachable database', async () => {
  const away = 'postgresql://postgres:x@127.0.0.1:1/postgres'
  await expect(withStartLock(away, async () => undefined)).rejects.toThrow('ECONNREFUSED')
})
