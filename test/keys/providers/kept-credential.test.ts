import { setImmediate } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { type Credential, keepCredential } from '../../../server/keys/providers/remote/kept-credential.js'

const START = Date.parse('2026-01-01T00:00:00Z')

/** A source that hands out 1, 2, 3 …, and a clock that stands still. @param life in seconds; undefined for no end */
function kept(life: number | undefined) {
  let now = START
  let fails = false
  let asked = 0
  const source = async (): Promise<Credential<number>> => {
    asked += 1
    if (fails) throw new Error('no answer')
    return { value: asked, expiresAt: life === undefined ? undefined : new Date(now + life * 1_000) }
  }
  const credential = keepCredential(source, () => new Date(now))
  /** The credential of a request after some seconds. A renewal in the background then ends. */
  const after = async (seconds: number): Promise<number> => {
    now += seconds * 1_000
    const value = await credential.current(new AbortController().signal)
    await setImmediate()
    return value
  }
  return {
    after,
    asked: () => asked,
    fail: (whether: boolean) => {
      fails = whether
    },
  }
}

it.each([
  ['an hour: five minutes before its end', 3_600, 3_300],
  ['four minutes: at half of its life', 240, 120],
  ['no end: after five minutes, because its file may have changed', undefined, 300],
])('a credential of %s is renewed in the background', async (_life, life, renewal) => {
  const { after, asked } = kept(life)
  expect(await after(0)).toBe(1)
  expect([await after(renewal - 1), asked()]).toEqual([1, 1])
  // The request does not wait for the new credential.
  expect([await after(1), asked()]).toEqual([1, 2])
  expect(await after(1)).toBe(2)
})

it('a failed renewal is tried again after ten seconds, and requests get the former credential meanwhile', async () => {
  const { after, asked, fail } = kept(3_600)
  await after(0)
  fail(true)
  expect([await after(3_300), asked()]).toEqual([1, 2])
  expect([await after(9), asked()]).toEqual([1, 2])
  expect([await after(1), asked()]).toEqual([1, 3])
  fail(false)
  expect([await after(10), asked()]).toEqual([1, 4])
  expect(await after(1)).toBe(4)
})
