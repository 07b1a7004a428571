import type { JwtPayload, JwtSigner, Jwk as LibraryJwk } from '@openid4vc/oauth2'
import type { Deps } from '../../deps.js'
import { findVerificationMethod } from '../../protocol/did/did-document.js'
import { DidResolutionError } from '../../protocol/did/did-resolution-error.js'
import { didOf } from '../../protocol/did/did-url.js'
import { readX5c, verifyCertificateChain } from '../../protocol/issuer-keys/certificate-chain.js'
import { IssuerKeyError } from '../../protocol/issuer-keys/issuer-key-error.js'
import { type Jwk, JwsError, verifyCompact } from '../../protocol/jose/jws.js'
import { libraryJwk } from '../protocol/library-jwk.js'
import { WalletError } from '../protocol/wallet-error.js'

/** OpenID4VP 1.0 §5.8: the audience where the verifier does not know the wallet's own identifier. */
const SELF_ISSUED = 'https://self-issued.me/v2'

async function didKey(deps: Pick<Deps, 'resolver'>, kid: string): Promise<Jwk> {
  const document = await deps.resolver.resolve(didOf(kid) ?? kid)
  const method =
    findVerificationMethod(document, kid, 'authentication') ?? findVerificationMethod(document, kid, 'assertionMethod')
  if (method === undefined) throw new WalletError(`The verifier's DID does not list the key ${kid}.`)
  return method.jwk
}

/**
 * The key of a request object's signer: one of its DID (OpenID4VP 1.0 §5.9.3 `decentralized_identifier`), or that of a
 * certificate that leads to one of VERIFIER_TRUST_ANCHORS (`x509_hash`, `x509_san_dns`): a root for credentials vouches for no verifier. A `jwk` in the header does not authenticate the signer.
 */
async function signerKey(deps: Deps, signer: JwtSigner): Promise<Jwk> {
  if (signer.method === 'did') return didKey(deps, signer.didUrl)
  if (signer.method === 'x5c') {
    const io = { trustAnchors: deps.config.verifierTrustAnchors, now: deps.clock(), purpose: 'request' } as const
    return verifyCertificateChain(readX5c(signer.x5c), io).jwk
  }
  throw new WalletError('The authorization request is signed with a key that says nothing about its verifier.')
}

function checkClaims(payload: JwtPayload): void {
  const audiences = payload.aud === undefined ? [SELF_ISSUED] : [payload.aud].flat()
  if (!audiences.includes(SELF_ISSUED)) throw new WalletError('The authorization request is meant for another wallet.')
  // Metadata by reference is no part of OpenID4VP 1.0, and the library would fetch it past the outbound guard.
  if (payload.client_metadata_uri !== undefined)
    throw new WalletError('The authorization request has client_metadata_uri, which is not supported.')
}

const isRefusal = (thrown: unknown): thrown is Error =>
  thrown instanceof DidResolutionError || thrown instanceof IssuerKeyError || thrown instanceof JwsError

/**
 * Verifies the signature of a request object (RFC 9101 §6.2) by the key of the client identifier that it claims; that
 * the identifier fits the signer is checked by the library.
 *
 * @throws WalletError with the reason; `verified: false` never says why.
 */
export async function verifyRequestObject(
  deps: Deps,
  signer: JwtSigner,
  payload: JwtPayload,
  compact: string,
): Promise<{ verified: true; signerJwk: LibraryJwk }> {
  checkClaims(payload)
  try {
    const jwk = await signerKey(deps, signer)
    await verifyCompact(compact, jwk)
    return { verified: true, signerJwk: libraryJwk(jwk) }
  } catch (thrown) {
    if (!isRefusal(thrown)) throw thrown
    throw new WalletError(`The authorization request's signature does not hold: ${thrown.message}`, { cause: thrown })
  }
}
