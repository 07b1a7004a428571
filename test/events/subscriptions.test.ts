import { expect, it } from 'vitest'
import { Subscription } from '../../server/events/subscriptions.js'

const event = (seq: number) => ({ seq, data: { state: `state ${seq}` } })
const given = (subscription: Subscription) => [...subscription.unseen()].map(({ seq }) => seq)

it('gives an event once that two overlapping reads return', () => {
  const subscription = new Subscription('one', Number.POSITIVE_INFINITY)
  subscription.take([event(1), event(2)])
  expect(given(subscription)).toEqual([1, 2])
  subscription.take([event(1), event(2), event(3)])
  expect(given(subscription)).toEqual([3])
  subscription.take([event(3)])
  expect(given(subscription)).toEqual([])
})
