import type { Config } from '../../config/config.js'
import type { Log } from '../../log/log.js'
import { kekId } from '../../protocol/jose/sealed.js'
import { beginEncryption } from '../at-rest/begin.js'
import type { Encryption } from '../at-rest/encryption.js'
import type { AtRestStore } from '../at-rest/store.js'
import { currentOf, type KeyRing, REMOVED } from './open.js'
import type { EnvelopeKey, EnvelopeStore } from './store.js'
import { unwrap, type Wrapping, wrappingOf } from './wrapped.js'

/** Interval between two looks at the names of the keys, in milliseconds. It is much shorter than ACTIVE_AFTER_SECONDS. */
const EVERY_MS = 10_000

export interface FollowPorts {
  readonly config: Pick<Config, 'wrapping'>
  readonly store: EnvelopeStore
  readonly atRest: AtRestStore
  readonly providers: Pick<Wrapping, 'unwrap'>
  readonly encryption: Pick<Encryption, 'resume'>
  /** The keys of this process. */
  readonly ring: KeyRing
  readonly log: Pick<Log, 'info' | 'error'>
  /** Called after the keys of this process have changed. */
  readonly onChanged: (keys: readonly Uint8Array[]) => void
  readonly everyMs?: number | undefined
}

/**
 * Follows rotations of the key-encryption key while a process runs. The process unwraps a new key once, and can then decrypt under it. When
 * the key's time has come, the process encrypts under the new key, and has the maintenance job encrypt stored values anew.
 */
export function followEnvelopeKeys(ports: FollowPorts) {
  const { config, store, atRest, providers, encryption, ring, log, onChanged, everyMs = EVERY_MS } = ports
  /** Former keys for which this process began a walk after their day. */
  const visited = new Set<string>()
  let failed: string | undefined
  let isBehind = false
  let changed = false
  let looking: Promise<void> | undefined

  const knownKeyOf = ({ id }: EnvelopeKey) => ring.find((key) => kekId(key) === id)

  const walkAgain = async () => {
    await beginEncryption(atRest, ring)
    await encryption.resume()
  }

  const learn = async (rows: readonly EnvelopeKey[]) => {
    for (const row of rows) {
      if ((row.isRetired && !row.isNeeded) || knownKeyOf(row) !== undefined) continue
      const by = wrappingOf(config.wrapping, row)
      if (by === undefined) throw new Error(`The key-encryption key ${row.id} has another wrapping key.`)
      ring.push(await unwrap(providers, by, row))
      log.info({ key: row.id }, 'new key-encryption key unwrapped')
      onChanged(ring)
    }
  }

  /**
   * Removes keys that retired a day ago. A process that could not unwrap the newer key may have encrypted under them until now. So this
   * process has every value visited once more before.
   */
  const removeFormer = async (rows: readonly EnvelopeKey[]) => {
    const old = rows.filter((row) => row.isOld && knownKeyOf(row) !== undefined).map(({ id }) => id)
    if (old.length === 0) return
    if (old.some((id) => !visited.has(id))) {
      await walkAgain()
      for (const id of old) visited.add(id)
      return
    }
    const removed = await store.remove(old)
    if (removed.length > 0) log.info({ keys: removed }, REMOVED)
  }

  const look = async (): Promise<void> => {
    const rows = await store.all()
    const current = currentOf(rows)
    isBehind = current?.isNeeded === true && knownKeyOf(current) === undefined
    await learn(rows)
    isBehind = false
    const key = current === undefined ? undefined : knownKeyOf(current)
    if (current === undefined || key === undefined) return
    if (key !== ring[0]) {
      ring.splice(0, ring.length, key, ...ring.filter((known) => known !== key))
      changed = true
      onChanged(ring)
      log.info({ key: current.id }, 'key-encryption key changed')
      await walkAgain()
      return
    }
    // A request may have stored a value under the former key after the walk passed its row. So a second walk follows.
    if (changed) {
      await walkAgain()
      await store.retireBefore(current.id)
      changed = false
      return
    }
    await removeFormer(rows)
  }

  const lookSafely = async (): Promise<void> => {
    try {
      await look()
      failed = undefined
    } catch (err) {
      failed = 'a new key-encryption key cannot be used'
      log.error({ err }, failed)
    }
  }

  const timer = setInterval(() => {
    looking ??= lookSafely().finally(() => {
      looking = undefined
    })
  }, everyMs).unref()

  return {
    /** For readiness: undefined if this process knows all keys. */
    degraded: () => failed,
    /** For readiness: whether this process cannot read values, because other processes encrypt under a key that it does not know. */
    isBehind: () => isBehind,
    async close(): Promise<void> {
      clearInterval(timer)
      await looking
    },
  }
}
