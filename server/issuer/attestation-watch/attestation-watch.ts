import type { Log } from '../../log/log.js'
import type { MaintenanceTask, TaskDone } from '../../maintenance/task.js'
import type { CredentialStore } from '../credentials/store.js'
import type { ReadAttestationList } from '../openid4vci/attestation-status.js'
import type { AttestationWatchStore, DueList } from './store.js'

/** Lists that one batch reads, and the requests of a batch that run at the same time. */
const LISTS_AT_ONCE = 4
/** Time after which another process reads a list again if the outcome is missing, for example after a crash. */
const LEASE_SECONDS = 600
/** Time after which a list that cannot be read is tried again. */
const RETRY_SECONDS = 60 * 60
/** Indices that are compared with a list at a time. */
const INDICES_AT_ONCE = 10_000
const EVERY_MS = 60_000

/** Token Status List §7.1. */
const INVALID = 1

const NOTHING: TaskDone = { count: 0, more: false, lateSeconds: 0 }

const secondsSince = (then: Date, now: Date): number => Math.max(0, (now.getTime() - then.getTime()) / 1000)

/** Dependencies of {@link createAttestationWatch}. */
export interface AttestationWatchPorts {
  readonly store: AttestationWatchStore
  /** Reads a list with the checks of the issuance. */
  readonly readList: ReadAttestationList
  readonly changeStatus: CredentialStore['changeStatus']
  readonly log: Pick<Log, 'warn' | 'info'>
}

export type AttestationWatch = ReturnType<typeof createAttestationWatch>

/**
 * Looks at wallet attestations and key attestations again after the issuance, for schemas with `watchAttestations` (TS3 v1.5
 * §2.4.3). Each list is read once in 24 hours. A revoked attestation revokes its credentials. A suspended attestation changes
 * nothing. A list that cannot be read is reported, and revokes nothing.
 */
export function createAttestationWatch({ store, readList, changeStatus, log }: AttestationWatchPorts) {
  /** Marks the revoked attestations of a list. @returns a sentence about an index that the list does not have */
  const compare = async (list: DueList, statusOf: Awaited<ReturnType<ReadAttestationList>>, now: Date) => {
    let missing: string | undefined
    for (let after = -1, more = true; more; ) {
      const indices = await store.indices(list.id, after, INDICES_AT_ONCE, now)
      const invalid = indices.filter((idx) => statusOf(idx) === INVALID)
      const outside = indices.find((idx) => statusOf(idx) === undefined)
      if (outside !== undefined) missing ??= 'The status list ends before the index of an attestation.'
      await store.markInvalid(list.id, invalid, now)
      after = indices.at(-1) ?? after
      more = indices.length >= INDICES_AT_ONCE
    }
    return missing
  }

  const look = async (list: DueList, fetched: Map<string, Promise<string>>, now: Date): Promise<void> => {
    if (!list.isWatched) return store.storeIdle(list.id, now)
    const statusOf = await readList({ uri: list.uri, jwk: list.jwk, iss: list.iss }, fetched, now)
    const missing = await compare(list, statusOf, now)
    if (missing !== undefined) throw new Error(missing)
    await store.storeRead(list.id, now)
    if (list.failedAt !== null) log.info({ list: list.uri }, 'a status list of attestations can be read again')
  }

  const readLists = async (now: Date): Promise<TaskDone> => {
    const lists = await store.takeDue(now, LISTS_AT_ONCE, LEASE_SECONDS)
    if (lists.length === 0) return NOTHING
    const fetched = new Map<string, Promise<string>>()
    await Promise.all(
      lists.map((list) =>
        look(list, fetched, now).catch(async (error: unknown) => {
          const failure = error instanceof Error ? error.message : 'The status list cannot be read.'
          log.warn({ list: list.uri, err: error }, 'a status list of attestations cannot be read')
          await store.storeFailure(list.id, failure, now, RETRY_SECONDS)
        }),
      ),
    )
    const first = lists.reduce((least, { at }) => (at < least ? at : least), now)
    return { count: lists.length, more: lists.length >= LISTS_AT_ONCE, lateSeconds: secondsSince(first, now) }
  }

  /**
   * Revokes credentials of revoked attestations. If two processes revoke a credential at the same time, only the first call
   * changes it.
   */
  const revoke = async (now: Date, limit: number): Promise<TaskDone> => {
    let oldest = now
    const ids = await store.toRevoke(limit)
    for (const id of ids) {
      await changeStatus({ id, change: 'revoke', reason: 'keyCompromise', note: undefined, actor: null, now })
      const { first } = await store.settle(id, now)
      if (first !== undefined && first < oldest) oldest = first
    }
    return { count: ids.length, more: ids.length > 0, lateSeconds: secondsSince(oldest, now) }
  }

  const tasks: readonly MaintenanceTask[] = [
    { name: 'read attestation lists', everyMs: EVERY_MS, elsewhere: true, run: readLists },
    { name: 'revoke after attestations', everyMs: EVERY_MS, run: revoke },
  ]

  return { tasks }
}
