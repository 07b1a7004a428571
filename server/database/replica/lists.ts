import { TooSlowError } from '../errors.js'
import type { Standby, Standing } from './standby.js'

/** Reads a list. `read` receives the stores of the replica or of the primary. */
export type ReadList<Stores> = <T>(read: (stores: Stores) => Promise<T>) => Promise<T>

/**
 * The database from which a list was read. `replica` is the replica. All other values mean the primary and say why: the
 * caller made a change (`wrote`), or the replica is `behind` or `away`, or the replica `failed` to answer for this
 * list.
 */
export type ListSource = Standing | 'wrote' | 'failed'

/**
 * Reads lists that are only shown, so that slightly old data do no harm. If there is a usable replica, the lists come
 * from the replica.
 */
export interface Lists<Stores> {
  /** @param callers the ids under which the caller may have made changes; empty for a stranger. */
  readerFor(callers: readonly string[]): Promise<ReadList<Stores>>
}

/** The lists of a service without a replica. All lists come from the primary. */
export const primaryLists = <Stores>(stores: Stores): Lists<Stores> => ({
  readerFor: async () => (read) => read(stores),
})

export interface ReplicaLists<Stores> {
  readonly primary: Stores
  readonly replica: Stores
  readonly standby: Standby
  /** Whether a caller changed something recently. */
  readonly wrote: (caller: string) => Promise<true | undefined>
  /** Called for each list that is read. */
  readonly onRead: (source: ListSource) => void
}

export function replicaLists<Stores>({
  primary,
  replica,
  standby,
  wrote,
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
            // The statement would take as long on the primary.
            if (error instanceof TooSlowError) throw error
            standby.failed(error)
          }
        }
        onRead(source === 'replica' ? 'failed' : source)
        return read(primary)
      }
    },
  }
}
