import type { IncomingHttpHeaders } from 'node:http'
import { errors } from '../../api/errors.js'
import type { Config } from '../../config/config.js'
import { isAnchored } from '../../protocol/issuer-keys/trusted-chain.js'
import type { DpopProof } from '../../protocol/oauth/dpop.js'
import { OAuthError } from '../../protocol/oauth/error.js'
import { AttestationError } from '../../protocol/openid4vci/attester.js'
import { verifyWalletAttestation, type WalletAttestation } from '../../protocol/openid4vci/wallet-attestation.js'
import type { Work } from '../../protocol/work.js'
import { type WatchedStatus, watchedOf } from '../attestation-watch/watched.js'
import type { AttestationStatusesOf } from './attestation-status.js'
import { isHaip, type ProfiledOffer } from './haip.js'
import type { Seals } from './sealed.js'
import { proofOnce, type UsedOnce } from './used-once-store.js'

/** A wallet at an endpoint of the authorization server, with the identity that it has proven. */
export interface WalletClient {
  /** The `sub` of its attestation; undefined for a wallet without attestation. */
  readonly clientId: string | undefined
  /** Thumbprint of the attested instance's key; null for a wallet without attestation. */
  readonly instanceJkt: string | null
  readonly walletName: string | undefined
  /** Whether its attestation contains the certificates of its provider. */
  readonly certified: boolean
  /** Whether its proof contains a challenge of this service. */
  readonly challenged: boolean
  /** The statuses of its attestation that are looked at again after an issuance. */
  readonly statuses: readonly WatchedStatus[]
  /** Proofs that count once. The SQL statement of the request marks these proofs as used. */
  readonly proofs: readonly UsedOnce[]
}

/** The sender of a token request, with its proofs. */
export interface TokenClient {
  /** The DPoP proof of the request (RFC 9449 §5): the token is bound to its key. */
  readonly dpop: DpopProof | undefined
  /** The wallet, identified by its attestation if it has one. */
  readonly wallet: WalletClient
}

const UNPROVEN: WalletClient = {
  clientId: undefined,
  instanceJkt: null,
  walletName: undefined,
  certified: false,
  challenged: false,
  statuses: [],
  proofs: [],
}

/** Parameters of client authentication (RFC 6749 §2.3.1, RFC 7521 §4.2). */
const CREDENTIALS = ['client_secret', 'client_assertion'] as const

const CHALLENGE_HEADER = 'OAuth-Client-Attestation-Challenge'

const invalidClient = (description: string, headers: Record<string, string> = {}, cause?: unknown) =>
  new OAuthError('invalid_client', description, { status: 401, headers, cause })

/** Refuses unsupported client authentication, because a client that sends it expects a check. */
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
export const attestsWallets = ({ attestationTrust }: Pick<Config, 'attestationTrust'>) =>
  isAnchored(attestationTrust) || attestationTrust.providers.length > 0

/** One header of an attestation. Node joins repeated headers by a comma, which no JWT contains. */
function headerOf(headers: IncomingHttpHeaders, name: string): string | undefined {
  const value = headers[name]
  const text = value === undefined ? undefined : [value].flat().join(', ')
  if (text?.includes(',')) throw invalidClient(`There must be one ${name} header.`)
  return text
}

/**
 * Turns errors that an attestation can cause into refusals. All other errors are faults of this service and are returned
 * unchanged.
 */
function refusal(thrown: unknown): unknown {
  return thrown instanceof AttestationError ? invalidClient(thrown.message, {}, thrown) : thrown
}

/** Dependencies of {@link createClientAuthentication}. */
export interface ClientAuthenticationPorts {
  readonly config: Pick<Config, 'attestationTrust' | 'issuerBaseUrl' | 'issuerProfile'>
  readonly seals: Pick<Seals, 'attestationChallenge' | 'isAttestationChallenge'>
  readonly statusesOf: AttestationStatusesOf
  readonly clock: () => Date
}

export type ClientAuthentication = ReturnType<typeof createClientAuthentication>

