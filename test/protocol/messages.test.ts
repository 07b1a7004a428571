import { expect, it } from 'vitest'
import { limited, shortened, shownName } from '../../server/protocol/messages.js'

const numbered = (count: number) => Array.from({ length: count }, (_, index) => `message ${index}`)

it('shows twenty messages, and then the number of the others', () => {
  expect(limited(numbered(20))).toEqual(numbered(20))
  expect(limited(numbered(21))).toEqual([...numbered(20), 'and 1 more'])
  expect(limited(numbered(332))).toEqual([...numbered(20), 'and 312 more'])
})

it('shows no message twice, and counts only messages that are not shown', () => {
  expect(limited([...numbered(20), ...numbered(20)])).toEqual(numbered(20))
})

it('keeps only the current message of the messages that it only counts', () => {
  let alive = 0
  function* made() {
    for (let at = 0; at < 1_000_000; at += 1) {
      alive += 1
      yield `message ${at}`
      alive -= 1
    }
  }
  expect(limited(made())).toHaveLength(21)
  expect(alive).toBe(0)
})

it('cuts long messages and names, and never splits a character', () => {
  expect(limited(['x'.repeat(2_000)])).toEqual([`${'x'.repeat(1_000)}…`])
  expect(shownName('n'.repeat(300))).toBe(`${'n'.repeat(100)}…`)
  expect(shortened('aaa🦊', 4)).toBe('aaa…')
  expect(shortened('aaa🦊', 5)).toBe('aaa🦊')
})
