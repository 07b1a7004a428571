import type { Config } from '../../config/config.js'
import type { DidResolver } from '../../dids/resolver.js'
import { untrustedSigner } from '../../protocol/credential/untrusted-signer.js'
import {
  CredentialError,
  checkTimes,
  DEFAULT_LEEWAY_SECONDS,
  mediaTypeOf,
} from '../../protocol/credential/verification.js'
import { findVerificationMethod } from '../../protocol/did/did-document.js'
import { DidResolutionError } from '../../protocol/did/did-resolution-error.js'
import { didOf } from '../../protocol/did/did-url.js'
import { IssuerKeyError } from '../../protocol/issuer-keys/issuer-key-error.js'
import { trustedChain } from '../../protocol/issuer-keys/trusted-chain.js'
import { type DecodedJws, type Jwk, JwsError, verifyDecoded } from '../../protocol/jose/jws.js'
import { ClientIdentifierError, certifiedIdentifier } from '../../protocol/openid4vp/client-identifier.js'
import { WalletError } from '../exchange/wallet-error.js'
import { attestedKey } from './attested-key.js'
import { clientIdPrefixes } from './client-id-prefixes.js'
import type { ClaimedVerifier, Profile } from './profiles/profile.js'
import type { ReceivedRequest } from './receive-request.js'

/** OpenID4VP 1.0 §5.8: the audience if the verifier does not know the wallet's own identifier. */
const SELF_ISSUED = 'https://self-issued.me/v2'

/** A signed request, and the verifier that it claims to be from. */
interface Claim extends ClaimedVerifier {
  readonly signed: DecodedJws
  readonly responseUri: string
}

/** Finds the key that must have signed a request. */
type KeyOf = (claim: Claim) => Promise<Jwk>

/** RFC 9101 §6.2. `iat` is not checked, because `iat` proves nothing. */
function checkClaims({ payload: { aud, exp, nbf } }: DecodedJws, now: Date): void {
  const audiences: readonly unknown[] = aud === undefined ? [SELF_ISSUED] : [aud].flat()
  if (!audiences.includes(SELF_ISSUED)) throw new WalletError('The authorization request is meant for another wallet.')
  try {
    checkTimes({ exp, nbf }, 'The authorization request', now, { past: DEFAULT_LEEWAY_SECONDS, exp: 0 })
  } catch (thrown) {
    throw thrown instanceof CredentialError ? new WalletError(thrown.message) : thrown
  }
}

const isRefusal = (thrown: unknown): thrown is Error =>
  thrown instanceof DidResolutionError || thrown instanceof IssuerKeyError || thrown instanceof JwsError

async function checkSignature(signed: DecodedJws, keyOf: () => Promise<Jwk>): Promise<void> {
  try {
    verifyDecoded(signed, await keyOf())
  } catch (thrown) {
    if (!isRefusal(thrown)) throw thrown
    const untrusted = thrown instanceof IssuerKeyError ? untrustedSigner('verifiers', signed.header.x5c) : undefined
    throw new WalletError(`The authorization request's signature is refused: ${thrown.message}`, {
      cause: thrown,
      untrusted,
    })
  }
}

function nameOf(...certified: Parameters<typeof certifiedIdentifier>): string {
  try {
    return certifiedIdentifier(...certified)
  } catch (thrown) {
    if (!(thrown instanceof ClientIdentifierError)) throw thrown
    throw new WalletError(`A verifier with this client identifier needs ${thrown.message}.`)
  }
}

/** Dependencies of {@link createAuthenticateVerifier}. */
export interface AuthenticateVerifierPorts {
  readonly config: Pick<Config, 'verifierAttestationIssuers' | 'verifierTrustAnchors' | 'listed'>
  readonly resolver: Pick<DidResolver, 'resolve'>
  readonly clock: () => Date
}

/**
 * Authenticates the sender of a request by the rules of its client identifier prefix (OpenID4VP 1.0 §5.9.3). The answer must go to
 * an address that this prefix allows.
 *
 * @throws WalletError with the reason.
 */