/** Identifies wallets at the endpoints of the authorization server. */
export function createClientAuthentication({ config, seals, statusesOf, clock }: ClientAuthenticationPorts) {
  /**
   * The error for a proof without a valid challenge (Attestation-Based Client Authentication §8.1). The error contains
   * a fresh challenge.
   */
  const challengeNeeded = (description: string): OAuthError =>
    new OAuthError('use_attestation_challenge', description, {
      status: 401,
      headers: { [CHALLENGE_HEADER]: seals.attestationChallenge() },
    })

  /**
   * A challenge must come from this service and be fresh (Attestation-Based Client Authentication §8.1). A proof may also have
   * no challenge.
   */
  const assertChallenge = ({ challenge }: WalletAttestation): void => {
    if (challenge === undefined || seals.isAttestationChallenge(challenge)) return
    throw challengeNeeded('The challenge of the proof is unknown or has expired.')
  }

  const attestedClient = async (
    [attestation, proof]: readonly [string, string],
    clientId: string | undefined,
    work: Work,
  ): Promise<WalletClient> => {
    const { attestationTrust: trust, issuerBaseUrl: audience } = config
    const now = clock()
    try {
      const verified = verifyWalletAttestation(attestation, proof, { trust, audience, now })
      if (clientId !== undefined && clientId !== verified.clientId)
        throw invalidClient('The client_id is not the sub of the wallet attestation.')
      assertChallenge(verified)
      await statusesOf(work, now).assertValid(verified, 'wallet attestation')
      const { instanceJkt, walletName, certified, challenge, jtiHash, expiresAt } = verified
      return {
        clientId: verified.clientId,
        instanceJkt,
        walletName,
        certified,
        challenged: challenge !== undefined,
        statuses: watchedOf(verified, 'wallet'),
        proofs: proofOnce(jtiHash, expiresAt),
      }
    } catch (thrown) {
      throw refusal(thrown)
    }
  }

  /** HAIP 1.0 §4.4.1: a wallet authenticates with an attestation that contains its certificates, and with a fresh proof. */
  const assertHaipWallet = ({ instanceJkt, certified, challenged }: WalletClient): void => {
    if (instanceJkt === null) throw invalidClient('A wallet attestation is needed (HAIP).')
    if (!certified) throw invalidClient('The wallet attestation must have its certificates in x5c (HAIP).')
    if (!challenged) throw challengeNeeded('The proof of the wallet attestation needs a challenge (HAIP).')
  }

  return {
    /**
     * Identifies the sender of a request to the PAR or token endpoint. The sender is a wallet with an attestation (OpenID4VCI
     * 1.0 Appendix E), or a wallet without any proof.
     *
     * @param parameters the parameters of the request
     * @param work the budget for the status list of an attestation
     * @throws OAuthError 401 `invalid_client`, `use_attestation_challenge`
     */
    async authenticate(
      headers: IncomingHttpHeaders,
      parameters: Readonly<Record<string, string | undefined>>,
      work: Work,
    ): Promise<WalletClient> {
      assertKnownAuthentication(headers, parameters)
      const attestation = headerOf(headers, 'oauth-client-attestation')
      const proof = headerOf(headers, 'oauth-client-attestation-pop')
      if (attestation === undefined && proof === undefined) return UNPROVEN
      if (attestation === undefined || proof === undefined)
        throw invalidClient('OAuth-Client-Attestation and OAuth-Client-Attestation-PoP must be sent together.')
      if (!attestsWallets(config)) throw invalidClient('Wallet attestations are not supported here.')
      return attestedClient([attestation, proof], parameters.client_id, work)
    },

    /**
     * Asserts that a wallet has the proofs that the profile of this installation, or of an offer, requires.
     *
     * @throws OAuthError 401 `invalid_client`, `use_attestation_challenge`
     */
    assertWallet(wallet: WalletClient, offer?: ProfiledOffer): void {
      if (isHaip({ config }, offer)) assertHaipWallet(wallet)
    },

    /**
     * Asserts that the sender of a token request has the required proofs. HAIP 1.0 §4 requires DPoP and an
     * authenticated wallet.
     *
     * @throws OAuthError 401 `invalid_client`, `use_attestation_challenge`; `invalid_dpop_proof`
     */
    assertTokenClient({ wallet, dpop }: TokenClient, offer?: ProfiledOffer): void {
      if (!isHaip({ config }, offer)) return
      assertHaipWallet(wallet)
      if (dpop === undefined) throw new OAuthError('invalid_dpop_proof', 'The DPoP proof is missing (HAIP).')
    },

    /**
     * A fresh challenge for the proof of a wallet attestation.
     *
     * @throws 404 if no wallet provider is trusted
     */
    challenge(): string {
      if (!attestsWallets(config)) throw errors.routeNotFound('POST', '/openid4vci/challenge')
      return seals.attestationChallenge()
    },
  }
}
