import { didJwk } from '../../server/protocol/did/did-jwk.js'
import { createSigner, generateKeyPair, type Jwk, type Signer, signCompact } from '../../server/protocol/jose/jws.js'

/** A wallet that speaks plain HTTP, so that a test can send exactly what it wants to be refused. */
export interface WalletActor {
  readonly signer: Signer
  readonly publicJwk: Jwk
  readonly did: string
  /** `kid` of the key within its did:jwk. */
  readonly kid: string
  /** A key proof (OpenID4VCI 1.0 Appendix F.1); header and payload members replace what it would have. */
  proof(
    issuer: string,
    nonce: string,
    replace?: { header?: Record<string, unknown>; payload?: Record<string, unknown> },
  ): Promise<string>
}

export async function newWallet(alg: 'ES256' | 'EdDSA' = 'ES256'): Promise<WalletActor> {
  const { privateJwk, publicJwk } = await generateKeyPair(alg)
  const did = didJwk(publicJwk)
  const kid = `${did}#0`
  const signer = await createSigner(privateJwk, kid)
  return {
    signer,
    publicJwk,
    did,
    kid,
    proof: (issuer, nonce, { header = {}, payload = {} } = {}) =>
      signCompact(
        signer,
        { typ: 'openid4vci-proof+jwt', kid: undefined, jwk: publicJwk, ...header },
        { aud: issuer, iat: Math.floor(Date.now() / 1000), nonce, ...payload },
      ),
  }
}
