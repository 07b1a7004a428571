import type { IncomingHttpHeaders } from 'node:http'
import { errors } from '../../api/errors.js'
import type { Config } from '../../config/config.js'
import type { DpopProof } from '../../protocol/oauth/dpop.js'
import { OAuthError } from '../../protocol/oauth/error.js'
import { AttestationError } from '../../protocol/openid4vci/attester.js'
import { verifyWalletAttestation, type WalletAttestation } from '../../protocol/openid4vci/wallet-attestation.js'
import type { Work } from '../../protocol/work.js'
import type { AttestationStatusesOf } from './attestation-status.js'
import { isHaip, type ProfiledOffer } from './haip.js'
import type { Seals } from './sealed.js'
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

/** What is proven about the sender of a token request. */
export interface TokenClient {
  /** The DPoP proof of the request (RFC 9449 §5): the token is bound to its key. */
  readonly dpop: DpopProof | undefined
  /** The wallet, by its attestation where it has one. */
  readonly wallet: WalletClient
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

/** Turns errors that an attestation can cause into refusals; all others are faults of this service and are rethrown. */
function refusal(thrown: unknown): unknown {
  return thrown instanceof AttestationError ? invalidClient(thrown.message, {}, thrown) : thrown
}

/** What {@link createClientAuthentication} is made of. */
export interface ClientAuthenticationPorts {
  readonly config: Pick<Config, 'attestationTrust' | 'issuerBaseUrl' | 'issuerProfile'>
  readonly seals: Pick<Seals, 'attestationChallenge' | 'isAttestationChallenge'>
  readonly statusesOf: AttestationStatusesOf
  readonly clock: () => Date
}

export type ClientAuthentication = ReturnType<typeof createClientAuthentication>

/** Who wallets are at the endpoints of the authorization server. */
export function createClientAuthentication({ config, seals, statusesOf, clock }: ClientAuthenticationPorts) {
  /** The error for a proof without a good challenge (Attestation-Based Client Authentication §8.1); it brings a fresh one. */
  const challengeNeeded = (description: string): OAuthError =>
    new OAuthError('use_attestation_challenge', description, {
      status: 401,
      headers: { [CHALLENGE_HEADER]: seals.attestationChallenge() },
    })

  /** A challenge must be ours and fresh (Attestation-Based Client Authentication §8.1); a wallet that has none may do without. */
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
        proofs: proofOnce(jtiHash, expiresAt),
      }
    } catch (thrown) {
      throw refusal(thrown)
    }
  }

  /** HAIP 1.0 §4.4.1: a wallet authenticates with an attestation that brings its certificates, and with a fresh proof. */
  const assertHaipWallet = ({ instanceJkt, certified, challenged }: WalletClient): void => {
    if (instanceJkt === null) throw invalidClient('A wallet attestation is needed (HAIP).')
    if (!certified) throw invalidClient('The wallet attestation must have its certificates in x5c (HAIP).')
    if (!challenged) throw challengeNeeded('The proof of the wallet attestation needs a challenge (HAIP).')
  }

  return {
    /**
     * Who sends a request to PAR or token endpoint: a wallet that its provider attests (OpenID4VCI 1.0 Appendix E), or one that
     * proves nothing.
     *
     * @param parameters of the request
     * @param work pays for the status list of an attestation
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
      if (!attestsWallets(config)) throw invalidClient('Wallet attestations are not taken here.')
      return attestedClient([attestation, proof], parameters.client_id, work)
    },

    /**
     * That a wallet has proven what the profile of everything here, or of an offer, asks of it.
     *
     * @throws OAuthError 401 `invalid_client`, `use_attestation_challenge`
     */
    assertWallet(wallet: WalletClient, offer?: ProfiledOffer): void {
      if (isHaip({ config }, offer)) assertHaipWallet(wallet)
    },

    /**
     * The same of the sender of a token request. HAIP 1.0 §4: tokens are bound to a key by DPoP, and the wallet authenticates.
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
     * @throws 404 where no attestation is believed
     */
    challenge(): string {
      if (!attestsWallets(config)) throw errors.routeNotFound('POST', '/openid4vci/challenge')
      return seals.attestationChallenge()
    },
  }
}
