import { describe, expect, it } from 'vitest'
import { createReadResult, type ResultReader, responseCodeHash } from '../../../server/verifier/sessions/result.js'
import type { StoredResult } from '../../../server/verifier/sessions/store.js'

const ENDED = new Date('2026-01-01T12:00:00Z')
const CODE = 'the-code-of-the-redirect'

const VERIFIED: StoredResult = {
  state: 'ResponseVerified',
  errorMessage: null,
  createdBy: 'alice',
  requireResponseCode: false,
  endedAt: ENDED,
  result: [{ claims: { product: 'Espresso machine' } }],
  discarded: null,
  claimsErasedAt: null,
  responseCodeHash: responseCodeHash(CODE),
  responseCodeUsedAt: null,
}

const reader = (sub: string | null, isAll: boolean, onlyLooks = false): ResultReader => ({
  reach: { sub, isAll },
  onlyLooks,
})
const CLIENT = reader(null, true)
const user = (sub: string) => reader(sub, false)

/** Makes the function that reads a session's result. `used` records the uses of the code. Only the first use counts. */
function reading(stored: Partial<StoredResult> | undefined, { now = ENDED } = {}) {
  const used: Date[] = []
  const read = createReadResult({
    store: {
      result: async () => (stored === undefined ? undefined : { ...VERIFIED, ...stored }),
      useResponseCode: async (_, at) => used.push(at) === 1,
    },
    clock: () => now,
    config: { sessionResultTtlSeconds: 60 },
  })
  return { used, read: (by: ResultReader, code?: string) => read(by, 'session', code) }
}

describe('callers who may read the result of a session', () => {
  it.each([
    ['the client secret', CLIENT],
    ['its creator', user('alice')],
    ['an operator', reader('boss', true)],
  ])('%s may', async (_, by) => {
    expect((await reading({}).read(by)).credentials).toEqual(VERIFIED.result)
  })

  it('another caller may not, in any state', async () => {
    for (const stored of [{}, { endedAt: null }, { state: 'Error' as const }])
      await expect(reading(stored).read(user('bob'), CODE)).rejects.toMatchObject({ status: 403 })
  })

  it('no ordinary caller may, if the client secret made the session', async () => {
    await expect(reading({ createdBy: null }).read(user('alice'))).rejects.toMatchObject({ status: 403 })
  })
})

describe('the code of the redirect', () => {
  it('is valid once', async () => {
    const { read, used } = reading({ requireResponseCode: true })
    await read(CLIENT, CODE)
    await expect(read(CLIENT, CODE)).rejects.toMatchObject({ status: 403 })
    expect(used[0]).toBe(ENDED)
  })

  it.each([
    ['a wrong one', {}, 'another'],
    ['an empty one', {}, ''],
    ['missing if the session needs it', { requireResponseCode: true }, undefined],
    ['one that was used', { responseCodeUsedAt: ENDED }, CODE],
    ['sent if the session has none', { responseCodeHash: null }, CODE],
  ])('must not be %s, and such a code uses up nothing', async (_, stored, code) => {
    const { read, used } = reading(stored)
    await expect(read(CLIENT, code)).rejects.toThrow('response_code does not match.')
    expect(used).toEqual([])
  })

  it('stays valid after a read without the code', async () => {
    const { read, used } = reading({ requireResponseCode: true })
    await read(reader(null, true, true), CODE)
    expect(used).toEqual([])
    await read(CLIENT, CODE)
  })

  it('is checked before the message of a session in Error is shown', async () => {
    const failed = {
      state: 'Error' as const,
      errorMessage: 'Wallet answered access_denied.',
      requireResponseCode: true,
    }
    await expect(reading(failed).read(CLIENT)).rejects.toMatchObject({ status: 403 })
    await expect(reading(failed).read(CLIENT, CODE)).rejects.toThrow(failed.errorMessage)
  })
})

describe('a result', () => {
  it('does not exist before the session has ended, or without a session', async () => {
    await expect(reading({ endedAt: null }).read(CLIENT)).rejects.toMatchObject({ status: 409 })
    await expect(reading(undefined).read(CLIENT)).rejects.toThrow('Verification session not found.')
  })

  it('is no longer available at the second read, or after an earlier deletion', async () => {
    const endedBefore = (ms: number) => reading({}, { now: new Date(ENDED.getTime() + ms) })
    expect((await endedBefore(59_999).read(CLIENT)).verifiedAt).toBe('2026-01-01T12:00:00.000Z')
    await expect(endedBefore(60_000).read(CLIENT)).rejects.toMatchObject({ status: 410 })
    await expect(reading({ result: null }).read(CLIENT)).rejects.toMatchObject({ status: 410 })
  })
})
