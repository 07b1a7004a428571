import { decryptSecret, encryptSecret, SecretError } from '../protocol/jose/sealed.js'
import type { Place } from './at-rest/columns.js'

/** Protects private keys and recoverable secrets at rest. */
export interface Vault {
  /**
   * @returns a JWE under the first key-encryption key, which can be decrypted only in this place. If no key-encryption
   *   key is configured, it returns the unchanged text.
   */
  protect(place: Place, plaintext: string): Promise<string>
  /**
   * @throws SecretError if no configured key-encryption key decrypts the value, or the value was encrypted for another
   *   place. After all values of the column were encrypted, a value in the clear is also refused. Otherwise a person who
   *   can write to the database could insert keys.
   */
  reveal(place: Place, stored: string): Promise<string>
}

/**
 * Form of a stored value. `current`: the form that this version writes. `former`: encrypted under a former
 * key-encryption key. `unbound`: encrypted by an earlier version, but not for its place. `clear`: not encrypted.
 */
export type StoredForm = 'current' | 'former' | 'unbound' | 'clear'

/** A JWE has four dots; a value in the clear (JSON, base64url) never has. */
const isEncrypted = (stored: string) => /^[\w-]+\.[\w-]*\.[\w-]*\.[\w-]*\.[\w-]*$/.test(stored)

const nameOf = ({ column, id }: Place) => `${column}.${id}`

/**
 * Decrypts a stored value of any form. Throws SecretError if no key decrypts the value, or the value was encrypted for
 * another place.
 */
export async function openStored(
  keys: readonly Uint8Array[],
  place: Place,
  stored: string,
): Promise<{ plaintext: string; form: StoredForm }> {
  if (!isEncrypted(stored)) return { plaintext: stored, form: 'clear' }
  const { plaintext, keyIndex, bound } = await decryptSecret(keys, stored, nameOf(place))
  if (!bound) return { plaintext, form: 'unbound' }
  return { plaintext, form: keyIndex === 0 ? 'current' : 'former' }
}

/** Rules of {@link createVault}. */
export interface VaultRules {
  /** Whether a value in the clear is refused, because all values of its kind were encrypted. Default: always. */
  readonly clearIsRefused?: (place: Place) => boolean | Promise<boolean>
  /** Notes that a value was refused. */
  readonly onRefused?: (refused: SecretError) => void
}

/**
 * @param keys key-encryption keys of 32 bytes; the first key encrypts, all keys decrypt. The content of the list may change while the vault
 *   is in use
 */
export function createVault(keys: readonly Uint8Array[], rules: VaultRules = {}): Vault {
  const { clearIsRefused = () => true, onRefused = () => {} } = rules
  const revealed = async (place: Place, stored: string): Promise<string> => {
    const { plaintext, form } = await openStored(keys, place, stored)
    const isBound = form === 'current' || form === 'former'
    if (keys.length > 0 && !isBound && (await clearIsRefused(place))) throw notEncrypted(place)
    return plaintext
  }

  return {
    protect: async (place, plaintext) => {
      const [current] = keys
      return current === undefined ? plaintext : encryptSecret(current, plaintext, nameOf(place))
    },
    reveal: async (place, stored) => {
      try {
        return await revealed(place, stored)
      } catch (thrown) {
        if (thrown instanceof SecretError) onRefused(thrown)
        throw thrown
      }
    },
  }
}

/** The refusal of a value in the clear. */
export const notEncrypted = ({ column }: Pick<Place, 'column'>): SecretError =>
  new SecretError(`A value of ${column} is not encrypted for its row.`)
