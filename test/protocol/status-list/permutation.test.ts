import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { STATUS_LIST_SIZE } from '../../../server/protocol/status-list/bits.js'
import { permuteIndex } from '../../../server/protocol/status-list/permutation.js'
import { scaled } from '../../proof/parallel.js'

const key = (name: string) => createHash('sha256').update(name).digest()
const all = (size: number, by = key('list')) =>
  Array.from({ length: size }, (_, counter) => permuteIndex(by, counter, size))

describe('The permutation of status list indices', () => {
  it('is a bijection on the whole list: each index is used exactly once', () => {
    const size = scaled(STATUS_LIST_SIZE, STATUS_LIST_SIZE / 16)
    const list = key('list')
    const seen = new Uint8Array(size)
    for (let counter = 0; counter < size; counter++) {
      const index = permuteIndex(list, counter, size)
      seen[index] = (seen[index] ?? 0) + 1
    }
    expect(seen.every((times) => times === 1)).toBe(true)
  })

  it.each([2, 3, 5, 8, 100, 1000, 1023, 1025])('is a bijection on lists of %i entries', (size) => {
    expect(all(size).toSorted((a, b) => a - b)).toEqual([...new Array(size).keys()])
  })

  it('never changes, because counters continue: another permutation would use indices twice', () => {
    expect([0, 1, 2, 131_071].map((counter) => permuteIndex(key('list'), counter))).toEqual([
      26_443, 114_777, 59_745, 15_859,
    ])
    expect(permuteIndex(key('list'), 7, 1000)).toBe(674)
  })

  it('gives every key another order', () => {
    const same = all(1000, key('one')).filter((index, counter) => index === permuteIndex(key('two'), counter, 1000))
    // Two random permutations have the same value at one position on average.
    expect(same.length).toBeLessThan(10)
  })

  it('spreads neighbours over the whole list (Token Status List §13.2)', () => {
    const indices = Array.from({ length: 2000 }, (_, counter) => permuteIndex(key('list'), counter))
    const steps = indices.slice(1).map((index, n) => Math.abs(index - (indices[n] ?? 0)))
    const mean = steps.reduce((sum, step) => sum + step, 0) / steps.length
    // If indices are independent, their average distance is a third of the length of the list.
    expect(mean / STATUS_LIST_SIZE).toBeGreaterThan(0.3)
    expect(mean / STATUS_LIST_SIZE).toBeLessThan(0.37)
    const quarters = [0, 0, 0, 0]
    for (const index of indices) {
      const quarter = Math.floor((index / STATUS_LIST_SIZE) * 4)
      quarters[quarter] = (quarters[quarter] ?? 0) + 1
    }
    for (const count of quarters) expect(Math.abs(count - 500)).toBeLessThan(100)
  })

  it('refuses keys, counters and sizes out of range', () => {
    expect(() => permuteIndex(new Uint8Array(16), 0)).toThrow('The key of a permutation has 32 bytes.')
    for (const counter of [-1, STATUS_LIST_SIZE, 0.5, Number.NaN]) {
      expect(() => permuteIndex(key('list'), counter)).toThrow(RangeError)
    }
    for (const size of [1, 0, 2 ** 31, 10.5]) expect(() => permuteIndex(key('list'), 0, size)).toThrow(RangeError)
    expect(permuteIndex(key('list'), 2 ** 30 - 1, 2 ** 30)).toBeLessThan(2 ** 30)
  })
})
