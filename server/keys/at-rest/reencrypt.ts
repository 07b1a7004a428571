import { ConfigurationError } from '../../config/config.js'
import { SecretError } from '../../protocol/jose/sealed.js'
import { createVault, openStored, type StoredForm } from '../vault.js'
import { type Place, PROTECTED_COLUMNS, type ProtectedColumn } from './columns.js'
import type { AtRestStore, ProtectedValue, ProtectedValues, Replacement } from './store.js'

/** The secret that every installation has. If it is encrypted for its row, all other values are too. */
export const ROOT: Place = { column: 'secrets.value', id: 'root' }

const BATCH = 200
/** Maximum of values that a message names; the rest are counted. */
const MAX_NAMED = 20

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

/** Decides about a value: returns its plaintext if the value should be encrypted again. */
type Choice = (place: Place, stored: string) => Promise<string | undefined>

async function changed(
  column: ProtectedColumn,
  page: readonly ProtectedValue[],
  keys: readonly Uint8Array[],
  choose: Choice,
) {
  const vault = createVault(keys)
  const replacements: Replacement[] = []
  for (const { id, stored } of page) {
    const place = { column: column.name, id }
    const plaintext = await choose(place, stored)
    if (plaintext !== undefined) replacements.push({ id, from: stored, to: await vault.protect(place, plaintext) })
  }
  return replacements
}

/**
 * Walks every protected column in pages, and replaces the chosen values. A value that has changed since the read stays
 * unchanged.
 */
async function encryptChosen(values: ProtectedValues, keys: readonly Uint8Array[], choose: Choice): Promise<number> {
  let count = 0
  for (const column of PROTECTED_COLUMNS) {
    let after = ''
    for (;;) {
      const page = await values.page(column, after, BATCH)
      count += await values.replace(column, await changed(column, page, keys, choose))
      const last = page.at(-1)
      if (last === undefined || page.length < BATCH) break
      after = last.id
    }
  }
  return count
}

const isBound = (form: StoredForm) => form === 'current' || form === 'former'

/**
 * Encrypts each value for its row if it is in the clear or was encrypted by an earlier version. This happens once, in
 * one transaction: all values or none. The form of the root secret records that it has happened. After that, a value in
 * another form was not written by this service and is refused by every reader.
 *
 * @returns the number of encrypted values.
 * @throws {ConfigurationError} if KEY_ENCRYPTION_KEY does not decrypt the values, or the root secret alone is in another form.
 */
export function encryptOnce(store: AtRestStore, keys: readonly Uint8Array[]): Promise<number> {
  if (keys.length === 0) return Promise.resolve(0)
  return namingTheKey(() =>
    store.exclusively(ROOT.id, async (root, values) => {
      if (root === undefined || isBound((await openStored(keys, ROOT, root)).form)) return 0
      return encryptChosen(values, keys, async (place, stored) => {
        const { plaintext, form } = await openStored(keys, place, stored)
        if (!isBound(form)) return plaintext
        throw new ConfigurationError(
          'The root secret is not encrypted for its row although other secrets are: the database was altered.',
        )
      })
    }),
  )
}
/**
 * Encrypts all values under a former key-encryption key again, with the current key. The function can be repeated at
 * any time.
 *
 * @returns the number of changed values.
 * @throws {ConfigurationError} at the end, if values had a form that this service does not write. These values stay
 *   unchanged
 */
export async function reencrypt(store: AtRestStore, keys: readonly Uint8Array[]): Promise<number> {
  const refused: string[] = []
  const count = await encryptChosen(store.values, keys, async (place, stored) => {
    const opened = await openedOrRefused(keys, place, stored)
    if (opened === undefined || !isBound(opened.form)) refused.push(`${place.column} ${place.id}`)
    return opened?.form === 'former' ? opened.plaintext : undefined
  })
  if (refused.length === 0) return count
  const named = refused.slice(0, MAX_NAMED).join(', ')
  const more = refused.length > MAX_NAMED ? ` and ${refused.length - MAX_NAMED} more` : ''
  throw new ConfigurationError(
    `${count} values encrypted anew. Values that are not encrypted for their rows are refused and stay unchanged: ${named}${more}.`,
  )
}

async function openedOrRefused(keys: readonly Uint8Array[], place: Place, stored: string) {
  try {
    return await openStored(keys, place, stored)
  } catch (cause) {
    if (cause instanceof SecretError) return undefined
    throw cause
  }
}
