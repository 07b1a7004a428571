import { EventEmitter } from 'node:events'
import pg from 'pg'
import { describe, expect, it, vi } from 'vitest'
import { KeptPool } from '../../server/database/kept-connections.js'

type End = (error?: Error | null, result?: unknown) => void

/** A pool with one connection. The test decides when and how the connection answers. */
function startPool() {
  const released: (boolean | undefined)[] = []
  let end: End = () => {}
  const client = Object.assign(new EventEmitter(), {
    query: (_asked: unknown, ended: End) => {
      end = ended
    },
  })
  const pool: pg.Pool = new KeptPool()
  // The pool uses only these members of a client.
  vi.spyOn(pool, 'connect').mockImplementation((use) =>
    use(undefined, client as unknown as pg.PoolClient, (isBroken) => released.push(isBroken)),
  )
  return { client, released, ask: () => pool.query('SELECT 1'), end: (...answer: Parameters<End>) => end(...answer) }
}

const refusal = (code: string, severity = 'ERROR') =>
  Object.assign(new pg.DatabaseError('refused', 7, 'error'), { code, severity })

const listeners = (client: EventEmitter) => client.eventNames().length

describe('a connection of the pool', () => {
  it('returns to the pool with the answer to its statement', async () => {
    const { client, released, ask, end } = startPool()
    const asked = ask()
    end(null, 'rows')
    expect(await asked).toBe('rows')
    expect([released, listeners(client)]).toEqual([[undefined], 0])
  })

  it.each(['22021', '23505', '40P01'])('is kept if its statement was refused for its values (%s)', async (code) => {
    const { client, released, ask, end } = startPool()
    const asked = ask()
    end(refusal(code))
    await expect(asked).rejects.toThrow('refused')
    expect([released, listeners(client)]).toEqual([[false], 0])
  })

  it.each([
    ['a statement that cannot be prepared', refusal('0A000')],
    ['an end of the server', refusal('57P01', 'FATAL')],
    ['an error that ends the connection, with any code', refusal('22000', 'FATAL')],
    ['an error that is not of PostgreSQL', new Error('Query read timeout')],
  ])('is dropped after %s', async (_name, error) => {
    const { client, released, ask, end } = startPool()
    const asked = ask()
    end(error)
    await expect(asked).rejects.toBe(error)
    expect([released, listeners(client)]).toEqual([[true], 0])
  })

  it('that breaks in the middle of a statement makes the statement fail, and is dropped once, even if it reports more errors', async () => {
    const { client, released, ask, end } = startPool()
    const asked = ask()
    client.emit('error', new Error('Connection terminated unexpectedly'))
    end(refusal('22012'))
    await expect(asked).rejects.toThrow('Connection terminated')
    expect([released, listeners(client)]).toEqual([[true], 0])
  })
})
