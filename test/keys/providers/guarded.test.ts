import { createPrivateKey } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { guardProvider } from '../../../server/keys/providers/guarded.js'
import { type KeyProvider, ProviderRefusal, ProviderUnavailable } from '../../../server/keys/providers/provider.js'
import { generateKeyPair } from '../../../server/protocol/jose/jws.js'
import { signatureOver } from '../../../server/protocol/jose/signature.js'

const data = Buffer.from('data')
const { privateJwk, publicJwk } = await generateKeyPair('ES256')
const key = { reference: 'k', publicJwk, alg: 'ES256' } as const
const signed = () => signatureOver('ES256', createPrivateKey({ key: privateJwk, format: 'jwk' }), data)

/** An adapter that does what a test needs: no real provider is broken on demand. */
function guardOf(adapter: Partial<KeyProvider>, limits = {}, open?: () => Promise<KeyProvider>) {
  const outcomes: string[] = []
  const whole: KeyProvider = {
    algorithms: ['ES256'],
    generate: async () => key,
    find: async () => key,
    sign: async () => signed(),
    check: async () => {},
    close: async () => {},
    ...adapter,
  }
  const guard = guardProvider({
    name: 'test',
    open: open ?? (async () => whole),
    limits: { concurrency: 2, queue: 1, timeoutMs: 2_000, ...limits },
    onCall: (_provider, operation, outcome) => outcomes.push(`${operation} ${outcome}`),
  })
  return { guard, outcomes }
}

const UNAVAILABLE = { status: 503, message: 'Signing is not available at the moment.', retryAfter: 5 }

describe('a key provider', () => {
  it('hands out a signature that fits the public key', async () => {
    const { guard, outcomes } = guardOf({})
    expect(await guard.sign(key, data)).toHaveLength(64)
    expect(outcomes).toEqual(['sign ok'])
  })

  it('cannot make the service send a signature that does not fit the public key', async () => {
    const other = await generateKeyPair('ES256')
    const foreign = createPrivateKey({ key: other.privateJwk, format: 'jwk' })
    const { guard, outcomes } = guardOf({ sign: async () => signatureOver('ES256', foreign, data) })
    await expect(guard.sign(key, data)).rejects.toMatchObject(UNAVAILABLE)
    expect(outcomes).toEqual(['sign invalid-signature'])
  })

  it('is asked once more for a signature if it was away, and never for a second key', async () => {
    let calls = 0
    const away = async () => {
      calls += 1
      if (calls === 1) throw new ProviderUnavailable('away')
      return signed()
    }
    expect(await guardOf({ sign: away }).guard.sign(key, data)).toHaveLength(64)
    expect(calls).toBe(2)
    let made = 0
    const generate = async () => {
      made += 1
      throw new ProviderUnavailable('away')
    }
    await expect(guardOf({ generate }).guard.generate('label', 'ES256')).rejects.toMatchObject(UNAVAILABLE)
    expect(made).toBe(1)
  })

  it('is not asked again after a refusal', async () => {
    let calls = 0
    const sign = async () => {
      calls += 1
      throw new ProviderRefusal('no')
    }
    await expect(guardOf({ sign }).guard.sign(key, data)).rejects.toMatchObject(UNAVAILABLE)
    expect(calls).toBe(1)
  })

  it('whose kind cannot wrap is refused by name, and wraps once more only if it was away', async () => {
    const { guard } = guardOf({})
    for (const call of [guard.wrap('k', data, 'place'), guard.unwrap('k', 'wrapped', 'place')])
      await expect(call).rejects.toThrow('the kind of the key provider test cannot wrap keys.')
    let calls = 0
    const unwrap = async () => {
      calls += 1
      if (calls === 1) throw new ProviderUnavailable('away')
      return data
    }
    const away = guardOf({ unwrap })
    expect(await away.guard.unwrap('k', 'wrapped', 'place')).toBe(data)
    expect([calls, away.outcomes]).toEqual([2, ['unwrap ok']])
    const no = guardOf({
      unwrap: async () => {
        calls += 1
        throw new ProviderRefusal('altered')
      },
    })
    await expect(no.guard.unwrap('k', 'wrapped', 'place')).rejects.toThrow('altered')
    expect([calls, no.outcomes]).toEqual([3, ['unwrap refused']])
  })

  it('whose credentials are wrong is opened once, so that it is not locked', async () => {
    let opened = 0
    const { guard } = guardOf({}, {}, async () => {
      opened += 1
      throw new ProviderRefusal('the PIN is wrong.')
    })
    for (let tried = 0; tried < 3; tried += 1) await expect(guard.check()).rejects.toThrow('the PIN is wrong.')
    expect(opened).toBe(1)
  })

  it('that hangs delays nobody longer than its time limit, and its queue is bounded', async () => {
    const hanging: (() => void)[] = []
    const sign = () => new Promise<Uint8Array>((resolve) => hanging.push(() => resolve(signed())))
    const { guard, outcomes } = guardOf({ sign }, { timeoutMs: 1_000 })
    const started = performance.now()
    const calls = Array.from({ length: 4 }, () => guard.sign(key, data).catch((error: unknown) => error))
    expect(await Promise.all(calls)).toMatchObject([UNAVAILABLE, UNAVAILABLE, UNAVAILABLE, UNAVAILABLE])
    expect(performance.now() - started).toBeLessThan(20_000)
    // Two hang, one waits, and one finds the queue full.
    expect(outcomes.sort()).toEqual(['sign busy', 'sign timeout', 'sign timeout', 'sign timeout'])
    // The hanging calls keep their places until they end.
    expect(hanging).toHaveLength(2)
    for (const end of hanging) end()
    await new Promise(setImmediate)
    const next = guard.sign(key, data)
    await new Promise(setImmediate)
    hanging.at(-1)?.()
    expect(await next).toHaveLength(64)
  })
})
