import type { Vault } from '../keys/vault.js'
import type { SigningSecrets } from './signing.js'

export type WebhookSecrets = ReturnType<typeof createWebhookSecrets>

const placeOf = (webhookId: string) => ({ column: 'webhooks.secret', id: webhookId }) as const

/** The secrets of webhooks, stored like private keys. */
export const createWebhookSecrets = (vault: Pick<Vault, 'protect' | 'reveal'>) => ({
  /** The stored form of secrets. */
  protect: (webhookId: string, secrets: SigningSecrets): Promise<string> =>
    vault.protect(placeOf(webhookId), JSON.stringify(secrets)),

  /** The secrets in their stored form. @throws SecretError if they cannot be decrypted */
  async reveal(webhookId: string, stored: string): Promise<SigningSecrets> {
    // The vault returns what `protect` has stored.
    const secrets: SigningSecrets = JSON.parse(await vault.reveal(placeOf(webhookId), stored))
    return secrets
  },
})
