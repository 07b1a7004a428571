import { LruMap } from '../protocol/jose/lru-map.js'
import { permuteIndex } from '../protocol/status-list/permutation.js'
import type { IndexRange, StatusListStore } from './store.js'

/**
 * The number of entries that a process reserves in one statement. So most credentials need no statement for their
 * entry. After a restart, the rest of a reserved block is never used.
 */
const BLOCK = 32
/** The highest number of entries in one reservation, for high load. It is less than a hundredth of a list. */
const LARGEST_BLOCK = 1_024
/** If a block is used up within this time (milliseconds), the next block is twice as large. */
const SOON_MS = 100
/** If a block lasts longer than this time (milliseconds), the next block is half as large. */
const LONG_MS = 1_000
/**
 * The highest number of lists of a key that have room at the same time. Several lists are needed only under high load.
 * Few lists are better: holders are easier to identify in a list with few credentials, and verifiers must fetch each
 * list.
 */
const MOST_OPEN = 8
/** The highest number of keys whose blocks are in memory. The unused rest of an evicted block is never allotted. */
const MAX_BLOCKS = 10_000

export interface StatusIndex {
  readonly listId: string
  readonly index: number
}

/** Indices that were taken for credentials that are not stored yet. */
export interface TakenIndices {
  readonly indices: readonly StatusIndex[]
  /**
   * Makes the indices of a refused request available again. It must not be called if the outcome of the request is
   * unknown, because a credential with the index may have been stored. A second call does nothing.
   */
  giveBack(): void
}

/** Allots unique, unpredictable indices in lists of an issuer's key. */
export type Allot = (issuerId: string, keyId: string, count: number) => Promise<TakenIndices>

export interface StatusIndexAllotment {
  readonly allot: Allot
}

interface Block {
  readonly range: IndexRange
  /** The number of entries that were requested. */
  readonly asked: number
  /** The time of the reservation, from `performance.now()`, in milliseconds. */
  readonly reservedAt: number
  next: number
  /**
   * Indices that refused requests have released. Their number is never larger than the number of indices that were in
   * use at the same time.
   */
  readonly returned: StatusIndex[]
}

/** Returns the number of entries to reserve after a block. */
function nextCount(block: Block | undefined, now: number): number {
  if (block === undefined) return BLOCK
  const lastedMs = now - block.reservedAt
  if (lastedMs < SOON_MS) return Math.min(block.asked * 2, LARGEST_BLOCK)
  return lastedMs > LONG_MS ? Math.max(block.asked / 2, BLOCK) : block.asked
}

/**
 * Makes the function that allots indices.
 *
 * @param permutationKey returns the key of a list's permutation (Token Status List §13.2: indices must not reveal an
 * order).
 */
export function createAllotment(
  store: Pick<StatusListStore, 'reserve'>,
  newId: () => string,
  permutationKey: (listId: string) => Uint8Array,
): Allot {
  const blocks = new LruMap<string, Block>(MAX_BLOCKS)
  const pending = new Map<string, Promise<void>>()

  const refill = async (issuerId: string, keyId: string): Promise<void> => {
    const count = nextCount(blocks.get(keyId), performance.now())
    // If even the largest blocks are used up soon, the process may open an additional list. Then it need not wait for a
    // list that a different process has locked.
    const mostOpen = count === LARGEST_BLOCK ? MOST_OPEN : 1
    const range = await store.reserve({ keyId, issuerId, count, mostOpen }, newId())
    const returned = blocks.get(keyId)?.returned ?? []
    blocks.set(keyId, { range, asked: count, reservedAt: performance.now(), next: range.from, returned })
  }

  /** All requests that find the block empty wait for one common reservation. */
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

  return async (issuerId, keyId, count) => {
    const indices: StatusIndex[] = []
    while (indices.length < count) {
      const index = take(keyId)
      if (index === undefined) await refillOnce(issuerId, keyId)
      else indices.push(index)
    }
    return { indices, giveBack: () => blocks.get(keyId)?.returned.push(...indices.splice(0)) }
  }
}
