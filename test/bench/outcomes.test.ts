import { expect, it } from 'vitest'
import type { FullSample } from '../../bench/measure/sample.js'
import { outcomesOf } from '../../bench/report/outcomes.js'
import type { Goal } from '../../bench/rows/goal.js'
import type { Row } from '../../bench/rows/row.js'

const sample = (cpuMs: number, postgresMs = 0, perSecond = 100): FullSample => ({
  operations: 100,
  perSecond,
  p50: 1,
  p99: 2,
  cpuMs,
  residentMiB: 100,
  postgresMs,
  commits: 1,
})

const measure = () => Promise.reject(new Error('It was measured already.'))

function outcome(goal: Goal, own: readonly FullSample[], base?: readonly FullSample[]) {
  const row: Row = { name: 'own', goals: [goal], measure }
  const measured = new Map([[row, own]])
  if (base !== undefined) measured.set({ name: 'base', measure }, base)
  const [{ figure, met } = {}] = outcomesOf(measured)
  return [figure?.median, met]
}

it('a ratio is computed within each round, and its median decides', () => {
  // In the last two rounds the machine was slower for both rows.
  const base = [sample(4), sample(8), sample(8)]
  const own = [sample(4), sample(6), sample(8)]
  expect(outcome({ kind: 'cpuRatio', of: 'base', atMost: 1 }, own, base)).toEqual([1, true])
  expect(outcome({ kind: 'cpuRatio', of: 'base', atMost: 0.9 }, own, base)).toEqual([1, false])
})

it.each<[Goal, readonly [number, boolean]]>([
  [{ kind: 'cpu', atMostMs: 3 }, [3, true]],
  [{ kind: 'cpu', atMostMs: 2.9 }, [3, false]],
  [{ kind: 'cpuOver', of: 'base', atMostMs: 1 }, [1, true]],
  [{ kind: 'cpuOver', of: 'base', atMostMs: 0.5 }, [1, false]],
  [{ kind: 'workRatio', of: 'base', atMost: 2 }, [2, true]],
  [{ kind: 'workRatio', of: 'base', atMost: 1.5 }, [2, false]],
  [{ kind: 'rate', of: 'base', atLeast: 0.5 }, [50, true]],
  [{ kind: 'rate', of: 'base', atLeast: 0.6 }, [50, false]],
])('%j gives %j', (goal, expected) => {
  expect(outcome(goal, [sample(3, 5, 50)], [sample(2, 2, 100)])).toEqual(expected)
})

it('a goal without a measurement is neither met nor missed', () => {
  expect(outcome({ kind: 'cpuRatio', of: 'base', atMost: 1 }, [sample(1)])).toEqual([undefined, undefined])
  const away = [sample(1, Number.NaN)]
  expect(outcome({ kind: 'workRatio', of: 'base', atMost: 1 }, away, away)).toEqual([undefined, undefined])
})
