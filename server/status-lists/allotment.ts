import { LruMap } from '../protocol/jose/lru-map.js'
import { STATUS_LIST_SIZE } from '../protocol/status-list/bits.js'
import { permuteIndex } from '../protocol/status-list/permutation.js'
import type { IndexRange, StatusListStore } from './store.js'

/** Entries that a process reserves at once: most credentials need no statement for theirs; a restart loses fewer than these. */
const BLOCK = 32
/** Keys whose blocks are kept; the unused rest of an evicted block is never allotted. */
const MAX_BLOCKS = 10_000

export interface StatusIndex {
  readonly listId: string
  readonly index: number
}

/** Indices that were taken for credentials that are not on record yet. */
export interface TakenIndices {
  readonly indices: readonly StatusIndex[]
  /**
   * Releases the indices of a refused request for reuse. Not for a request whose outcome is unknown: its credential may be
   * on record under its index. A second call does nothing.
   */
  giveBack(): void
}

export interface StatusIndexAllotment {
  /** Unique, unpredictable indices in lists of an issuer's key. */
  allot(issuerId: string, keyId: string, count: number): Promise<TakenIndices>
}

interface Block {
  readonly range: IndexRange
  next: number
  /** What refused requests gave back, never more than were ever taken at the same moment. */
  readonly returned: StatusIndex[]
}

/** @param permutationKey the key of a list's permutation (Token Status List §13.2: indices must not tell an order). */
export function createAllotment(
  store: StatusListStore,
  newId: () => string,
  permutationKey: (listId: string) => Uint8Array,
): StatusIndexAllotment {
  const blocks = new LruMap<string, Block>(MAX_BLOCKS)
  const pending = new Map<string, Promise<void>>()

  const refill = async (issuerId: string, keyId: string): Promise<void> => {
    const range =
      (await store.reserve(keyId, BLOCK)) ?? (await store.open(newId(), keyId, issuerId, STATUS_LIST_SIZE, BLOCK))
    blocks.set(keyId, { range, next: range.from, returned: blocks.get(keyId)?.returned ?? [] })
  }

  /** Requests that find the block empty wait for one refill together. */
  const refillOnce = (issuerId: string, keyId: string): Promise<void> => {
    const running = pending.get(keyId)
    if (running !== undefined) return running
    const started = refill(issuerId, keyId).finally(() => pending.delete(keyId))
    pending.set(keyId, started)
    return started
  }

  const take = (keyId: string): StatusIndex | undefined => {
    const block = blocks.get(keyId)
    const returned = block?.returned.pop()
    if (returned !== undefined) return returned
    if (block === undefined || block.next >= block.range.to) return undefined
    const count = block.next
    block.next += 1
    const { listId, size } = block.range
    return { listId, index: permuteIndex(permutationKey(listId), count, size) }
  }

  return {
    async allot(issuerId, keyId, count) {
      const indices: StatusIndex[] = []
      while (indices.length < count) {
        const index = take(keyId)
        if (index === undefined) await refillOnce(issuerId, keyId)
        else indices.push(index)
      }
      return { indices, giveBack: () => blocks.get(keyId)?.returned.push(...indices.splice(0)) }
    },
  }
}
