import { LruMap } from '../protocol/jose/lru-map.js'
import { permuteIndex } from '../protocol/status-list/permutation.js'
import type { IndexRange, StatusListStore } from './store.js'

/** Entries that a process reserves at once: most credentials need no statement for theirs; a restart loses fewer than these. */
const BLOCK = 32
/** As many, where it would have to come back at once otherwise: less than a hundredth of a list. */
const LARGEST_BLOCK = 1_024
/** A block that is used up sooner is followed by one of twice its size; in milliseconds. */
const SOON_MS = 100
/** A block that lasts longer is followed by one of half its size; in milliseconds. */
const LONG_MS = 1_000
/**
 * Lists of a key that may have room at the same time, where load demands it: credentials of a list that few share are told
 * apart by it, and every list is one more to fetch.
 */
const MOST_OPEN = 8
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

/** Allots unique, unpredictable indices in lists of an issuer's key. */
export type Allot = (issuerId: string, keyId: string, count: number) => Promise<TakenIndices>

export interface StatusIndexAllotment {
  readonly allot: Allot
}

interface Block {
  readonly range: IndexRange
  /** How many entries were asked for. */
  readonly asked: number
  /** By `performance.now()`. */
  readonly reservedAt: number
  next: number
  /** What refused requests gave back, never more than were ever taken at the same moment. */
  readonly returned: StatusIndex[]
}

/** How many entries to ask for after a block. */
function nextCount(block: Block | undefined, now: number): number {
  if (block === undefined) return BLOCK
  const lastedMs = now - block.reservedAt
  if (lastedMs < SOON_MS) return Math.min(block.asked * 2, LARGEST_BLOCK)
  return lastedMs > LONG_MS ? Math.max(block.asked / 2, BLOCK) : block.asked
}

/** @param permutationKey the key of a list's permutation (Token Status List §13.2: indices must not tell an order). */
export function createAllotment(
  store: Pick<StatusListStore, 'reserve'>,
  newId: () => string,
  permutationKey: (listId: string) => Uint8Array,
): Allot {
  const blocks = new LruMap<string, Block>(MAX_BLOCKS)
  const pending = new Map<string, Promise<void>>()

  const refill = async (issuerId: string, keyId: string): Promise<void> => {
    const count = nextCount(blocks.get(keyId), performance.now())
    // Whoever still comes back soon with the largest blocks may open a further list rather than wait for one.
    const mostOpen = count === LARGEST_BLOCK ? MOST_OPEN : 1
    const range = await store.reserve({ keyId, issuerId, count, mostOpen }, newId())
    const returned = blocks.get(keyId)?.returned ?? []
    blocks.set(keyId, { range, asked: count, reservedAt: performance.now(), next: range.from, returned })
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
