import { type Fragment, fragment, Step } from '../../database/fragment.js'
import { deriveKey, kekId, SecretError } from '../../protocol/jose/sealed.js'
import { secretKey } from '../../protocol/jose/secret-key.js'
import type { ClaimsName, Place } from '../at-rest/columns.js'
import { contentKeyOf, decryptBound, encryptBound, newContentKey, textOf } from './content-key.js'

/** Claims in the form in which a row stores them. */
export interface ProtectedClaims {
  readonly place: Place<ClaimsName>
  /** JSON text for the column: the claims, or a JSON string with their ciphertext. */
  readonly json: string
  /** The content key, wrapped by the key-encryption key; null if the claims are in the clear. */
  readonly wrappedKey: string | null
}

/**
 * Protects claims at rest. Each row has its own random content key, which the key-encryption key wraps. Wrapped keys are in their own
 * table, `content_keys`: a changed key-encryption key rewrites only them, and a deleted content key makes claims unreadable, in
 * every backup without that table too. Without a key-encryption key, claims are stored in the clear.
 */
export interface ClaimsVault {
  /** @returns claims for a row, under a new content key. */
  protect(place: Place<ClaimsName>, claims: unknown): ProtectedClaims
  /** The same for claims as JSON text. */
  protectJson(place: Place<ClaimsName>, json: string): ProtectedClaims
  /**
   * Wraps a content key again.
   *
   * @returns the content key, wrapped by the current key-encryption key; undefined if this key wraps it already
   * @throws SecretError if no configured key unwraps it, or if it was altered or belongs to another row
   */
  rewrapped(place: Place<ClaimsName>, wrappedKey: string): string | undefined
  /**
   * Reads the claims of a row.
   *
   * @param stored the value of the column
   * @param wrappedKey the value of {@link keyOf}
   * @returns null if the row has no claims, for example because they were erased
   * @throws SecretError if no configured key decrypts them, if they were altered, or if they belong to another row, column or
   *   database; also for claims in the clear after all claims were encrypted
   */
  reveal<Claims>(place: Place<ClaimsName>, stored: unknown, wrappedKey: string | null): Claims | null
  /** The expression that reads the wrapped content key of a row. @param id the expression for the row's id */
  keyOf(column: ClaimsName, id: Fragment): Fragment
  /**
   * The step that stores the content keys of claims.
   *
   * @param after the step that stores the claims: without a row, no key is stored
   */
  storeKeys(claims: readonly ProtectedClaims[], after: Step): Step[]
}

/** Names the installation in every value: a value of another database with the same key-encryption key is refused. */
export const installationOf = (rootSecret: Uint8Array): string =>
  Buffer.from(deriveKey(rootSecret, 'claims-at-rest')).toString('base64url')

/** Dependencies of {@link createClaimsVault}. */
export interface ClaimsVaultPorts {
  /** Key-encryption keys of 32 octets; the first one wraps, all of them unwrap. The content of the list may change. */
  readonly keys: readonly Uint8Array[]
  readonly installation: string
  /** Whether a column's claims in the clear are refused, because all claims of the column were encrypted. */
  readonly clearIsRefused: (column: ClaimsName) => boolean
  /** Notes that a value was refused. */
  readonly onRefused: (refused: SecretError) => void
}

const boundTo = (installation: string, { column, id }: Place<ClaimsName>) => `${installation} ${column} ${id}`

/** A content key, wrapped: the name of the key-encryption key, a dot, and the encrypted key. */
export function wrapKey(kek: Uint8Array, contentKey: Uint8Array, bound: string): string {
  return `${kekId(kek)}.${encryptBound(secretKey(kek), contentKey, `key ${bound}`)}`
}

/** The beginning of every content key that a key-encryption key wraps. */
export const wrappedPrefix = (kek: Uint8Array): string => `${kekId(kek)}.`

