import type { IncomingHttpHeaders } from 'node:http'
import type { Context } from '../../api/context.js'
import type { Config } from '../../config/config.js'
import type { Deps } from '../../deps.js'
import { OAuthError } from '../../protocol/oauth/error.js'
import { AttestationError } from '../../protocol/openid4vci/attester.js'
import { verifyWalletAttestation, type WalletAttestation } from '../../protocol/openid4vci/wallet-attestation.js'
import { AttestationStatuses } from './attestation-status.js'
import { proofOnce, type UsedOnce } from './used-once-store.js'

/** A wallet at an endpoint of the authorization server, as far as it has proven who it is. */
export interface WalletClient {
  /** Who it is by its attestation (`sub`); undefined for a wallet that proves nothing. */
  readonly clientId: string | undefined
  /** Thumbprint of the attested instance's key; null for a wallet that proves nothing. */
  readonly instanceJkt: string | null
  readonly walletName: string | undefined
  /** Whether its attestation brought the certificates of its provider. */
  readonly certified: boolean
  /** Whether its proof has a challenge of ours. */
  readonly challenged: boolean
  /** Proofs that count once, for the statement that the request makes. */
  readonly proofs: readonly UsedOnce[]
}

const UNPROVEN: WalletClient = {
  clientId: undefined,
  instanceJkt: null,
  walletName: undefined,
  certified: false,
  challenged: false,
  proofs: [],
}

/** Parameters by which a client would authenticate (RFC 6749 §2.3.1, RFC 7521 §4.2). */
const CREDENTIALS = ['client_secret', 'client_assertion'] as const

const CHALLENGE_HEADER = 'OAuth-Client-Attestation-Challenge'

const invalidClient = (description: string, headers: Record<string, string> = {}, cause?: unknown) =>
  new OAuthError('invalid_client', description, { status: 401, headers, cause })

/** Refuses client authentication that this server does not know: a client that sends it expects it to be checked. */
function assertKnownAuthentication(
  headers: IncomingHttpHeaders,
  parameters: Readonly<Record<string, string | undefined>>,
): void {
  const sent = /^([\w-]+)( |$)/.exec(headers.authorization ?? '')?.[1]
  // A Bearer or DPoP token is not client authentication and is ignored.
  const scheme = /^(bearer|dpop)$/i.test(sent ?? '') ? undefined : sent
  const parameter = CREDENTIALS.find((name) => parameters[name] !== undefined)
  if (scheme === undefined && parameter === undefined) return
  const description = `Client authentication by ${parameter ?? `Authorization: ${scheme}`} is not supported.`
  // RFC 6749 §5.2: the challenge names the scheme that the client used.
  throw invalidClient(description, scheme === undefined ? {} : { 'www-authenticate': `${scheme} realm="token"` })
}

/** Whether wallet attestations can be verified: at least one wallet provider is trusted. */
export const attestsWallets = ({ attestationTrust: { trustAnchors, providers } }: Pick<Config, 'attestationTrust'>) =>
  trustAnchors.length > 0 || providers.length > 0

/** One header of an attestation, as Node gives it: several of them joined by a comma, which no JWT has. */
function headerOf(headers: IncomingHttpHeaders, name: string): string | undefined {
  const value = headers[name]
  const text = value === undefined ? undefined : [value].flat().join(', ')
  if (text?.includes(',')) throw invalidClient(`There must be one ${name} header.`)
  return text
}

/** The error for a proof without a good challenge (Attestation-Based Client Authentication §8.1); it brings a fresh one. */
export const challengeNeeded = ({ seals }: Pick<Deps, 'seals'>, description: string): OAuthError =>
  new OAuthError('use_attestation_challenge', description, {
    status: 401,
    headers: { [CHALLENGE_HEADER]: seals.attestationChallenge() },
  })

/** A challenge must be ours and fresh (Attestation-Based Client Authentication §8.1); a wallet that has none may do without. */
function assertChallenge({ seals }: Pick<Deps, 'seals'>, { challenge }: WalletAttestation): void {
  if (challenge === undefined || seals.isAttestationChallenge(challenge)) return
  throw challengeNeeded({ seals }, 'The challenge of the proof is unknown or has expired.')
}

/** Turns errors that an attestation can cause into refusals; all others are faults of this service and are rethrown. */
function refusal(thrown: unknown): unknown {
  return thrown instanceof AttestationError ? invalidClient(thrown.message, {}, thrown) : thrown
}

async function attestedClient(
  { deps, work }: Context,
  [attestation, proof]: readonly [string, string],
  clientId: string | undefined,
): Promise<WalletClient> {
  const { attestationTrust: trust, issuerBaseUrl: audience } = deps.config
  const now = deps.clock()
  try {
    const verified = verifyWalletAttestation(attestation, proof, { trust, audience, now })
    if (clientId !== undefined && clientId !== verified.clientId)
      throw invalidClient('The client_id is not the sub of the wallet attestation.')
    assertChallenge(deps, verified)
    await new AttestationStatuses(deps, work, now).assertValid(verified, 'wallet attestation')
    const { instanceJkt, walletName, certified, challenge, jtiHash, expiresAt } = verified
    return {
      clientId: verified.clientId,
      instanceJkt,
      walletName,
      certified,
      challenged: challenge !== undefined,
      proofs: proofOnce(jtiHash, expiresAt),
    }
  } catch (thrown) {
    throw refusal(thrown)
  }
}

/**
 * Who sends a request to PAR or token endpoint: a wallet that its provider attests (OpenID4VCI 1.0 Appendix E), or one that
 * proves nothing.
 *
 * @throws OAuthError 401 `invalid_client`, `use_attestation_challenge`
 */
export async function authenticateClient(
  ctx: Context,
  parameters: Readonly<Record<string, string | undefined>>,
): Promise<WalletClient> {
  const { headers } = ctx.request
  assertKnownAuthentication(headers, parameters)
  const attestation = headerOf(headers, 'oauth-client-attestation')
  const proof = headerOf(headers, 'oauth-client-attestation-pop')
  if (attestation === undefined && proof === undefined) return UNPROVEN
  if (attestation === undefined || proof === undefined)
    throw invalidClient('OAuth-Client-Attestation and OAuth-Client-Attestation-PoP must be sent together.')
  if (!attestsWallets(ctx.deps.config)) throw invalidClient('Wallet attestations are not taken here.')
  return attestedClient(ctx, [attestation, proof], parameters.client_id)
}
