import { TooSlowError } from '../errors.js'
import type { Standby, Standing } from './standby.js'
import type { RecentWriters } from './writers.js'

/** Reads a list; of a replica's stores and the primary's it is given the right ones. */
export type ReadList<Stores> = <T>(read: (stores: Stores) => Promise<T>) => Promise<T>

/**
 * Where a list was read, and why there: `replica`; or the primary, since its caller `wrote`, or the replica is `behind` or
 * `away`, or has `failed` at this list.
 */
export type ListSource = Standing | 'wrote' | 'failed'

/** Where lists are read that decide nothing: from the replica, where there is one and it may be used. */
export interface Lists<Stores> {
  /** @param callers the names under which who asks would have changed something; none for a stranger. */
  readerFor(callers: readonly string[]): Promise<ReadList<Stores>>
  /** Does a change that lists show: its caller's are then read from the primary for 10 seconds, by every process. */
  changing<T>(callers: readonly string[], change: () => Promise<T>): Promise<T>
}

/** Without a replica: nothing is asked, nothing is noted. */
export const primaryLists = <Stores>(stores: Stores): Lists<Stores> => ({
  readerFor: async () => (read) => read(stores),
  changing: (_, change) => change(),
})

export interface ReplicaLists<Stores> {
  readonly primary: Stores
  readonly replica: Stores
  readonly standby: Standby
  /** Whether a caller changed something lately. */
  readonly wrote: (caller: string) => Promise<true | undefined>
  readonly changing: RecentWriters['changing']
  /** Told of each list that is read. */
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
            // The primary would take as long.
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
