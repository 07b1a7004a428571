import { describe, expect, it } from 'vitest'
import { qrCodePng } from '../../../server/pages/qr-code.js'
import { Work } from '../../../server/protocol/work.js'
import { cleanPng, ImageError } from '../../../server/verifier/qr-codes/png.js'

/** Pseudo-random numbers that are the same in every run (a linear congruential generator). */
function* numbers(seed: number): Generator<number, never> {
  for (let state = seed; ; ) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    yield state >>> 8
  }
}

describe('cleanPng', () => {
  it('decodes damaged bytes or refuses them with an ImageError', async () => {
    const png = await qrCodePng('openid4vp://?client_id=x')
    const random = numbers(7)
    const next = () => random.next().value
    for (let round = 0; round < 1_000; round += 1) {
      const damaged = Buffer.from(png)
      for (let count = 1 + (next() % 4); count > 0; count -= 1) damaged[8 + (next() % (png.length - 8))] = next() % 256
      try {
        expect(Buffer.isBuffer(cleanPng(damaged, new Work(Number.POSITIVE_INFINITY)))).toBe(true)
      } catch (thrown) {
        expect(thrown).toBeInstanceOf(ImageError)
      }
    }
  })
})