/** @throws SecretError */
function unwrapKey(keys: readonly Uint8Array[], wrapped: string, bound: string): Uint8Array {
  const [name = '', encrypted = ''] = wrapped.split('.')
  const kek = keys.find((key) => kekId(key) === name)
  if (kek === undefined) {
    const message = `Claims are encrypted under the key ${name}, and no configured key is that one.`
    throw new SecretError(message, { keyIsMissing: true })
  }
  return decryptBound(secretKey(kek), encrypted, `key ${bound}`)
}

export function createClaimsVault({ keys, installation, clearIsRefused, onRefused }: ClaimsVaultPorts): ClaimsVault {
  const current = (): Uint8Array | undefined => keys[0]

  const revealed = (place: Place<ClaimsName>, stored: unknown, wrappedKey: string | null): unknown => {
    if (typeof stored !== 'string') {
      if (keys.length > 0 && clearIsRefused(place.column)) {
        throw new SecretError(`A value of ${place.column} is not encrypted for its row.`)
      }
      return stored
    }
    if (wrappedKey === null) throw new SecretError(`A value of ${place.column} has no content key.`)
    const bound = boundTo(installation, place)
    return JSON.parse(textOf(decryptBound(contentKeyOf(unwrapKey(keys, wrappedKey, bound)), stored, bound)))
  }

  const protectJson = (place: Place<ClaimsName>, json: string): ProtectedClaims => {
    const kek = current()
    if (kek === undefined) return { place, json, wrappedKey: null }
    const contentKey = newContentKey()
    const bound = boundTo(installation, place)
    const encrypted = encryptBound(contentKeyOf(contentKey), json, bound)
    return { place, json: `"${encrypted}"`, wrappedKey: wrapKey(kek, contentKey, bound) }
  }

  return {
    protect: (place, claims) => protectJson(place, JSON.stringify(claims)),
    protectJson,

    rewrapped(place, wrappedKey) {
      const kek = current()
      if (kek === undefined || wrappedKey.startsWith(wrappedPrefix(kek))) return undefined
      const bound = boundTo(installation, place)
      return wrapKey(kek, unwrapKey(keys, wrappedKey, bound), bound)
    },

    reveal<Claims>(place: Place<ClaimsName>, stored: unknown, wrappedKey: string | null) {
      if (stored === null || stored === undefined) return null
      try {
        return revealed(place, stored, wrappedKey) as Claims
      } catch (thrown) {
        if (thrown instanceof SecretError) onRefused(thrown)
        throw thrown
      }
    },

    keyOf: (column, id) =>
      keys.length === 0
        ? fragment`NULL::text`
        : fragment`(SELECT k.wrapped FROM content_keys k WHERE k.row_id = ${id} AND k.column_name = ${column})`,

    storeKeys: (claims, after) => storedKeys(claims, after),
  }
}

/** Without a key-encryption key: claims are stored in the clear. */
export const claimsInClear: ClaimsVault = createClaimsVault({
  keys: [],
  installation: '',
  clearIsRefused: () => false,
  onRefused: () => {},
})

/** The step that deletes the content keys of rows whose claims another step erases. */
export const forgottenKeys = (column: ClaimsName, erased: Step<'id'>): Step =>
  new Step(
    'content_keys_forgotten',
    fragment`
      DELETE FROM content_keys k USING ${erased} WHERE k.row_id = ${erased.column('id')} AND k.column_name = ${column}`,
  )

function storedKeys(claims: readonly ProtectedClaims[], after: Step): Step[] {
  const encrypted = claims.filter(({ wrappedKey }) => wrappedKey !== null)
  if (encrypted.length === 0) return []
  return [
    new Step(
      'content_keys_stored',
      fragment`
        INSERT INTO content_keys (row_id, column_name, wrapped)
        SELECT n.row_id, n.column_name, n.wrapped
        FROM unnest(${encrypted.map(({ place }) => place.id)}::text[], ${encrypted.map(({ place }) => place.column)}::text[],
          ${encrypted.map(({ wrappedKey }) => wrappedKey ?? '')}::text[]) AS n(row_id, column_name, wrapped)
        WHERE EXISTS (SELECT 1 FROM ${after})
        ON CONFLICT (row_id, column_name) DO UPDATE SET wrapped = EXCLUDED.wrapped`,
    ),
  ]
}
