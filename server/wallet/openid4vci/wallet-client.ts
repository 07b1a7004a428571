import type { AuthorizationServerMetadata, CallbackContext } from '@openid4vc/oauth2'
import { z } from 'zod'
import type { Deps } from '../../deps.js'
import { PRE_AUTHORIZED_CODE_GRANT } from '../../protocol/openid4vci/requests.js'
import { WalletError } from '../exchange/wallet-error.js'
import type { SessionKey } from './wallet-keys.js'
import { proofOfPossession } from './wallet-provider.js'

const ATTESTED = 'attest_jwt_client_auth'

/** How this wallet names itself to authorization servers: the installation, never a holder. */
export const clientIdOf = (deps: Pick<Deps, 'config'>): string => deps.config.issuerBaseUrl

const methodsOf = ({ token_endpoint_auth_methods_supported: methods }: AuthorizationServerMetadata) => methods ?? []

/** Whether a server is sent a wallet attestation: it takes them, and there is somebody to vouch for this wallet. */
const isAttested = ({ walletProvider }: Pick<Deps, 'walletProvider'>, server: AuthorizationServerMetadata): boolean =>
  walletProvider !== undefined && methodsOf(server).includes(ATTESTED)

/**
 * OpenID4VCI 1.0 §6.1: a pre-authorized code needs no client identifier where the server takes anonymous clients. An attested
 * wallet is not anonymous.
 */
export const isAnonymous = (deps: Pick<Deps, 'walletProvider'>, server: AuthorizationServerMetadata): boolean =>
  server['pre-authorized_grant_anonymous_access_supported'] === true && !isAttested(deps, server)

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

/**
 * How the wallet authenticates to an authorization server: by attestation where the server takes those and WALLET_PROVIDER_X509 is
 * set, else as a public client, or as an anonymous one.
 */
export function clientAuthentication(
  deps: Pick<Deps, 'clock' | 'config' | 'walletProvider'>,
  { fetch, instanceKey, anonymous = false }: ClientOptions,
): CallbackContext['clientAuthentication'] {
  const clientId = clientIdOf(deps)
  return async ({ authorizationServerMetadata: server, body, headers }) => {
    const { walletProvider } = deps
    const isPreAuthorized = body.grant_type === PRE_AUTHORIZED_CODE_GRANT
    if (isPreAuthorized ? isAnonymous(deps, server) : anonymous) return
    body.client_id = clientId
    if (walletProvider === undefined || instanceKey === undefined) return assertWelcome(server)
    if (!isAttested(deps, server)) return
    const { publicJwk } = instanceKey.signer
    const challenge = await challengeOf(fetch, server)
    const now = deps.clock()
    const proof = { clientId, audience: server.issuer, challenge, now }
    headers.set('OAuth-Client-Attestation', await walletProvider.attestWallet(clientId, publicJwk, now))
    headers.set('OAuth-Client-Attestation-PoP', await proofOfPossession(instanceKey.signer, proof))
  }
}
