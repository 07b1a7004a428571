import { randomBytes } from 'node:crypto'
import { ConfigurationError } from '../../config/config.js'
import { kekId, SecretError } from '../../protocol/jose/sealed.js'
import { createVault, openStored, type StoredForm } from '../vault.js'
import { PROTECTED_COLUMNS, type ProtectedColumn } from './columns.js'
import { ALL_ENCRYPTED, parseRoot, ROOT, rootText } from './root.js'
import type { AtRestStore, ColumnProgress, NewProgress, ProtectedValues, Replacement } from './store.js'
import { dependsOnKey, mayBeClear, WALK_NAMES, type WalkName } from './walk.js'

const BATCH = 1_000

/** Names a wrong key-encryption key in the error, for the operator. */
export async function namingTheKey<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (cause) {
    if (!(cause instanceof SecretError)) throw cause
    throw new ConfigurationError(
      cause.keyIsMissing
        ? 'KEY_ENCRYPTION_KEY does not decrypt the stored keys.'
        : `A stored secret cannot be used: ${cause.message}`,
      { cause },
    )
  }
}

export const isBound = (form: StoredForm): boolean => form === 'current' || form === 'former'

const altered = () =>
  new ConfigurationError(
    'The root secret is not encrypted for its row although other secrets are: the database was altered.',
  )

/**
 * The columns that a start encrypts itself. The service needs them at once, and never reads them in the clear: a person who can write to
 * the database must not be able to insert keys.
 */
const AT_START = PROTECTED_COLUMNS.filter(({ name }) => name === 'keys.private_jwk' || name === 'secrets.value')

/** Encrypts every value of a column except the root secret. @throws {ConfigurationError} if a value is encrypted for its row */
async function encryptAll(
  values: ProtectedValues,
  column: ProtectedColumn,
  keys: readonly Uint8Array[],
): Promise<number> {
  const vault = createVault(keys)
  let count = 0
  for (let after = ''; ; ) {
    const page = await values.page(column, after, BATCH)
    const replacements: Replacement[] = []
    for (const { id, stored } of page) {
      const place = { column: column.name, id }
      if (place.column === ROOT.column && id === ROOT.id) continue
      const { plaintext, form } = await openStored(keys, place, stored)
      if (isBound(form)) throw altered()
      replacements.push({ id, from: stored, to: await vault.protect(place, plaintext) })
    }
    count += await values.replace(column, replacements)
    const last = page.at(-1)
    if (last === undefined || page.length < BATCH) return count
    after = last.id
  }
}

async function replaceRoot(values: ProtectedValues, from: string, to: string): Promise<void> {
  const column = PROTECTED_COLUMNS.find(({ name }) => name === ROOT.column)
  if (column !== undefined) await values.replace(column, [{ id: ROOT.id, from, to }])
}

/**
 * Encrypts the keys and secrets of an installation that has its first key-encryption key, in one transaction: all or none. The root
 * secret then records these columns. It does not record the other columns, so their values in the clear are read until the maintenance
 * job has encrypted them (`task.ts`).
 *
 * A version without the record encrypted every secret, and no claims. The record then names every column of secrets.
 *
 * @returns the number of encrypted values, and whether the database had no root secret
 * @throws {ConfigurationError} if KEY_ENCRYPTION_KEY does not decrypt the values, or if only the root secret is in the clear
 */
function encryptKeys(
  store: AtRestStore,
  keys: readonly Uint8Array[],
): Promise<{ readonly encrypted: number; readonly isNew: boolean }> {
  const vault = createVault(keys)
  return store.exclusively(ROOT.id, async (stored, values) => {
    if (stored === undefined) return { encrypted: 0, isNew: true }
    const { plaintext, form } = await openStored(keys, ROOT, stored)
    const root = parseRoot(plaintext)
    if (isBound(form)) {
      if (root.encrypted !== undefined) return { encrypted: 0, isNew: false }
      const encrypted = new Set(PROTECTED_COLUMNS.map(({ name }) => name))
      await replaceRoot(values, stored, await vault.protect(ROOT, rootText({ ...root, encrypted })))
      return { encrypted: 0, isNew: false }
    }
    if (await values.hasContentKeys()) throw altered()
    let count = 1
    for (const column of AT_START) count += await encryptAll(values, column, keys)
    const encrypted = new Set(AT_START.map(({ name }) => name))
    await replaceRoot(values, stored, await vault.protect(ROOT, rootText({ ...root, encrypted })))
    return { encrypted: count, isNew: false }
  })
}

