import type { Vault } from '../../keys/vault.js'
import type { SourceSecret } from './source.js'
import type { ClaimsSourceStore } from './store.js'

export type SourceSecrets = ReturnType<typeof createSourceSecrets>

const placeOf = (schemaId: string) => ({ column: 'claims_sources.secret', id: schemaId }) as const

/** The secrets of claims sources, stored like private keys. */
export function createSourceSecrets(
  store: Pick<ClaimsSourceStore, 'secret'>,
  vault: Pick<Vault, 'protect' | 'reveal'>,
) {
  return {
    /** The stored form of secrets. */
    protect: (schemaId: string, secret: SourceSecret): Promise<string> =>
      vault.protect(placeOf(schemaId), JSON.stringify(secret)),

    /** The secrets of a source. @throws SecretError if they cannot be decrypted */
    async read(schemaId: string): Promise<SourceSecret> {
      const stored = await store.secret(schemaId)
      if (stored === undefined) throw new Error('The claims source has no secret.')
      // The vault returns what `protect` has stored.
      const secret: SourceSecret = JSON.parse(await vault.reveal(placeOf(schemaId), stored))
      return secret
    },
  }
}
