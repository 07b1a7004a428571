import { describe, expect, it } from 'vitest'
import { queryOf } from '../../server/http/rest-input.js'
import type { Route } from '../../server/http/routes.js'

const route = { numbers: new Set(['limit']), booleans: new Set(['all']) } as unknown as Route

/** Returns the entries of a query, and counts how many entries are read. */
function counted(entries: readonly (readonly [string, string])[]) {
  const seen = { count: 0 }
  function* read() {
    for (const entry of entries) {
      seen.count += 1
      yield entry
    }
  }
  return { seen, params: { [Symbol.iterator]: read } }
}

describe('the members of a query', () => {
  it('are numbers and booleans if the contract has them, and lists if they are given more than once', () => {
    const query = queryOf(route, new URLSearchParams('limit=5&all=true&name=x&name=y&cursor='))
    expect({ ...query }).toEqual({ limit: 5, all: true, name: ['x', 'y'], cursor: '' })
    expect({ ...queryOf(route, new URLSearchParams('limit=5&limit=6')) }).toEqual({ limit: ['5', '6'] })
  })

  it('have no prototype that a name can reach', () => {
    const query = queryOf(route, new URLSearchParams('__proto__=x&constructor=y'))
    expect(Object.getPrototypeOf(query)).toBeNull()
    expect(Object.keys(query)).toEqual(['__proto__', 'constructor'])
  })

  it.each([1_000, 4_000])('are read once each, for %i different names as for one name', (count) => {
    const different = counted(Array.from({ length: count }, (_, at) => [`n${at}`, '1'] as const))
    expect(Object.keys(queryOf(route, different.params))).toHaveLength(count)
    expect(different.seen.count).toBe(count)
    const same = counted(Array.from({ length: count }, () => ['n', '1'] as const))
    expect(queryOf(route, same.params).n).toHaveLength(count)
    expect(same.seen.count).toBe(count)
  })
})