export type AuthenticateVerifier = ReturnType<typeof createAuthenticateVerifier>

/** Creates {@link AuthenticateVerifier} from its dependencies. */
export function createAuthenticateVerifier({ config, resolver, clock }: AuthenticateVerifierPorts) {
  /** The key of the DID that `kid` names. A `jwk` in the header proves nothing about the verifier. */
  const keyOfDid: KeyOf = async ({ identifier: did, signed }) => {
    const { kid } = signed.header
    const url = typeof kid === 'string' && kid.startsWith('#') ? `${did}${kid}` : kid
    if (typeof url !== 'string' || didOf(url) !== did) {
      throw new WalletError(
        'The authorization request is not signed with a key of the DID that is its client identifier.',
      )
    }
    const document = await resolver.resolve(did)
    const method =
      findVerificationMethod(document, url, 'authentication') ??
      findVerificationMethod(document, url, 'assertionMethod')
    if (method === undefined) throw new WalletError(`The verifier's DID does not list the key ${url}.`)
    return method.jwk
  }

  /**
   * The key of the certificate that the client identifier names. Only VERIFIER_TRUST_ANCHORS and lists of
   * verifiers count: a root for credentials vouches for no verifier.
   */
  const keyOfCertificate =
    (kind: 'x509_san_dns' | 'x509_hash'): KeyOf =>
    async ({ prefix, identifier, signed, responseUri }) => {
      const { verifierTrustAnchors: trustAnchors, listed } = config
      const io = { trustAnchors, lists: listed?.verifiers, now: clock(), purpose: 'request' } as const
      const { leaf, jwk } = trustedChain(signed.header.x5c, io)
      const named = nameOf(kind, leaf.raw.toString('base64'), responseUri)
      if (named === `${prefix}:${identifier}`) return jwk
      throw new WalletError('The client identifier does not match the certificate and the response_uri.')
    }

  const keyOfAttestation: KeyOf = async (claim) =>
    attestedKey(claim.signed.header.jwt, claim, config.verifierAttestationIssuers, clock())

  /** By prefix, for prefixes with signed requests (OpenID4VP 1.0 §5.9.3). */
  const signerKeys: ReadonlyMap<string, KeyOf> = new Map([
    ['decentralized_identifier', keyOfDid],
    ['x509_san_dns', keyOfCertificate('x509_san_dns')],
    ['x509_hash', keyOfCertificate('x509_hash')],
    ['verifier_attestation', keyOfAttestation],
  ])

  return async (
    profile: Profile,
    { parameters, signed }: ReceivedRequest,
    verifier: ClaimedVerifier,
    responseUri: string,
  ): Promise<void> => {
    const { prefix, identifier } = verifier
    // §5.9.2: a client identifier without a prefix names a pre-registered client. This wallet has none.
    if (!clientIdPrefixes(config).includes(prefix)) {
      throw new WalletError(`Verifiers of the kind ${prefix.slice(0, 64)} are not known to this wallet.`)
    }
    // OpenID4VP 1.0 has no metadata by reference.
    if (parameters.client_metadata_uri !== undefined) {
      throw new WalletError('The authorization request has client_metadata_uri, which is not supported.')
    }
    const keyOf = signerKeys.get(prefix)
    if (keyOf === undefined) {
      if (signed !== undefined) throw new WalletError(`A verifier of the kind ${prefix} does not sign its requests.`)
      if (responseUri !== identifier) throw new WalletError('The response_uri does not match the client identifier.')
      return
    }
    if (signed === undefined) throw new WalletError(`A verifier of the kind ${prefix} must sign its requests.`)
    if (!profile.allowsType(mediaTypeOf(signed.header.typ))) {
      throw new WalletError('The authorization request is signed, but its typ does not name a request object.')
    }
    checkClaims(signed, clock())
    await checkSignature(signed, () => keyOf({ ...verifier, signed, responseUri }))
  }
}
