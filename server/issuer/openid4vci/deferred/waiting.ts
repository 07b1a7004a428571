import { z } from 'zod'
import type { Vault } from '../../../keys/vault.js'
import type { Jwk } from '../../../protocol/jose/jws.js'
import type { JsonObject } from '../../../protocol/json/json-object.js'
import type { ProvenKey } from '../../../protocol/openid4vci/key-proof.js'
import type { TokenContext } from '../tokens/store.js'

/** The seconds after which a wallet may ask again (OpenID4VCI 1.0 §8.3). */
export const INTERVAL_SECONDS = 5

/** The answer to a wallet that has to wait (§8.3, §9.2). */
export const waitingResponse = (transactionId: string): JsonObject => ({
  transaction_id: transactionId,
  interval: INTERVAL_SECONDS,
})

const zKeys = z.array(
  z.object({
    jwk: z.custom<Jwk>((value) => typeof value === 'object' && value !== null),
    did: z.string(),
    kid: z.string().exactOptional(),
  }),
)

const placeOf = (transactionHash: string) => ({ column: 'deferred_issuances.keys', id: transactionHash }) as const

/**
 * Encrypts the proven keys of a waiting wallet with the vault. So nobody with write access to the database can replace a proven
 * key.
 */
export const protectKeys = (
  vault: Pick<Vault, 'protect'>,
  transactionHash: string,
  keys: readonly ProvenKey[],
): Promise<string> => vault.protect(placeOf(transactionHash), JSON.stringify(keys))

/** Decrypts the keys of a transaction that {@link protectKeys} encrypted. */
export const openKeys = async (
  vault: Pick<Vault, 'reveal'>,
  transactionHash: string,
  stored: string,
): Promise<readonly ProvenKey[]> => zKeys.parse(JSON.parse(await vault.reveal(placeOf(transactionHash), stored)))

/**
 * The state of a deferred offer for a token. `pending`: the issuer has not decided yet. `ended`: a decision is no longer
 * possible, or the approved credential is no longer available.
 */
export type Standing = 'pending' | 'approved' | 'rejected' | 'ended'

export function decisionOn({ credentialId, session }: Pick<TokenContext, 'credentialId' | 'session'>): Standing {
  if (session?.state === 'Error') return session.deferred === 'rejected' ? 'rejected' : 'ended'
  // A stored credential was approved, even if its session was removed after the retention time.
  if (credentialId !== null || session?.deferred === 'approved') return 'approved'
  return session === null ? 'ended' : 'pending'
}
