import { describe, expect, it } from 'vitest'
import { createHealth } from '../../../server/keys/providers/health.js'
import { ProviderRefusal, ProviderUnavailable } from '../../../server/keys/providers/provider.js'

/** A provider whose checks end as a test says, and a clock that the test moves. */
function watched() {
  let now = Date.parse('2026-01-01T00:00:00Z')
  const state = { checks: 0, error: undefined as Error | undefined, hangs: false }
  const health = createHealth({
    name: 'hsm',
    clock: () => new Date(now),
    check: async () => {
      state.checks += 1
      if (state.hangs) await new Promise(() => {})
      if (state.error !== undefined) {
        health.ended('check', state.error instanceof ProviderRefusal ? 'refused' : 'unavailable', state.error)
        throw state.error
      }
      health.ended('check', 'ok', undefined)
      return ['ES256']
    },
  })
  return {
    state,
    health,
    pass: (seconds: number) => {
      now += seconds * 1_000
    },
    reason: async () => (await health.read()).fault?.reason ?? null,
  }
}

describe('the health of a key provider', () => {
  it('checks at most once in five seconds, whatever the number of callers', async () => {
    const { state, health, pass } = watched()
    await Promise.all(Array.from({ length: 100 }, () => health.read()))
    await health.read()
    expect(state.checks).toBe(1)
    pass(4.9)
    await health.read()
    expect(state.checks).toBe(1)
    pass(0.2)
    await health.read()
    expect(state.checks).toBe(2)
  })

  it('checks again if the clock was set back', async () => {
    const { state, health, pass } = watched()
    await health.read()
    pass(-3_600)
    await health.read()
    expect(state.checks).toBe(2)
  })

  it('begins no second check while one hangs, and says that the provider does not answer', async () => {
    const { state, health, pass } = watched()
    state.hangs = true
    expect((await health.read()).fault).toMatchObject({
      reason: 'timeout',
      message: expect.stringContaining('in time'),
    })
    pass(60)
    await health.read()
    expect(state.checks).toBe(1)
  })

  it('keeps the time of the first failure until a call succeeds', async () => {
    const { state, health, pass, reason } = watched()
    state.error = new ProviderUnavailable('hsm.example does not answer.')
    const first = (await health.read()).fault
    pass(60)
    const second = (await health.read()).fault
    expect([second?.since, second?.message]).toEqual([first?.since, 'hsm.example does not answer.'])
    health.ended('sign', 'ok', undefined)
    expect(await reason()).toBeNull()
  })

  it('learns from failed calls at once, but not from refused keys, full queues and wrong signatures', async () => {
    const { health, reason } = watched()
    expect(await reason()).toBeNull()
    for (const outcome of ['refused', 'busy', 'invalid-signature'] as const) {
      health.ended('sign', outcome, new ProviderRefusal('There is no such key.'))
      expect(await reason()).toBeNull()
    }
    for (const outcome of ['unavailable', 'timeout', 'failed'] as const) {
      health.ended('sign', outcome, new Error('x'))
      expect(await reason()).toBe(outcome)
      health.ended('sign', 'ok', undefined)
    }
    health.ended('check', 'busy', new Error('x'))
    expect(await reason()).toBe('unavailable')
  })

  it('shows no message of an unknown error, because it may hold a secret', async () => {
    const { health } = watched()
    await health.read()
    health.ended('sign', 'failed', new Error('PIN 1234 was wrong'))
    expect((await health.read()).fault?.message).toBe('Key provider hsm failed for an unknown reason.')
    health.ended('sign', 'ok', undefined)
    health.ended('check', 'refused', new ProviderRefusal('x'.repeat(10_000)))
    expect((await health.read()).fault?.message.length).toBe(500)
  })
})
