import { randomUUID } from 'node:crypto'
import type { CertifiedKey } from '../../agent/certified-key.js'
import { createSigner, type Jwk, type Signer, signCompact } from '../../protocol/jose/jws.js'

/**
 * Lifetime of a wallet attestation. A refresh token is valid for longer, and is used with a new attestation of the same
 * key.
 */
const ATTESTATION_SECONDS = 3_600
/** Each proof is for one request. */
const PROOF_SECONDS = 60
const KEY_ATTESTATION_SECONDS = 300

/** The wallet provider of the hosted wallets: this installation, with the certificates of WALLET_PROVIDER_X509. */
export interface WalletProvider {
  /** A wallet attestation of an instance's key (Attestation-Based Client Authentication, draft 07, §5.1; OpenID4VCI 1.0 Appendix E). */
  attestWallet(clientId: string, instance: Jwk, now: Date): Promise<string>
  /**
   * A key attestation (OpenID4VCI 1.0 Appendix D.1). The attestation states that the keys belong to this wallet. It
   * states nothing about key storage and user authentication, because neither has been evaluated.
   */
  attestKeys(keys: readonly Jwk[], nonce: string | undefined, now: Date): Promise<string>
}

const secondsOf = (now: Date) => Math.floor(now.getTime() / 1000)

/** @param iss name of the provider */
export async function createWalletProvider({ place, x5c }: CertifiedKey, iss: string): Promise<WalletProvider> {
  if (!('privateJwk' in place)) throw new Error('The configuration admits only a private key here.')
  const signer = await createSigner(place.privateJwk, 'wallet-provider')
  const signed = (typ: string, payload: Record<string, unknown>) =>
    signCompact(signer, { typ, kid: undefined, x5c: [...x5c] }, payload)
  return {
    attestWallet: (clientId, instance, now) => {
      const iat = secondsOf(now)
      const claims = { iss, sub: clientId, iat, exp: iat + ATTESTATION_SECONDS, cnf: { jwk: instance } }
      return signed('oauth-client-attestation+jwt', claims)
    },
    attestKeys: (keys, nonce, now) => {
      const iat = secondsOf(now)
      const claims = { iss, iat, exp: iat + KEY_ATTESTATION_SECONDS, attested_keys: [...keys] }
      return signed('key-attestation+jwt', { ...claims, ...(nonce === undefined ? {} : { nonce }) })
    },
  }
}

/** Proves for one request that a wallet has the key of its attestation (Attestation-Based Client Authentication, draft 07, §5.2). */
export function proofOfPossession(
  instance: Signer,
  { clientId, audience, challenge, now }: ProofOptions,
): Promise<string> {
  const iat = secondsOf(now)
  const claims = { iss: clientId, aud: audience, jti: randomUUID(), iat, exp: iat + PROOF_SECONDS }
  const header = { typ: 'oauth-client-attestation-pop+jwt', kid: undefined }
  return signCompact(instance, header, { ...claims, ...(challenge === undefined ? {} : { challenge }) })
}

interface ProofOptions {
  readonly clientId: string
  /** The authorization server's identifier. */
  readonly audience: string
  readonly challenge: string | undefined
  readonly now: Date
}
