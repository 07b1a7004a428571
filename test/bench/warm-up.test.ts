import { expect, it } from 'vitest'
import { warmUp } from '../../bench/measure/warm-up.js'

/** Returns the number of turns that the warm-up takes, if the operation has these costs in successive turns. */
async function turns(costs: readonly number[], maxTurns?: number): Promise<number> {
  let taken = 0
  await warmUp(async () => costs[taken++] ?? Number.NaN, maxTurns)
  return taken
}

it('continues while an operation becomes cheaper, and ends with the first turn without a gain', async () => {
  expect(await turns([5, 4, 3.5, 3.45, 1])).toBe(4)
  expect(await turns([5, 6, 1])).toBe(2)
})

it('a turn counts as cheaper if it is at least 3 % cheaper', async () => {
  expect(await turns([100, 96.9, 1, 1])).toBe(4)
  expect(await turns([100, 97.1, 1, 1])).toBe(2)
})

it('compares with the cheapest turn, not with the last one', async () => {
  expect(await turns([5, 4, 4.5, 4.1])).toBe(3)
})

it('ends after six turns, or after the given number of turns', async () => {
  expect(await turns([64, 32, 16, 8, 4, 2, 1])).toBe(6)
  expect(await turns([64, 32], 1)).toBe(1)
})

it('ends if nothing could be measured', async () => {
  expect(await turns([Number.NaN, 1])).toBe(1)
})
