import { describe, expect, it, vi } from 'vitest'
import { createStatistics } from '../../server/statistics/statistics.js'
import type { Counted, Share } from '../../server/statistics/store.js'

const NOW = new Date('2026-03-01T12:00:00Z')

function statistics({ counted = [] as Counted[], shares = [] as Share[], first = null as Date | null } = {}) {
  const store = {
    completeAt: async () => NOW,
    fold: async () => ({ count: 3, first, more: true }),
    steps: vi.fn(async () => counted),
    shares: vi.fn(async () => shares),
  }
  return { store, ...createStatistics({ store, clock: () => NOW }) }
}

const DAY_MS = 86_400_000

describe('figures of a period', () => {
  it.each<[Parameters<ReturnType<typeof statistics>['read']>[0], string, string]>([
    [{ step: 'day' }, '2026-01-31T00:00:00.000Z', '2026-03-02T00:00:00.000Z'],
    [{ step: 'hour' }, '2026-02-28T13:00:00.000Z', '2026-03-01T13:00:00.000Z'],
    [{ step: 'day', to: '2026-02-01T00:00:00Z' }, '2026-01-02T00:00:00.000Z', '2026-02-01T00:00:00.000Z'],
    [
      { step: 'hour', from: '2026-02-01T00:59:59.999Z', to: '2026-02-01T01:00:00.001Z' },
      '2026-02-01T00:00:00.000Z',
      '2026-02-01T02:00:00.000Z',
    ],
  ])('of %o are the figures of whole steps', async (asked, from, to) => {
    const { read, store } = statistics()
    const answer = await read(asked)
    expect([answer.from, answer.to]).toEqual([from, to])
    expect(store.steps).toHaveBeenCalledWith(asked.step, new Date(from), new Date(to))
    expect(store.shares).toHaveBeenCalledWith(asked.step, new Date(from), new Date(to))
  })

  it('may have the longest period, but not one step more', async () => {
    const to = '2026-03-01T00:00:00Z'
    const earlier = (days: number) => new Date(Date.parse(to) - days * DAY_MS).toISOString()
    const { read, store } = statistics()
    expect((await read({ step: 'day', from: earlier(366), to })).steps).toHaveLength(366)
    expect((await read({ step: 'hour', from: earlier(31), to })).steps).toHaveLength(31 * 24)
    store.steps.mockClear()
    await expect(read({ step: 'day', from: earlier(367), to })).rejects.toMatchObject({
      messages: ['from must be within 366 days before to with step day'],
    })
    await expect(read({ step: 'hour', from: earlier(32), to })).rejects.toMatchObject({
      messages: ['from must be within 31 days before to with step hour'],
    })
    await expect(read({ step: 'day', from: to, to })).rejects.toMatchObject({
      messages: ['from must be before to'],
    })
    expect(store.steps).not.toHaveBeenCalled()
  })

  it('have each counter in its step and place, and zero for missing counters', async () => {
    const at = new Date('2026-02-28T00:00:00Z')
    const { read } = statistics({
      counted: [
        { at, measure: 'offers', detail: '', count: 2 },
        { at, measure: 'offerSessions', detail: 'failed', count: 1 },
      ],
      shares: [
        { measure: 'issuedIn', type: 'Diploma', detail: 'dc+sd-jwt', count: 5 },
        { measure: 'failedChecks', type: '', detail: 'signature', count: 4 },
      ],
    })
    const answer = await read({ step: 'day', from: '2026-02-27T00:00:00Z', to: '2026-03-01T00:00:00Z' })
    expect(answer.steps.map((step) => [step.at, step.offers, step.issued, step.offerSessions.failed])).toEqual([
      ['2026-02-27T00:00:00.000Z', 0, 0, 0],
      ['2026-02-28T00:00:00.000Z', 2, 0, 1],
    ])
    expect(answer.issuedByType).toEqual([{ type: 'Diploma', format: 'dc+sd-jwt', count: 5 }])
    expect(answer.failedChecks).toEqual([{ check: 'signature', count: 4 }])
  })
})

describe('the task that counts', () => {
  it('has the delay of its oldest event, and never a negative delay if clocks differ', async () => {
    const late = async (first: Date | null) => statistics({ first }).tasks[0]?.run(NOW, 200)
    expect(await late(new Date(NOW.getTime() - 90_000))).toEqual({ count: 3, more: true, lateSeconds: 90 })
    expect(await late(new Date(NOW.getTime() + 90_000))).toMatchObject({ lateSeconds: 0 })
    expect(await late(null)).toMatchObject({ lateSeconds: 0 })
  })
})