/** What decides where a column continues. */
interface Situation {
  /** Names of the configured key-encryption keys; the first one encrypts. */
  readonly configured: readonly string[]
  readonly isEncrypted: boolean
  readonly isNew: boolean
}

/**
 * Where the job continues with a column after a start; undefined if nothing changes.
 *
 * A start with a former key visits every column, or visits the column again after its last row. A process that still encrypted under the
 * former key may have written behind the position.
 */
export function continued(
  name: WalkName,
  known: ColumnProgress | undefined,
  { configured: [current = '', ...former], isEncrypted, isNew }: Situation,
): NewProgress | undefined {
  const isLeft = dependsOnKey(name) || !isEncrypted
  if (known === undefined) {
    return { column: name, keyId: current, formerKeyIds: [], position: isLeft && !isNew ? '' : null, again: false }
  }
  const { column, keyId, formerKeyIds, position } = known
  const begun = { column, keyId: current, formerKeyIds, position: '', again: false }
  if (!dependsOnKey(name)) {
    if (isEncrypted) return position === null && keyId === current ? undefined : { ...begun, position: null }
    return position === null || position === '' ? begun : { ...begun, position, again: true }
  }
  if (keyId !== current) return { ...begun, formerKeyIds: [...new Set([...formerKeyIds, keyId])] }
  if (isEncrypted && former.length === 0) return undefined
  if (position === null || position === '') return begun
  return { ...begun, position, again: true }
}

/** The keys that values of a column may still need. A column of claims has none: their content keys need them. */
const neededKeys = ({ column, keyId, formerKeyIds }: ColumnProgress): readonly string[] =>
  dependsOnKey(column as WalkName) ? [keyId, ...formerKeyIds] : []

/** @throws {ConfigurationError} if values need a key that is not configured. Reads one row for each column. */
function assertKeysAreThere(known: readonly ColumnProgress[], configured: readonly string[]): void {
  const missing = new Map<string, string[]>()
  for (const progress of known) {
    for (const key of neededKeys(progress)) {
      if (!configured.includes(key)) missing.set(key, [...(missing.get(key) ?? []), progress.column])
    }
  }
  const [first] = missing
  if (first === undefined) return
  const [key, columns] = first
  throw new ConfigurationError(
    `Values of ${columns.join(', ')} are still encrypted under the key ${key}, and neither KEY_ENCRYPTION_KEY nor KEY_ENCRYPTION_KEY_PREVIOUS is that key. Set KEY_ENCRYPTION_KEY_PREVIOUS to that key until the log says "all stored values are encrypted". Without that key these values are lost; docs/operations/certificates-and-trust.md says what still works.`,
  )
}

/**
 * Prepares the encryption of stored values at a start. It takes the same time for every number of rows, except for the first
 * key-encryption key of an installation: then it encrypts keys and secrets. The maintenance job does everything else.
 *
 * @returns the number of encrypted values
 * @throws {ConfigurationError} if stored values need a key-encryption key that is not configured, or the database was altered
 */
export async function beginEncryption(store: AtRestStore, keys: readonly Uint8Array[]): Promise<number> {
  if (keys.length === 0) return 0
  return namingTheKey(async () => {
    const { encrypted, isNew } = await encryptKeys(store, keys)
    const stored = await store.secret(ROOT.id)
    const record =
      stored === undefined ? ALL_ENCRYPTED : parseRoot((await openStored(keys, ROOT, stored)).plaintext).encrypted
    const configured = keys.map(kekId)
    const known = await store.progress()
    assertKeysAreThere(known, configured)
    const columns = WALK_NAMES.flatMap((name) => {
      const isEncrypted = !mayBeClear(name) || record?.has(name) === true
      const progress = known.find(({ column }) => column === name)
      return continued(name, progress, { configured, isEncrypted, isNew }) ?? []
    })
    if (columns.length > 0) await store.begin(columns)
    return encrypted
  })
}

/** The text of the root secret of a new installation. */
export const newRootText = (keys: readonly Uint8Array[]): string =>
  rootText({ secret: randomBytes(32), encrypted: keys.length === 0 ? undefined : ALL_ENCRYPTED })
