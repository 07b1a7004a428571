import type { AuthorizationServerMetadata, CallbackContext } from '@openid4vc/oauth2'
import { z } from 'zod'
import type { Config } from '../../config/config.js'
import type { Jwk } from '../../protocol/jose/jws.js'
import { PRE_AUTHORIZED_CODE_GRANT } from '../../protocol/openid4vci/requests.js'
import { WalletError } from '../exchange/wallet-error.js'
import type { SessionKey } from './wallet-keys.js'
import { proofOfPossession, type WalletProvider } from './wallet-provider.js'

const ATTESTED = 'attest_jwt_client_auth'

const methodsOf = ({ token_endpoint_auth_methods_supported: methods }: AuthorizationServerMetadata) => methods ?? []

/** @throws WalletError if a server accepts only attested wallets, and this installation has no wallet provider. */
function assertWelcome(server: AuthorizationServerMetadata): void {
  const methods = methodsOf(server)
  if (methods.includes(ATTESTED) && !methods.includes('none'))
    throw new WalletError('The authorization server accepts attested wallets only: WALLET_PROVIDER_X509 is not set.')
}

const zChallenge = z.object({ attestation_challenge: z.string().min(1).max(4_096) })

/** Attestation-Based Client Authentication, draft 07, §8: a server with an endpoint for challenges wants a challenge in each proof. */
async function challengeOf(fetch: typeof globalThis.fetch, server: AuthorizationServerMetadata) {
  const { challenge_endpoint: endpoint } = server
  if (typeof endpoint !== 'string') return undefined
  const answer = await fetch(endpoint, { method: 'POST', headers: { accept: 'application/json' } })
  const read = zChallenge.safeParse(answer.ok ? await answer.json().catch(() => undefined) : undefined)
  if (read.success) return read.data.attestation_challenge
  throw new WalletError('The authorization server gave no challenge for the attestation of the wallet.')
}

export interface ClientOptions {
  readonly fetch: typeof globalThis.fetch
  /** The attested key of this wallet instance; undefined without a wallet provider. */
  readonly instanceKey: SessionKey | undefined
  /** Whether an anonymous client got the authorization. The same kind of client must renew the authorization. */
  readonly anonymous?: boolean
}

/** Dependencies of {@link createWalletClient}. */
export interface WalletClientPorts {
  readonly config: Pick<Config, 'issuerBaseUrl'>
  /** Undefined if this installation has no wallet provider. */
  readonly provider: WalletProvider | undefined
  readonly clock: () => Date
}

export type WalletClient = ReturnType<typeof createWalletClient>

/** The identity of the hosted wallets for issuers and authorization servers. All holders share one client, the installation. */
export function createWalletClient({ config, provider, clock }: WalletClientPorts) {
  const { issuerBaseUrl: id } = config

  /** Whether a server receives a wallet attestation: the server accepts attestations, and there is a wallet provider. */
  const isAttested = (server: AuthorizationServerMetadata): boolean =>
    provider !== undefined && methodsOf(server).includes(ATTESTED)

  /**
   * OpenID4VCI 1.0 §6.1: a pre-authorized code needs no client identifier if the server accepts anonymous clients. An attested
   * wallet is not anonymous.
   */
  const isAnonymous = (server: AuthorizationServerMetadata): boolean =>
    server['pre-authorized_grant_anonymous_access_supported'] === true && !isAttested(server)

  return {
    /** `client_id`. */
    id,
    /** No endpoint exists at this address: the wallet reads the redirect and does not follow it. */
    redirectUri: `${id}/openid4vci/wallet`,
    /** Whether this installation has a wallet provider. */
    hasProvider: provider !== undefined,
    isAnonymous,

    /**
     * Authenticates the wallet to an authorization server. The wallet uses an attestation if the server accepts
     * attestations and WALLET_PROVIDER_X509 is set. Otherwise the wallet is a public or an anonymous client.
     */
    authentication:
      ({ fetch, instanceKey, anonymous = false }: ClientOptions): CallbackContext['clientAuthentication'] =>
      async ({ authorizationServerMetadata: server, body, headers }) => {
        const isPreAuthorized = body.grant_type === PRE_AUTHORIZED_CODE_GRANT
        if (isPreAuthorized ? isAnonymous(server) : anonymous) return
        body.client_id = id
        if (provider === undefined || instanceKey === undefined) return assertWelcome(server)
        if (!isAttested(server)) return
        const { publicJwk } = instanceKey.signer
        const challenge = await challengeOf(fetch, server)
        const now = clock()
        const proof = { clientId: id, audience: server.issuer, challenge, now }
        headers.set('OAuth-Client-Attestation', await provider.attestWallet(id, publicJwk, now))
        headers.set('OAuth-Client-Attestation-PoP', await proofOfPossession(instanceKey.signer, proof))
      },

    /** A key attestation (OpenID4VCI 1.0 Appendix D.1); undefined without a wallet provider. */
    attestKeys: async (keys: readonly Jwk[], nonce: string | undefined): Promise<string | undefined> =>
      provider?.attestKeys(keys, nonce, clock()),
  }
}
