import { type Encryption, isOurs, pendingIn } from '../../keys/at-rest/encryption.js'
import type { AtRestStore, ColumnProgress } from '../../keys/at-rest/store.js'
import type { RefusedValue, Walk } from '../../keys/at-rest/walk.js'
import type { Log } from '../../log/log.js'
import type { SecretError } from '../../protocol/jose/sealed.js'
import type { MaintenanceTask, TaskDone } from '../task.js'

/** Maximum of refused values of a column that the log names; the rest are counted. */
const MAX_NAMED = 20
/** Rows of a batch. A larger batch reads progress less often. */
const ROWS = 500
const NOTHING: TaskDone = { count: 0, more: false, lateSeconds: 0 }

export interface EncryptionTaskPorts {
  readonly store: Pick<AtRestStore, 'moved' | 'beganAgain' | 'progress'>
  readonly encryption: Pick<Encryption, 'pending' | 'complete'>
  readonly walks: readonly Walk[]
  /** Key-encryption keys; the first one encrypts. The content of the list may change. */
  readonly keys: readonly Uint8Array[]
  readonly log: Pick<Log, 'info' | 'warn' | 'error'>
  /** Counts values for metrics. */
  readonly onValues: (column: string, outcome: 'encrypted' | 'refused', count: number) => void
  /** Notes the first refused value of a batch. */
  readonly onRefused: (refused: SecretError) => void
}

/**
 * The task that encrypts stored values under the current key-encryption key: values in the clear, values under a former key, and content
 * keys that a former key wraps.
 *
 * It walks each column in the order of ids. Its position is in the database, so a killed process loses at most one batch. A value is
 * replaced only if its row is the version that was read, so several processes and live requests may work on the same rows. When a
 * column is done, the root secret records it (`keys/at-rest/root.ts`), and a value in the clear is refused.
 */
export function encryptionTask(ports: EncryptionTaskPorts): MaintenanceTask {
  const { store, encryption, walks, keys, log, onValues, onRefused } = ports
  let working = false

  const noteRefused = (column: string, refused: readonly RefusedValue[], before: number) => {
    const [first] = refused
    if (first === undefined) return
    onRefused(first.error)
    onValues(column, 'refused', refused.length)
    for (const { name, error } of refused.slice(0, Math.max(0, MAX_NAMED - before))) {
      log.error({ value: name, reason: error.message }, 'a stored value is refused and stays as it is')
    }
  }

  const end = async (walk: Walk, { keyId, changed, refused }: ColumnProgress) => {
    if (await store.beganAgain(walk.name)) return
    await encryption.complete(walk.name, keyId)
    if (changed + refused > 0) log.info({ column: walk.name, values: changed, refused }, 'column encrypted')
    if (encryption.pending().length > 0) return
    working = false
    log.info('all stored values are encrypted')
  }

  const batch = async (walk: Walk, progress: ColumnProgress, take: number): Promise<TaskDone> => {
    const from = progress.position ?? ''
    const { position, seen, changed, refused } = await walk.batch(from, take)
    if (position === undefined) {
      await end(walk, progress)
      return { count: 0, more: true, lateSeconds: 0 }
    }
    await store.moved(progress, from, position, { seen, changed, refused: refused.length })
    onValues(walk.name, 'encrypted', changed)
    noteRefused(walk.name, refused, progress.refused)
    // Without progress, another transaction has the rows: the job tries again after the interval.
    return { count: changed, more: changed > 0 || position !== from, lateSeconds: 0 }
  }

  return {
    name: 'encrypt stored values',
    everyMs: 5_000,
    // Old values are in the clear until the task is done, so it uses more than half of the time.
    rest: 0.75,
    async run() {
      if (encryption.pending().length === 0) return NOTHING
      const pending = pendingIn(await store.progress())
      const [next] = pending
      const walk = walks.find(({ name }) => name === next?.column)
      if (next === undefined || walk === undefined || !isOurs(pending, keys)) return NOTHING
      if (!working) log.info({ columns: pending.map(({ column }) => column) }, 'encryption of stored values begins')
      working = true
      return batch(walk, next, ROWS)
    },
  }
}
