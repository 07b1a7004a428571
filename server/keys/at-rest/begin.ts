import { randomBytes } from 'node:crypto'
import { ConfigurationError } from '../../config/config.js'
import { kekId, SecretError } from '../../protocol/jose/sealed.js'
import { createVault, openStored, type StoredForm } from '../vault.js'
import { type Place, PROTECTED_COLUMNS, type ProtectedColumn, type ProtectedName } from './columns.js'
import { ALL_ENCRYPTED, parseRoot, ROOT, rootText } from './root.js'
import type { AtRestStore, ColumnProgress, NewProgress, ProtectedValue, ProtectedValues, Replacement } from './store.js'
import { dependsOnKey, mayBeClear, WALK_NAMES, type WalkName } from './walk.js'

const BATCH = 1_000

/** The message for keys that do not decrypt the stored keys. */
export const NOT_DECRYPTED = 'KEY_ENCRYPTION_KEY does not decrypt the stored keys.'

/** Names a wrong key-encryption key in the error, for the operator. */
export async function namingTheKey<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (cause) {
    if (!(cause instanceof SecretError)) throw cause
    throw new ConfigurationError(
      cause.keyIsMissing ? NOT_DECRYPTED : `A stored secret cannot be used: ${cause.message}`,
      { cause },
    )
  }
}

export const isBound = (form: StoredForm): boolean => form === 'current' || form === 'former'

const columnNamed = (name: ProtectedName): ProtectedColumn => {
  const column = PROTECTED_COLUMNS.find((known) => known.name === name)
  if (column === undefined) throw new Error(`There is no column ${name}.`)
  return column
}

const SECRETS = columnNamed('secrets.value')
const KEYS = columnNamed('keys.private_jwk')

/**
 * Whether the service accepts a value in the clear as long as the job has not finished the value's column. True for
 * every value except the installation's own keys, because the start has encrypted these keys.
 *
 * @param isOfHolder whether a key belongs to no issuer, verifier or other part of the installation
 */
export const mayStayClear = async (place: Place, isOfHolder: (keyId: string) => Promise<boolean>): Promise<boolean> =>
  place.column !== KEYS.name || (await isOfHolder(place.id))

const altered = () =>
  new ConfigurationError(
    'The root secret is not encrypted for its row although other secrets are: the database was altered.',
  )

type Page = (after: string) => Promise<readonly ProtectedValue[]>

/** Encrypts every value of some pages. @throws {ConfigurationError} if a value is encrypted for its row */
async function encryptAll(
  values: ProtectedValues,
  column: ProtectedColumn,
  page: Page,
  keys: readonly Uint8Array[],
): Promise<number> {
  const vault = createVault(keys)
  let count = 0
  for (let after = ''; ; ) {
    const stored = await page(after)
    const replacements: Replacement[] = []
    for (const { id, stored: value } of stored) {
      const place = { column: column.name, id }
      const { plaintext, form } = await openStored(keys, place, value)
      if (isBound(form)) throw altered()
      replacements.push({ id, from: value, to: await vault.protect(place, plaintext) })
    }
    count += await values.replace(column, replacements)
    const last = stored.at(-1)
    if (last === undefined) return count
    after = last.id
  }
}

/**
 * Encrypts what a start encrypts itself: every secret except the root secret, and the installation's own keys. The service needs them at
 * once, and never reads them in the clear: a person who can write to the database must not be able to insert keys. Keys of hosted wallets
 * may be many, so the maintenance job encrypts them.
 */
async function encryptOwn(values: ProtectedValues, keys: readonly Uint8Array[]): Promise<number> {
  const secrets = await encryptAll(
    values,
    SECRETS,
    async (after) => (await values.page(SECRETS, after, BATCH)).filter(({ id }) => id !== ROOT.id),
    keys,
  )
  return secrets + (await encryptAll(values, KEYS, (after) => values.ownKeys(after, BATCH), keys))
}

async function replaceRoot(values: ProtectedValues, from: string, to: string): Promise<void> {
  await values.replace(SECRETS, [{ id: ROOT.id, from, to }])
}

/**
 * Encrypts the own keys and the secrets of an installation that has its first key-encryption key, in one transaction: all or none. The
 * root secret then records the secrets. Other columns have no record, so their values in the clear are read until the maintenance job has
 * encrypted them (`maintenance/encryption/task.ts`). A key of the installation in the clear is refused from now on ({@link mayStayClear}).
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
    const count = await encryptOwn(values, keys)
    const encrypted = new Set([SECRETS.name])
    await replaceRoot(values, stored, await vault.protect(ROOT, rootText({ ...root, encrypted })))
    return { encrypted: count + 1, isNew: false }
  })
}

/** Facts that decide where a column continues. */
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
    `Values of ${columns.join(', ')} are still encrypted under the key ${key}, and neither KEY_ENCRYPTION_KEY nor KEY_ENCRYPTION_KEY_PREVIOUS is that key, and the database has no such wrapped key. Set KEY_ENCRYPTION_KEY_PREVIOUS to that key until the log says "all stored values are encrypted". Without that key these values are lost; docs/operations/certificates-and-trust.md says what still works.`,
  )
}

/**
 * Prepares the encryption of stored values at a start. It takes the same time for every number of rows. With the first key-encryption key
 * of an installation it encrypts secrets and the installation's own keys. The maintenance job does everything else.
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
