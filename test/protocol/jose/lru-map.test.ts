import { describe, expect, it } from 'vitest'
import { LruMap } from '../../../server/protocol/jose/lru-map.js'

describe('LruMap', () => {
  it('drops what was not used for the longest time', () => {
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

  it('does not grow by writing the same key again', () => {
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
})
