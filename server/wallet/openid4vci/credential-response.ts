import { z } from 'zod'
import { WalletError } from '../exchange/wallet-error.js'

const MAX_TRANSACTION_ID = 4_096
/** The default of OpenID4VCI's drafts for an answer without `interval`. */
const DEFAULT_INTERVAL_SECONDS = 5

/** The content of a Credential Response or Deferred Credential Response (OpenID4VCI 1.0 §8.3, §9.2). */
export type CredentialResponse =
  | {
      readonly kind: 'issued'
      /** Compact credentials, at most one for each key. */
      readonly compacts: readonly string[]
      readonly notificationId: string | undefined
    }
  | {
      readonly kind: 'deferred'
      readonly transactionId: string
      /** Minimum time before the next request. */
      readonly intervalSeconds: number
    }

const zCredential = z.union([z.string(), z.record(z.string(), z.unknown())])

/** Drafts also allow bare credentials and a single credential. */
const zCredentialResponse = z.object({
  credential: zCredential.optional(),
  credentials: z.array(z.union([z.object({ credential: zCredential }), zCredential])).optional(),
  transaction_id: z.string().min(1).max(MAX_TRANSACTION_ID).optional(),
  interval: z.number().positive().optional().catch(undefined),
  notification_id: z.string().optional(),
})

type Response = z.output<typeof zCredentialResponse>

function entriesOf({ credential, credentials }: Response): readonly unknown[] {
  if (credentials !== undefined) return credentials
  return credential === undefined ? [] : [credential]
}

function compactsOf(response: Response, atMost: number): string[] {
  const found = entriesOf(response).map((entry) => {
    const credential = typeof entry === 'object' && entry !== null && 'credential' in entry ? entry.credential : entry
    if (typeof credential === 'string') return credential
    throw new WalletError('The issuer sent a credential that is not compact.')
  })
  if (found.length === 0) throw new WalletError('The issuer sent no credential.')
  if (found.length > atMost) throw new WalletError('The issuer sent more credentials than the wallet requested.')
  return found
}

/**
 * Reads the issuer's answer to a request with a number of keys. Without keys the issuer sends one credential.
 *
 * @throws WalletError
 */
export function readCredentialResponse(body: unknown, keys: number): CredentialResponse {
  const read = zCredentialResponse.safeParse(body)
  if (!read.success) throw new WalletError('The answer of the credential endpoint contains no credentials.')
  const { transaction_id: transactionId, interval = DEFAULT_INTERVAL_SECONDS, notification_id: id } = read.data
  if (transactionId === undefined) {
    return { kind: 'issued', compacts: compactsOf(read.data, Math.max(keys, 1)), notificationId: id }
  }
  if (entriesOf(read.data).length > 0)
    throw new WalletError('The issuer sent a credential and deferred it at the same time.')
  return { kind: 'deferred', transactionId, intervalSeconds: interval }
}
