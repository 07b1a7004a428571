import { createHmac, timingSafeEqual } from 'node:crypto'
import { secretKey } from '../../../protocol/jose/secret-key.js'

export type FormTokens = ReturnType<typeof createFormTokens>

/**
 * The tokens of the decision form. They prevent cross-site requests: only a page that was sent to this browser contains a valid
 * token. A token names the credential that its page showed.
 *
 * @param key the key of the MAC
 */
export function createFormTokens({ key }: { readonly key: Uint8Array }) {
  const tokenOf = (id: string, browserHash: string, shown: string): string => {
    const mac = createHmac('sha256', secretKey(key)).update(`${id} ${browserHash} ${shown}`)
    return `${shown}.${mac.digest('base64url')}`
  }

  return {
    /** The token for a page of an authorization. */
    tokenOf,

    /** The name of the credential that the form's page showed; undefined for a foreign token. */
    shownBy(id: string, browserHash: string, sent: unknown): string | undefined {
      const token = String(sent)
      const shown = token.slice(0, Math.max(token.lastIndexOf('.'), 0))
      const [one, other] = [Buffer.from(token), Buffer.from(tokenOf(id, browserHash, shown))]
      return one.length === other.length && timingSafeEqual(one, other) ? shown : undefined
    },
  }
}
