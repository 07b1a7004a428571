import { describe, expect, it } from 'vitest'
import { LruMap } from '../../../server/protocol/jose/lru-map.js'

describe('LruMap', () => {
  it('removes the least recently used entry', () => {
    const map = new LruMap<string, number>(2)
    map.set('a', 1)
    map.set('b', 2)
    expect(map.get('a')).toBe(1)
    map.set('c', 3)
    expect(map.get('b')).toBeUndefined()
    expect(map.get('a')).toBe(1)
    expect(map.get('c')).toBe(3)
    expect(map.size).toBe(2)
  })

  it('does not grow if the same key is written again', () => {
    const map = new LruMap<string, number>(2)
    map.set('a', 1)
    map.set('b', 2)
    map.set('a', 3)
    map.set('c', 4)
    expect(map.get('a')).toBe(3)
    expect(map.get('b')).toBeUndefined()
    map.delete('a')
    expect(map.size).toBe(1)
  })

  it('removes the least recently used entries until the rest is light enough', () => {
    const map = new LruMap<string, number>(10, 100)
    map.set('a', 1, 40)
    map.set('b', 2, 40)
    map.get('a')
    map.set('c', 3, 60)
    expect([map.get('a'), map.get('b'), map.get('c'), map.weight]).toEqual([1, undefined, 3, 100])
    map.set('c', 4, 10)
    expect([map.get('a'), map.get('c'), map.weight]).toEqual([1, 4, 50])
  })

  it('keeps neither an entry that is too heavy alone, nor the entry that it replaces', () => {
    const map = new LruMap<string, number>(10, 100)
    map.set('a', 1, 40)
    map.set('b', 2, 40)
    map.set('b', 3, 101)
    expect([map.get('a'), map.get('b'), map.weight]).toEqual([1, undefined, 40])
  })

  it('removes an entry on demand', () => {
    const map = new LruMap<string, number>(10, 100)
    for (const [index, name] of ['a', 'b', 'c'].entries()) map.set(name, index, 10)
    map.deleteWhere((value) => value !== 1)
    expect([map.size, map.get('b'), map.weight]).toEqual([1, 1, 10])
  })
})
