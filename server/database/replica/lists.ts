import { TooSlowError } from '../errors.js'
import type { Standby, Standing } from './standby.js'
import type { RecentWriters } from './writers.js'

/** Reads a list. The read receives the stores of the replica or of the primary. */
export type ReadList<Stores> = <T>(read: (stores: Stores) => Promise<T>) => Promise<T>

/**
 * The database that a list was read from: the `replica`, or the primary. The values for the primary are reasons: the
 * caller `wrote`, or the replica is `behind` or `away`, or has `failed` at this list.
 */
export type ListSource = Standing | 'wrote' | 'failed'

/** Reads lists on which no decision depends. If there is a usable replica, the lists come from the replica. */
export interface Lists<Stores> {
  /** @param callers all names under which the caller may have made changes; empty for a stranger. */
  readerFor(callers: readonly string[]): Promise<ReadList<Stores>>
  /** Makes a change that lists show. For the next 10 seconds, every process reads the caller's lists from the primary. */
  changing<T>(callers: readonly string[], change: () => Promise<T>): Promise<T>
}

/** Lists without a replica: no standing is checked and no change is noted. */
export const primaryLists = <Stores>(stores: Stores): Lists<Stores> => ({
  readerFor: async () => (read) => read(stores),
  changing: (_, change) => change(),
})

export interface ReplicaLists<Stores> {
  readonly primary: Stores
  readonly replica: Stores
  readonly standby: Standby
  /** Whether a caller changed something recently. */
  readonly wrote: (caller: string) => Promise<true | undefined>
  readonly changing: RecentWriters['changing']
  /** Called for each list that is read. */
  readonly onRead: (source: ListSource) => void
}

export function replicaLists<Stores>({
  primary,
  replica,
  standby,
  wrote,
  changing,
  onRead,
}: ReplicaLists<Stores>): Lists<Stores> {
  const sourceFor = async (callers: readonly string[]): Promise<ListSource> => {
    const standing = await standby.standing()
    if (standing !== 'replica') return standing
    return (await Promise.all(callers.map(wrote))).includes(true) ? 'wrote' : 'replica'
  }

  return {
    async readerFor(callers) {
      const source = await sourceFor(callers)
      return async (read) => {
        if (source === 'replica') {
          try {
            const list = await read(replica)
            onRead('replica')
            return list
          } catch (error) {
            // The primary would need the same time.
            if (error instanceof TooSlowError) throw error
            standby.failed(error)
          }
        }
        onRead(source === 'replica' ? 'failed' : source)
        return read(primary)
      }
    },
    changing,
  }
}
