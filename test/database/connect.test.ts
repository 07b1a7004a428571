import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { connectDatabase } from '../../server/database/connect.js'
import { isDatabaseUnavailable } from '../../server/database/errors.js'
import { createEmptyDatabase, createTestDatabase, query, startOwnPostgres } from '../support/postgres.js'

describe('connectDatabase', () => {
  it('reads a timestamp unchanged in every time zone of the server', async () => {
    await using database = await createTestDatabase()
    const name = new URL(database.url).pathname.slice(1)
    await query(database.url, `ALTER DATABASE ${name} SET TimeZone = 'Asia/Tokyo'`)
    const { prisma, close } = connectDatabase(database.url)
    const createdAt = new Date('2026-01-31T12:00:05.123Z')
    await prisma.secret.create({ data: { name: 'zone', value: 'x', createdAt } })
    const read = await prisma.secret.findUniqueOrThrow({ where: { name: 'zone' } })
    expect(read.createdAt.toISOString()).toBe('2026-01-31T12:00:05.123Z')
    await close()
  })

  it('keeps each kind of statement prepared once on each connection, up to a limit', async () => {
    await using database = await createTestDatabase()
    const { prisma, close } = connectDatabase(database.url, { max: 1 })
    const kept = async () =>
      (await prisma.$queryRaw<{ text: string }[]>`SELECT statement AS text FROM pg_prepared_statements`).length
    for (const name of ['a', 'b', 'c']) await prisma.secret.findUnique({ where: { name } })
    await expect(kept()).resolves.toBe(2)
    for (let length = 2; length < 330; length += 1) {
      await prisma.secret.findMany({ where: { name: { in: Array.from({ length }, (_, index) => `${index}`) } } })
    }
    await expect(kept()).resolves.toBe(300)
    await close()
  })

  it('counts each statement that it sends, including the statements of Prisma and of transactions', async () => {
    await using database = await createEmptyDatabase()
    const { prisma, sql, bounded, load, close } = connectDatabase(database.url)
    const sentBy = async (use: () => Promise<unknown>) => {
      const before = load().statements
      await use()
      return load().statements - before
    }
    expect(await sentBy(() => sql(z.unknown())`SELECT 1`)).toBe(1)
    expect(await sentBy(() => prisma.$queryRaw`SELECT 1`)).toBe(1)
    expect(await sentBy(() => bounded(z.unknown())`SELECT 1`)).toBe(3)
    expect(await sentBy(() => prisma.$transaction((within) => within.$queryRaw`SELECT 1`))).toBe(3)
    await close()
  })

  it('opens no more connections than it may', async () => {
    await using database = await createEmptyDatabase()
    const { prisma, close } = connectDatabase(database.url, { max: 3 })
    await Promise.all(Array.from({ length: 12 }, () => prisma.$queryRaw`SELECT 1 FROM pg_sleep(0.01)`))
    const [row] = await prisma.$queryRaw<{ count: number }[]>`
      SELECT count(*)::int FROM pg_stat_activity WHERE application_name = 'credence' AND datname = current_database()`
    expect(row?.count).toBe(3)
    await close()
  })

  it('refuses a query that gets no connection in time', async () => {
    await using database = await createEmptyDatabase()
    const { sql, close } = connectDatabase(database.url, { max: 1, waitMs: 2_000 })
    await sql(z.unknown())`SELECT 1`
    // The only connection is in use until its last waiting caller has left.
    const busy = sql(z.unknown())`SELECT pg_sleep(6)`
    const refused: unknown = await sql(z.unknown())`SELECT 1`.catch((error: unknown) => error)
    expect(isDatabaseUnavailable(refused)).toBe(true)
    await busy
    await close()
  })

  it('ends a statement that takes too long, also on the server', async () => {
    await using database = await createEmptyDatabase()
    const { sql, close } = connectDatabase(database.url, { statementMs: 3_000 })
    const ended = expect(sql(z.unknown())`SELECT 'too long' FROM pg_sleep(300)`).rejects.toThrow('timeout')
    const going = () => query(database.url, "SELECT pid FROM pg_stat_activity WHERE query LIKE 'SELECT ''too long''%'")
    await expect.poll(going).toHaveLength(1)
    await ended
    await expect.poll(going).toEqual([])
    await close()
  })

  it('refuses the query of a transaction that lasts too long', async () => {
    await using database = await createEmptyDatabase()
    const { prisma, close } = connectDatabase(database.url, { max: 1, waitMs: 2_000 })
    await prisma.$queryRaw`SELECT 1`
    const long = prisma.$transaction(async (transaction) => {
      await transaction.$queryRaw`SELECT 1 FROM pg_sleep(3)`
      await transaction.$queryRaw`SELECT 1`
    })
    await expect(long).rejects.toThrow('The timeout for this transaction was 2000 ms')
    await close()
  })

  it('survives an outage: queries fail meanwhile and work again afterwards', async () => {
    await using postgres = await startOwnPostgres()
    const lost: string[] = []
    const { prisma, close } = connectDatabase(postgres.url, { onConnectionLost: (error) => lost.push(error.message) })
    const ask = () => prisma.$queryRaw`SELECT 1 AS one`
    await expect(ask()).resolves.toEqual([{ one: 1 }])
    await postgres.stop()
    await expect(ask()).rejects.toThrow()
    expect(lost).toContain('terminating connection due to administrator command')
    await postgres.restart()
    await expect(ask()).resolves.toEqual([{ one: 1 }])
    await close()
  })
})
