import { describe, expect, it } from 'vitest'
import { newTxCode } from '../../../server/issuer/openid4vci/tx-code.js'

describe('transaction codes (OpenID4VCI 1.0 §4.1.1)', () => {
  /** Makes a source of random bytes that returns these bytes one after the other, and then zeros. */
  const bytes =
    (...given: number[]) =>
    (length: number) =>
      Uint8Array.from({ length }, () => given.shift() ?? 0)

  it('have each character equally often: bytes that would give some characters more often are not used', () => {
    const numeric = { input_mode: 'numeric', length: 4 } as const
    expect(newTxCode(numeric, bytes(255, 250, 249, 0, 252, 1, 253, 12))).toBe('9012')
    const counts = new Map<string, number>()
    for (let byte = 0; byte < 250; byte += 1) {
      const code = newTxCode({ input_mode: 'numeric', length: 1 }, bytes(byte))
      counts.set(code, (counts.get(code) ?? 0) + 1)
    }
    expect([...counts.values()]).toEqual(Array.from({ length: 10 }, () => 25))
  })

  it('as texts have no character that looks like another', () => {
    const all = newTxCode({ input_mode: 'text', length: 32 }, bytes(...Array.from({ length: 32 }, (_, n) => n)))
    expect(new Set(all).size).toBe(32)
    expect(all).not.toMatch(/[01IO]/)
  })
})
