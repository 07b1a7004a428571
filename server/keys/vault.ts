import { decryptSecret, encryptSecret } from '../protocol/jose/sealed.js'

/** Protects private keys and recoverable secrets at rest. */
export interface Vault {
  /** @returns a compact JWE under the first key-encryption key, or the text as it is where none is configured. */
  protect(plaintext: string): Promise<string>
  /** @throws where no configured key-encryption key opens it. */
  reveal(stored: string): Promise<string>
  /** Whether `protect` would store it otherwise today: in the clear, or under a former key-encryption key. */
  isOutdated(stored: string): Promise<boolean>
}

/** A compact JWE has four dots; what is stored in the clear (JSON, base64url) never has. */
const isEncrypted = (stored: string) => /^[\w-]+\.[\w-]*\.[\w-]*\.[\w-]*\.[\w-]*$/.test(stored)

/** @param keys key-encryption keys of 32 bytes; the first one encrypts, all of them decrypt. */
export function createVault(keys: readonly Uint8Array[]): Vault {
  const [current] = keys
  return {
    protect: async (plaintext) => (current === undefined ? plaintext : encryptSecret(current, plaintext)),
    reveal: async (stored) => (isEncrypted(stored) ? (await decryptSecret([...keys], stored)).plaintext : stored),
    isOutdated: async (stored) => {
      if (!isEncrypted(stored)) return current !== undefined
      return (await decryptSecret([...keys], stored)).keyIndex !== 0
    },
  }
}
