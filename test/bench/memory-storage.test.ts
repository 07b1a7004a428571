import { expect, it, vi } from 'vitest'
import { MemoryStorage } from '../../bench/peers/credo/memory-storage.mjs'

class RecordDuplicateError extends Error {}
class RecordNotFoundError extends Error {}

class Session {
  static readonly type = 'Session'
  readonly type = Session.type
  updatedAt: Date | undefined
  constructor(
    readonly id: string,
    public tags: Readonly<Record<string, unknown>>,
  ) {}
  getTags() {
    return this.tags
  }
}

async function filled(count: number) {
  const storage = new MemoryStorage({ RecordDuplicateError, RecordNotFoundError })
  for (let n = 0; n < count; n += 1) {
    await storage.save(
      {},
      new Session(`s${n}`, { verifierId: 'bench', requestId: `r${n}`, odd: n % 2 === 1, keys: [`k${n}`, 'k'] }),
    )
  }
  const found = async (query: object, options?: object) =>
    (await storage.findByQuery({}, Session, query, options)).map(({ id }: Session) => id)
  return { storage, found }
}

it.each([
  [{ verifierId: 'bench', requestId: 'r3' }, ['s3']],
  [{ requestId: 'r3', verifierId: 'another' }, []],
  [{ verifierId: 'bench', state: undefined, odd: true }, ['s1', 's3', 's5']],
  [{ keys: ['k', 'k2'] }, ['s2']],
  [{ verifierId: 'bench', $or: [{ requestId: 'r1' }, { requestId: 'r4' }, { requestId: 'r1' }] }, ['s1', 's4']],
  [{ $and: [{ odd: true }, { keys: ['k5'] }] }, ['s5']],
  [{ $not: { odd: true } }, ['s0', 's2', 's4']],
  [{ odd: false, $not: { requestId: 'r0' } }, ['s2', 's4']],
  [{}, ['s0', 's1', 's2', 's3', 's4', 's5']],
])('records of the peer in memory are found by %j', async (query, ids) => {
  const { found } = await filled(6)
  expect(await found(query)).toEqual(ids)
})

it('a page of records is found by their current values, not by former values', async () => {
  const { storage, found } = await filled(6)
  expect(await found({ verifierId: 'bench' }, { offset: 1, limit: 2 })).toEqual(['s1', 's2'])
  const session = await storage.getById({}, Session, 's2')
  session.tags = { requestId: 'another' }
  await storage.update({}, session)
  expect(await found({ requestId: 'r2' })).toEqual([])
  expect(await found({ requestId: 'another' })).toEqual(['s2'])
  await storage.delete({}, session)
  expect(await found({ requestId: 'another' })).toEqual([])
})

it('the errors of the peer distinguish existing from missing records', async () => {
  const { storage } = await filled(1)
  await expect(storage.save({}, new Session('s0', {}))).rejects.toThrow(RecordDuplicateError)
  await expect(storage.getById({}, Session, 's1')).rejects.toThrow(RecordNotFoundError)
})

it('a query reads no more records than its rarest tag has, in any order of tags', async () => {
  const { found } = await filled(200)
  const has = vi.spyOn(Set.prototype, 'has')
  try {
    for (const query of [
      { verifierId: 'bench', requestId: 'r7' },
      { requestId: 'r7', verifierId: 'bench' },
      { verifierId: 'bench', $or: [{ requestId: 'r7' }] },
    ]) {
      has.mockClear()
      const ids = await found(query)
      const looked = has.mock.calls.length
      expect(ids).toEqual(['s7'])
      expect(looked).toBeGreaterThan(0)
      // A query must search only a few sets, whatever the number of records is.
      expect(looked).toBeLessThan(10)
    }
  } finally {
    has.mockRestore()
  }
})
