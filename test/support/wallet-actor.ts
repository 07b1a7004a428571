import { didJwk } from '../../server/protocol/did/did-jwk.js'
import type { SignatureAlgorithm } from '../../server/protocol/jose/algorithms.js'
import { createSigner, generateKeyPair, type Jwk, type Signer, signCompact } from '../../server/protocol/jose/jws.js'

/** Members that are added to a proof, or replace members of the proof. */
export interface ProofChanges {
  readonly header?: Readonly<Record<string, unknown>>
  readonly payload?: Readonly<Record<string, unknown>>
}

/** A wallet over plain HTTP, with which a test can send any wrong request. */
export interface WalletActor {
  readonly signer: Signer
  readonly privateJwk: Jwk
  readonly publicJwk: Jwk
  readonly did: string
  /** `kid` of the key within its did:jwk. */
  readonly kid: string
  /** A key proof (OpenID4VCI 1.0 Appendix F.1) that names its key by `jwk`. */
  proof(issuer: string, nonce: string, changes?: ProofChanges): Promise<string>
  /** A key proof that names its key by `kid`, a DID URL. */
  proofByDid(issuer: string, nonce: string, changes?: ProofChanges): Promise<string>
}

export async function newWallet(alg: SignatureAlgorithm = 'ES256'): Promise<WalletActor> {
  const { privateJwk, publicJwk } = await generateKeyPair(alg)
  const did = didJwk(publicJwk)
  const kid = `${did}#0`
  const signer = await createSigner(privateJwk, kid)
  const signed = (issuer: string, nonce: string, key: Record<string, unknown>, changes: ProofChanges = {}) =>
    signCompact(
      signer,
      { typ: 'openid4vci-proof+jwt', ...key, ...changes.header },
      { aud: issuer, iat: Math.floor(Date.now() / 1000), nonce, ...changes.payload },
    )
  return {
    signer,
    privateJwk,
    publicJwk,
    did,
    kid,
    proof: (issuer, nonce, changes) => signed(issuer, nonce, { kid: undefined, jwk: publicJwk }, changes),
    proofByDid: (issuer, nonce, changes) => signed(issuer, nonce, { kid }, changes),
  }
}
