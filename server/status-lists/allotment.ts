import { LruMap } from '../protocol/jose/lru-map.js'
import { permuteIndex } from '../protocol/status-list/permutation.js'
import type { EntryBits, IndexRange, StatusListStore } from './store.js'

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

/** The lists from which indices are taken: lists of an issuer's key with this number of bits for each entry. */
export interface AllottedFrom {
  readonly issuerId: string
  readonly keyId: string
  readonly bits: EntryBits
}

/** The lists for the credentials of a type. */
export const listsFor = ({
  issuerId,
  keyId,
  suspendable,
}: Pick<AllottedFrom, 'issuerId' | 'keyId'> & { readonly suspendable: boolean }): AllottedFrom => ({
  issuerId,
  keyId,
  bits: suspendable ? 2 : 1,
})

/** Allots unique, unpredictable indices. */
export type Allot = (from: AllottedFrom, count: number) => Promise<TakenIndices>

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

  const nameOf = ({ keyId, bits }: AllottedFrom): string => `${keyId} ${bits}`

  const refill = async (from: AllottedFrom): Promise<void> => {
    const name = nameOf(from)
    const count = nextCount(blocks.get(name), performance.now())
    // If even the largest blocks are used up soon, the process may open an additional list. Then it need not wait for a
    // list that a different process has locked.
    const mostOpen = count === LARGEST_BLOCK ? MOST_OPEN : 1
    const range = await store.reserve({ ...from, count, mostOpen }, newId())
    const returned = blocks.get(name)?.returned ?? []
    blocks.set(name, { range, asked: count, reservedAt: performance.now(), next: range.from, returned })
  }

  /** All requests that find the block empty wait for one common reservation. */
  const refillOnce = (from: AllottedFrom): Promise<void> => {
    const name = nameOf(from)
    const running = pending.get(name)
    if (running !== undefined) return running
    const started = refill(from).finally(() => pending.delete(name))
    pending.set(name, started)
    return started
  }

  const take = (name: string): StatusIndex | undefined => {
    const block = blocks.get(name)
    const returned = block?.returned.pop()
    if (returned !== undefined) return returned
    if (block === undefined || block.next >= block.range.to) return undefined
    const count = block.next
    block.next += 1
    const { listId, size } = block.range
    return { listId, index: permuteIndex(permutationKey(listId), count, size) }
  }

  return async (from, count) => {
    const name = nameOf(from)
    const indices: StatusIndex[] = []
    while (indices.length < count) {
      const index = take(name)
      if (index === undefined) await refillOnce(from)
      else indices.push(index)
    }
    return { indices, giveBack: () => blocks.get(name)?.returned.push(...indices.splice(0)) }
  }
}
