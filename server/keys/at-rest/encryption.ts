import type { Log } from '../../log/log.js'
import { kekId } from '../../protocol/jose/sealed.js'
import { createVault, openStored } from '../vault.js'
import type { ClaimsName, ProtectedName } from './columns.js'
import { parseRoot, ROOT, type Root, rootText } from './root.js'
import type { AtRestStore, ColumnProgress } from './store.js'
import { mayBeClear, WALK_NAMES, type WalkName } from './walk.js'

/** Interval between two reads of the record while columns are left, in milliseconds. */
const EVERY_MS = 1_000

/** The state of the encryption of stored values, as one process knows it. */
export interface Encryption {
  /** Whether the service has encrypted every value of a column. Values of the column in the clear are then refused. */
  readonly isEncrypted: (column: ProtectedName | ClaimsName) => boolean
  /** Columns that the job has left, in the order in which it walks them. */
  readonly pending: () => readonly ColumnProgress[]
  /** Estimated number of rows that are left, by column; 0 for a column that is done. Empty without a key-encryption key. */
  readonly left: () => ReadonlyMap<string, number>
  /** Reads record and progress again. */
  readonly refresh: () => Promise<void>
  /** Follows the job again, after a change of the key-encryption key. */
  readonly resume: () => Promise<void>
  /** Records that every value of a column is encrypted. @param keyId the key of the walk; with another key by now, the column goes on */
  readonly complete: (name: WalkName, keyId: string) => Promise<void>
  readonly close: () => void
}

export interface EncryptionPorts {
  readonly store: Pick<AtRestStore, 'secret' | 'replaceSecret' | 'progress' | 'done'>
  /** Key-encryption keys of 32 octets; the first one encrypts. The content of the list may change. */
  readonly keys: readonly Uint8Array[]
  readonly log: Pick<Log, 'warn'>
}

/** Columns that are left, in the order in which the job walks them. */
export const pendingIn = (progress: readonly ColumnProgress[]): readonly ColumnProgress[] =>
  WALK_NAMES.flatMap((name) => progress.filter(({ column, position }) => column === name && position !== null))

/** PostgreSQL estimates the number of rows, so at least one row is left. */
const rowsLeft = ({ position, rows, seen }: ColumnProgress) =>
  position === null ? 0 : Math.max(1, Math.round(rows) - seen)

/**
 * Reads which columns the service has encrypted, and follows the job of any process until every column is done. A running process never
 * reads a column in the clear again after it has seen the column done.
 */
export async function openEncryption({ store, keys, log }: EncryptionPorts, root: Root): Promise<Encryption> {
  const encrypted = new Set<string>(root.encrypted)
  let progress: readonly ColumnProgress[] = []
  let timer: NodeJS.Timeout | undefined

  const readRoot = async () => {
    const stored = await store.secret(ROOT.id)
    if (stored === undefined) throw new Error('The root secret is gone.')
    return { stored, root: parseRoot((await openStored(keys, ROOT, stored)).plaintext) }
  }

  const pending = () => pendingIn(progress)

  const refresh = async () => {
    progress = await store.progress()
    const { root: recorded } = await readRoot()
    for (const column of recorded.encrypted ?? []) encrypted.add(column)
    if (pending().length === 0) clearInterval(timer)
  }

  const resume = async () => {
    await refresh()
    if (pending().length === 0) return
    clearInterval(timer)
    timer = setInterval(() => {
      refresh().catch((err: unknown) => log.warn({ err }, 'progress of the encryption is unknown'))
    }, EVERY_MS).unref()
  }

  if (keys.length > 0) await resume()

  return {
    isEncrypted: (column) => encrypted.has(column),
    pending,
    left: () => new Map(progress.map((column) => [column.column, rowsLeft(column)])),
    refresh,
    resume,
    async complete(name, keyId) {
      if (keys.length === 0) return
      const vault = createVault(keys)
      for (;;) {
        const { stored, root: recorded } = await readRoot()
        const columns = new Set(recorded.encrypted)
        if (!mayBeClear(name) || columns.has(name)) break
        const text = rootText({ secret: recorded.secret, encrypted: columns.add(name) })
        if (await store.replaceSecret(ROOT.id, stored, await vault.protect(ROOT, text))) break
      }
      await store.done(name, keyId)
      await refresh()
    },
    close: () => clearInterval(timer),
  }
}

/** Whether this process encrypts under the key that the progress names. A process that does not have the newest key does not work. */
export const isOurs = (progress: readonly ColumnProgress[], [current]: readonly Uint8Array[]): boolean =>
  current !== undefined && progress.every(({ keyId }) => keyId === kekId(current))
