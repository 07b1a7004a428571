import { z } from 'zod'
import type { Deps } from '../../../deps.js'
import type { Jwk } from '../../../protocol/jose/jws.js'
import type { JsonObject } from '../../../protocol/json/json-object.js'
import type { ProvenKey } from '../../../protocol/openid4vci/key-proof.js'

/** After so many seconds a wallet may ask again (OpenID4VCI 1.0 §8.3). */
const INTERVAL_SECONDS = 5

/** What a wallet is answered that has to wait (§8.3, §9.2). */
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
 * The proven keys of who waits, as the vault protects them: whoever can write to the database cannot put another key in the
 * place of one that was proved.
 */
export const protectKeys = (
  { vault }: Pick<Deps, 'vault'>,
  transactionHash: string,
  keys: readonly ProvenKey[],
): Promise<string> => vault.protect(placeOf(transactionHash), JSON.stringify(keys))

export const openKeys = async (
  { vault }: Pick<Deps, 'vault'>,
  transactionHash: string,
  stored: string,
): Promise<readonly ProvenKey[]> => zKeys.parse(JSON.parse(await vault.reveal(placeOf(transactionHash), stored)))
