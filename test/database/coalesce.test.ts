import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { coalesced } from '../../server/database/coalesce.js'

interface Read {
  readonly keys: readonly string[]
  answer(values: Readonly<Record<string, string>>): void
  fail(error: Error): void
}

function reader() {
  const reads: Read[] = []
  const read = coalesced(
    (keys) =>
      new Promise<ReadonlyMap<string, string>>((resolve, reject) => {
        reads.push({ keys, answer: (values) => resolve(new Map(Object.entries(values))), fail: reject })
      }),
  )
  return { reads, read }
}

/** Lets all pending callbacks run. */
const settle = () => vi.advanceTimersByTimeAsync(0)

describe('reads that begin while another read runs', () => {
  beforeEach(() => {
    vi.useFakeTimers()
  })
  afterEach(() => {
    vi.useRealTimers()
  })

  it('do not wait if no other read runs', async () => {
    const { reads, read } = reader()
    const first = read('a')
    await settle()
    expect(reads.map(({ keys }) => keys)).toEqual([['a']])
    reads[0]?.answer({ a: '1' })
    expect(await first).toBe('1')
  })

  it('share the next read, which has each key only once', async () => {
    const { reads, read } = reader()
    const first = read('a')
    await settle()
    const others = [read('b'), read('c'), read('b'), read('missing')]
    await settle()
    expect(reads).toHaveLength(1)
    reads[0]?.answer({ a: '1' })
    await settle()
    expect(reads[1]?.keys).toEqual(['b', 'c', 'missing'])
    reads[1]?.answer({ b: '2', c: '3' })
    expect(await first).toBe('1')
    expect(await Promise.all(others)).toEqual(['2', '3', '2', undefined])
  })

  it('are never answered by a read that began before them', async () => {
    const { reads, read } = reader()
    const before = read('a')
    await settle()
    const after = read('a')
    reads[0]?.answer({ a: 'old' })
    await settle()
    reads[1]?.answer({ a: 'new' })
    expect([await before, await after]).toEqual(['old', 'new'])
  })

  it('fail only with their own read', async () => {
    const { reads, read } = reader()
    const first = read('a').catch((error: Error) => error.message)
    await settle()
    const second = read('b')
    reads[0]?.fail(new Error('The connection broke.'))
    expect(await first).toBe('The connection broke.')
    await settle()
    reads[1]?.answer({ b: '2' })
    expect(await second).toBe('2')
  })

  it('wait at most a tenth of a second for a read that hangs', async () => {
    const { reads, read } = reader()
    void read('a')
    await settle()
    const second = read('b')
    await vi.advanceTimersByTimeAsync(99)
    expect(reads).toHaveLength(1)
    await vi.advanceTimersByTimeAsync(1)
    reads[1]?.answer({ b: '2' })
    expect(await second).toBe('2')
    const third = read('c')
    await settle()
    reads[2]?.answer({ c: '3' })
    expect(await third).toBe('3')
  })
})
