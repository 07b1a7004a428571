import { type Config, ConfigurationError } from '../../config/config.js'
import type { Log } from '../../log/log.js'
import type { EnvelopeKey, EnvelopeStore } from './store.js'
import { newEnvelopeKey, unwrap, type Wrapping, wrap, wrappingOf } from './wrapped.js'

/**
 * Key-encryption keys of 32 octets in the memory of a process. The first key encrypts, all keys decrypt. A running process changes the
 * content of the list when a key is rotated (`follow.ts`), so nobody copies it.
 */
export type KeyRing = Uint8Array[]

/** The log message for removed keys. */
export const REMOVED = 'unneeded key-encryption keys removed'

export interface EnvelopePorts {
  readonly config: Pick<Config, 'keyEncryptionKeys' | 'wrapping'>
  readonly store: EnvelopeStore
  readonly providers: Wrapping
  readonly log: Pick<Log, 'info' | 'warn'>
}

export interface OpenedKeys {
  readonly keys: KeyRing
  /** Ends the work of the start after the stored values were checked: retires former keys, and removes keys that nothing needs. */
  readonly settle: () => Promise<void>
}

/** The key that encrypts: the newest key whose time has come. @param rows the newest first */
export const currentOf = (rows: readonly EnvelopeKey[]): EnvelopeKey | undefined =>
  rows.find(({ isActive, isRetired }) => isActive && !isRetired)

/** @throws {ConfigurationError} */
function missing({ id, wrapping }: EnvelopeKey, { current }: Config['wrapping']): never {
  const variable = current === undefined ? 'KEY_ENCRYPTION_PROVIDER' : 'KEY_ENCRYPTION_PROVIDER_PREVIOUS'
  throw new ConfigurationError(
    `The key ${wrapping} wraps the key-encryption key ${id}, and values are stored under it. Set ${variable} to ${wrapping}, or KEY_ENCRYPTION_PROVIDER_PREVIOUS if another key-encryption key takes its place.`,
  )
}

/**
 * Unwraps the key-encryption keys of the database, once for each key. The first start makes a key. If another wrapping key is configured,
 * the start wraps the keys anew; no stored value changes. The caller holds the start lock, so several processes make one key.
 *
 * @returns the keys of the database and of the environment
 * @throws {ConfigurationError} if a provider is away, a wrapped key was altered, or the wrapping key of a needed key is not configured.
 *   The start then writes nothing
 */
export async function openEnvelopeKeys({ config, store, providers, log }: EnvelopePorts): Promise<OpenedKeys> {
  const { wrapping, keyEncryptionKeys } = config
  const rows = await store.all()
  const current = wrapping.current === undefined ? undefined : currentOf(rows)
  const left: string[] = []
  const opened: { readonly row: EnvelopeKey; readonly key: Uint8Array }[] = []
  for (const row of rows) {
    const by = wrappingOf(wrapping, row)
    const isLeftOver = !row.isNeeded && (row.isRetired || wrapping.current === undefined)
    if (by === undefined) {
      if (!isLeftOver) missing(row, wrapping)
      log.warn({ key: row.id, wrapping: row.wrapping }, 'an unneeded key was left out')
      left.push(row.id)
      continue
    }
    try {
      opened.push({ row, key: await unwrap(providers, by, row) })
    } catch (error) {
      if (!isLeftOver) throw error
      log.warn({ key: row.id, reason: error instanceof Error ? error.message : '' }, 'an unneeded key was left out')
    }
  }
  if (wrapping.current !== undefined) await wrapAnew({ store, providers, log }, wrapping.current, opened)
  const keyOf = (wanted: EnvelopeKey | undefined) => opened.filter(({ row }) => row === wanted).map(({ key }) => key)
  const others = opened.filter(({ row }) => row !== current).map(({ key }) => key)
  const settle = async () => {
    if (current !== undefined) await store.retireBefore(current.id)
    // With a wrapping key, a running process removes former keys (`follow.ts`): it can visit all values before.
    if (wrapping.current !== undefined || left.length === 0) return
    await store.retire(left)
    const removed = await store.remove(left)
    if (removed.length > 0) log.info({ keys: removed }, REMOVED)
  }
  if (wrapping.current === undefined) return { keys: [...keyEncryptionKeys, ...others], settle }
  if (current !== undefined) return { keys: [...keyOf(current), ...others, ...keyEncryptionKeys], settle }
  const made = await newEnvelopeKey(providers, wrapping.current)
  await store.add(made, 0)
  log.info({ key: made.id, wrapping: made.wrapping }, 'key-encryption key made')
  return { keys: [made.key, ...others, ...keyEncryptionKeys], settle }
}

/** Wraps keys that the former wrapping key wraps. */
async function wrapAnew(
  { store, providers, log }: Pick<EnvelopePorts, 'store' | 'providers' | 'log'>,
  wrapping: NonNullable<Config['wrapping']['current']>,
  opened: readonly { readonly row: EnvelopeKey; readonly key: Uint8Array }[],
): Promise<void> {
  const former = opened.filter(({ row }) => row.wrapping !== wrapping.name)
  // All keys are wrapped before the first one is stored.
  const wrapped = await Promise.all(
    former.map(async ({ row, key }) => ({ row, text: await wrap(providers, wrapping, key) })),
  )
  for (const { row, text } of wrapped) {
    if (await store.rewrap(row, wrapping.name, text)) continue
    throw new ConfigurationError(`The key-encryption key ${row.id} was changed by another process. Start again.`)
  }
  if (former.length > 0) log.info({ keys: former.length, wrapping: wrapping.name }, 'key-encryption keys wrapped anew')
}
