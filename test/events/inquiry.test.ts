import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { Inquiry } from '../../server/events/inquiry.js'
import type { EventsWanted } from '../../server/events/store.js'
import { Subscription, type Subscriptions } from '../../server/events/subscriptions.js'
import { createLog } from '../../server/log/log.js'

/** Adds a reader that has received the events up to a position and waits for the next event. */
function waiting(sessionId: string, position = 1): Subscription {
  const subscription = new Subscription(sessionId, Number.POSITIVE_INFINITY)
  subscription.position = position
  subscription.take([])
  return subscription
}

let readers: Subscription[]
const moved = vi.fn(async (_wanted: readonly EventsWanted[]): Promise<string[]> => [])
let inquiry: Inquiry

beforeEach(() => {
  readers = []
  moved.mockReset().mockResolvedValue([])
  const subscriptions = { all: () => readers.values() } as Pick<Subscriptions, 'all'> as Subscriptions
  inquiry = new Inquiry(subscriptions, { moved }, createLog('silent'))
})
afterEach(() => inquiry.close())

const asked = () => moved.mock.calls.map(([wanted]) => wanted)
const settled = () => new Promise((resolve) => setTimeout(resolve, 20))

it('asks for every session, with a thousand sessions in a statement', async () => {
  readers = Array.from({ length: 2_001 }, (_, n) => waiting(`session ${n}`))
  inquiry.ask()
  await expect.poll(() => asked().map(({ length }) => length)).toEqual([1_000, 1_000, 1])
  expect(new Set(asked().flatMap((wanted) => wanted.map(({ sessionId }) => sessionId))).size).toBe(2_001)
})

it('asks once for a session with several readers, from the lowest position, and wakes each reader', async () => {
  readers = [waiting('one', 7), waiting('one', 3), waiting('one', 5), waiting('other')]
  moved.mockResolvedValue(['one'])
  inquiry.ask()
  await settled()
  expect(asked()).toEqual([
    [
      { sessionId: 'one', after: 3 },
      { sessionId: 'other', after: 1 },
    ],
  ])
  expect(readers.map(({ dirty }) => dirty)).toEqual([true, true, true, false])
})

it('does not ask for busy readers, and does not wake readers that have received the event meanwhile', async () => {
  const [busy, idle] = [waiting('one'), waiting('two')]
  busy.stir()
  readers = [busy, idle]
  moved.mockImplementation(async () => {
    idle.ended = true
    return ['two']
  })
  inquiry.ask()
  await settled()
  expect(asked()).toEqual([[{ sessionId: 'two', after: 1 }]])
  expect(idle.dirty).toBe(false)
})

it('asks only once more if an event was missed during a query', async () => {
  readers = [waiting('one')]
  let answer = (_: string[]) => {}
  moved.mockImplementationOnce(() => new Promise((resolve) => (answer = resolve)))
  inquiry.ask()
  inquiry.ask()
  inquiry.ask()
  await settled()
  expect(asked()).toHaveLength(1)
  answer([])
  await settled()
  expect(asked()).toHaveLength(2)
})

it('continues after a failed query', async () => {
  readers = [waiting('one')]
  moved.mockRejectedValueOnce(new Error('The database is away.'))
  inquiry.ask()
  await settled()
  inquiry.ask()
  await settled()
  expect(asked()).toHaveLength(2)
})

it('asks once a second after the start, even if it is started several times', async () => {
  vi.useFakeTimers()
  try {
    readers = [waiting('one')]
    inquiry.start()
    inquiry.start()
    await vi.advanceTimersByTimeAsync(990)
    expect(asked()).toHaveLength(0)
    await vi.advanceTimersByTimeAsync(20)
    expect(asked()).toHaveLength(1)
    await vi.advanceTimersByTimeAsync(3_000)
    expect(asked()).toHaveLength(4)
  } finally {
    vi.useRealTimers()
  }
})

it('skips its turn while a query runs, and does not make up for it later', async () => {
  vi.useFakeTimers()
  try {
    readers = [waiting('one')]
    let answer = (_: string[]) => {}
    moved.mockImplementationOnce(() => new Promise((resolve) => (answer = resolve)))
    inquiry.start()
    await vi.advanceTimersByTimeAsync(3_500)
    expect(asked()).toHaveLength(1)
    answer([])
    await vi.advanceTimersByTimeAsync(400)
    expect(asked()).toHaveLength(1)
    await vi.advanceTimersByTimeAsync(200)
    expect(asked()).toHaveLength(2)
  } finally {
    vi.useRealTimers()
  }
})
