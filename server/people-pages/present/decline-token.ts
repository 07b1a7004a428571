import { createHmac } from 'node:crypto'
import { secretKey } from '../../protocol/jose/secret-key.js'

/**
 * Makes the token of the form with which a person declines. The token belongs to one page, and so to one session, and to one
 * browser. Only a page that was sent to this browser contains it.
 *
 * @param key the key of the MAC
 */
export type DeclineToken = (pageId: string, browserHash: string) => string

export const createDeclineToken =
  (key: Uint8Array): DeclineToken =>
  (pageId, browserHash) =>
    createHmac('sha256', secretKey(key)).update(`${pageId} ${browserHash}`).digest('base64url')
