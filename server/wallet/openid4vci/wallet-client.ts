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

/** @throws WalletError where a server authenticates wallets by attestations alone, and there is nobody to vouch for this one. */
function assertWelcome(server: AuthorizationServerMetadata): void {
  const methods = methodsOf(server)
  if (methods.includes(ATTESTED) && !methods.includes('none'))
    throw new WalletError('The authorization server takes attested wallets only: WALLET_PROVIDER_X509 is not set.')
}

const zChallenge = z.object({ attestation_challenge: z.string().min(1).max(4_096) })

/** Attestation-Based Client Authentication, draft 07, §8: a server that has an endpoint for challenges wants one in each proof. */
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
  /** The key of this instance of the wallet, which an attestation is for; undefined where nobody vouches for it. */
  readonly instanceKey: SessionKey | undefined
  /** The authorization was given to an anonymous client, and is renewed by one. */
  readonly anonymous?: boolean
}

/** What {@link createWalletClient} is made of. */
export interface WalletClientPorts {
  readonly config: Pick<Config, 'issuerBaseUrl'>
  /** Undefined where nobody vouches for the hosted wallets. */
  readonly provider: WalletProvider | undefined
  readonly clock: () => Date
}

export type WalletClient = ReturnType<typeof createWalletClient>

/** What the hosted wallets are to issuers and authorization servers: one client, which is the installation and never a holder. */
export function createWalletClient({ config, provider, clock }: WalletClientPorts) {
  const { issuerBaseUrl: id } = config

  /** Whether a server is sent a wallet attestation: it takes them, and there is somebody to vouch for this wallet. */
  const isAttested = (server: AuthorizationServerMetadata): boolean =>
    provider !== undefined && methodsOf(server).includes(ATTESTED)

  /**
   * OpenID4VCI 1.0 §6.1: a pre-authorized code needs no client identifier where the server takes anonymous clients. An attested
   * wallet is not anonymous.
   */
  const isAnonymous = (server: AuthorizationServerMetadata): boolean =>
    server['pre-authorized_grant_anonymous_access_supported'] === true && !isAttested(server)

  return {
    /** `client_id`. */
    id,
    /** Nothing listens there: the redirect is read and not followed. */
    redirectUri: `${id}/openid4vci/wallet`,
    /** Whether somebody vouches for the wallets. */
    hasProvider: provider !== undefined,
    isAnonymous,

    /**
     * Authenticates the wallet to an authorization server: by attestation where the server takes attestations and WALLET_PROVIDER_X509
     * is set, else as a public client or an anonymous one.
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

    /** A key attestation (OpenID4VCI 1.0 Appendix D.1); undefined where nobody vouches for the wallets. */
    attestKeys: async (keys: readonly Jwk[], nonce: string | undefined): Promise<string | undefined> =>
      provider?.attestKeys(keys, nonce, clock()),
  }
}
