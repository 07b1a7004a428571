import { describe, expect, it } from 'vitest'
import { StreamPlaces } from '../../server/events/places.js'

const refusal = (take: () => unknown) => {
  try {
    take()
  } catch (error) {
    const { status, retryAfter } = error as { status: number; retryAfter: number }
    return [status, retryAfter]
  }
  return undefined
}

describe('counts of open streams', () => {
  it('are counted for each caller and for the process', () => {
    const places = new StreamPlaces({ perCaller: 2, process: 3 })
    const take = (sub: string) => () => places.take(sub)
    const [first] = [places.take('alice'), places.take('alice')]
    expect(refusal(take('alice'))).toEqual([429, 30])
    places.take('bob')
    expect(refusal(take('carol'))).toEqual([503, 30])
    // The caller can close some of the caller's own streams, so the limit for the caller is reported first.
    expect(refusal(take('alice'))).toEqual([429, 30])
    first?.()
    expect(refusal(take('carol'))).toBeUndefined()
  })

  it('are reduced only once for each stream, even if the stream ends twice', () => {
    const places = new StreamPlaces({ perCaller: 2, process: 2 })
    const giveBack = places.take('alice')
    places.take('alice')
    giveBack()
    giveBack()
    places.take('alice')
    expect(refusal(() => places.take('alice'))).toEqual([429, 30])
  })

  it('of one caller have no separate limit if it is 0', () => {
    const places = new StreamPlaces({ perCaller: 0, process: 100 })
    for (let at = 0; at < 100; at += 1) places.take('relay')
    expect(refusal(() => places.take('relay'))).toEqual([503, 30])
  })
})
