import type { Config } from '../../config/config.js'
import type { Log } from '../../log/log.js'
import { kekId } from '../../protocol/jose/sealed.js'
import { beginEncryption } from '../at-rest/begin.js'
import type { Encryption } from '../at-rest/encryption.js'
import type { AtRestStore } from '../at-rest/store.js'
import { currentOf, type KeyRing } from './open.js'
import type { EnvelopeStore } from './store.js'
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
  let failed: string | undefined
  let changed = false
  let looking: Promise<void> | undefined

  const walkAgain = async (keys: readonly Uint8Array[]) => {
    await beginEncryption(atRest, keys)
    await encryption.resume()
  }

  const look = async (): Promise<void> => {
    const rows = await store.all()
    const current = currentOf(rows)
    // A request may have stored a value under the former key after the walk passed its row. So a second walk follows.
    if (changed && current !== undefined) {
      await walkAgain(ring)
      await store.retireBefore(current.id)
      changed = false
    }
    for (const row of rows) {
      if (row.isRetired || ring.some((key) => kekId(key) === row.id)) continue
      const by = wrappingOf(config.wrapping, row)
      if (by === undefined) throw new Error(`The key-encryption key ${row.id} has another wrapping key.`)
      ring.push(await unwrap(providers, by, row))
      log.info({ key: row.id }, 'new key-encryption key unwrapped')
      onChanged(ring)
    }
    const key = current === undefined ? undefined : ring.find((known) => kekId(known) === current.id)
    if (current === undefined || key === undefined || key === ring[0]) return
    const order = [key, ...ring.filter((known) => known !== key)]
    ring.splice(0, ring.length, ...order)
    changed = true
    onChanged(ring)
    log.info({ key: current.id }, 'key-encryption key changed')
    await walkAgain(ring)
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
    async close(): Promise<void> {
      clearInterval(timer)
      await looking
    },
  }
}
