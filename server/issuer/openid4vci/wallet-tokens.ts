import type { Config } from '../../config/config.js'
import type { PartitionPlan } from '../../maintenance/partitions/task.js'
import { CLOCK_SKEW_SECONDS, dueRows, type MaintenanceTask } from '../../maintenance/task.js'
import { OAuthError } from '../../protocol/oauth/error.js'
import { accessTokenSeconds } from './access-token.js'
import type { ClientAuthentication, TokenClient } from './client-authentication.js'
import { type Grant, type GrantType, grantTypesOf, type TokenParameters, type TokenResponse } from './grants/grant.js'
import type { Openid4vciStore } from './store.js'

/** Dependencies of {@link createWalletTokens}. */
export interface WalletTokensPorts {
  readonly grants: Readonly<Record<GrantType, Grant>>
  readonly config: Pick<Config, 'issuerProfile'>
  readonly assertTokenClient: ClientAuthentication['assertTokenClient']
  readonly store: Pick<Openid4vciStore, 'removeTokens'>
  readonly partitionTask: (plan: PartitionPlan) => MaintenanceTask
}

export type WalletTokens = ReturnType<typeof createWalletTokens>

/** The access tokens of wallets. */
export function createWalletTokens({ grants, config, assertTokenClient, store, partitionTask }: WalletTokensPorts) {
  const tasks: readonly MaintenanceTask[] = [
    partitionTask({
      table: 'issuance_tokens',
      step: { hours: 4 },
      ahead: 2,
      writesAheadSeconds: accessTokenSeconds(true),
      droppable: async () => true,
    }),
    dueRows({
      name: 'remove access tokens',
      everyMs: 60_000,
      seconds: CLOCK_SKEW_SECONDS,
      batch: store.removeTokens,
    }),
  ]
  return {
    tasks,

    /**
     * Exchanges a code, or a refresh token, for an access token (OpenID4VCI 1.0 §6).
     *
     * @throws OAuthError with the code of RFC 6749 §5.2 that fits.
     */
    async issue(parameters: TokenParameters, client: TokenClient): Promise<TokenResponse> {
      const { grant_type: sent } = parameters
      if (sent === undefined) throw new OAuthError('invalid_request', 'grant_type is missing.')
      const supported = grantTypesOf({ config })
      const grantType = supported.find((type) => type === sent)
      if (grantType === undefined)
        throw new OAuthError('unsupported_grant_type', `The grant_type is not supported; use ${supported.join(', ')}.`)
      assertTokenClient(client)
      return grants[grantType](parameters, client)
    },
  }
}
