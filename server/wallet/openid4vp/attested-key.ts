import type { Config } from '../../config/config.js'
import { DEFAULT_LEEWAY_SECONDS } from '../../protocol/credential/verification.js'
import { decodeCompact, type Jwk, JwsError, verifyDecoded } from '../../protocol/jose/jws.js'
import {
  attestationHasExpired,
  readVerifierAttestation,
  type VerifierAttestation,
  VerifierAttestationError,
} from '../../protocol/openid4vp/verifier-attestation.js'
import { WalletError } from '../exchange/wallet-error.js'

type Issuers = Config['verifierAttestationIssuers']

/** Values that an attestation must match. */
export interface AttestedRequest {
  /** The client identifier without its prefix. */
  readonly identifier: string
  readonly responseUri: string
}

const refused = (reason: string, options?: ErrorOptions) =>
  new WalletError(`The verifier attestation is refused: ${reason}.`, options)

/**
 * The key that must have signed a request, by the verifier attestation in its JOSE header `jwt` (OpenID4VP 1.0 §5.9.3
 * `verifier_attestation`, §12). The attestation must come from a trusted issuer, name this verifier and be valid now.
 *
 * @param issuers keys, each with the only `iss` that the key may sign for.
 * @throws WalletError that names the failed check.
 */
export function attestedKey(compact: unknown, request: AttestedRequest, issuers: Issuers, now: Date): Jwk {
  if (typeof compact !== 'string') throw refused('the request has none')
  const attestation = read(compact)
  checkIssuer(compact, issuers)
  const { subject, notBefore, redirectUris, jwk } = attestation
  if (attestationHasExpired(attestation, now)) throw refused('it has expired')
  if (notBefore !== undefined && notBefore.getTime() > now.getTime() + DEFAULT_LEEWAY_SECONDS * 1000) {
    throw refused('it is not valid yet')
  }
  if (subject !== request.identifier) throw refused('its sub is not the client identifier')
  // §5.9.3; with direct_post the response_uri replaces the redirect_uri (§8.2).
  if (redirectUris !== undefined && !redirectUris.includes(request.responseUri)) {
    throw refused('its redirect_uris do not hold the response_uri')
  }
  return jwk
}

function read(compact: string): VerifierAttestation {
  try {
    return readVerifierAttestation(compact)
  } catch (thrown) {
    if (!(thrown instanceof VerifierAttestationError)) throw thrown
    throw refused(thrown.message, { cause: thrown })
  }
}

/** A key signs only for its own issuer. If the attestation and the key both have a `kid`, the two must be equal. */
function checkIssuer(compact: string, issuers: Issuers): void {
  const decoded = decodeCompact(compact)
  const { kid } = decoded.header
  const ofIssuer = issuers.filter(({ iss }) => iss === decoded.payload.iss)
  if (ofIssuer.length === 0) throw refused('its issuer is not trusted to attest')
  const isSignedBy = (jwk: Jwk): boolean => {
    try {
      verifyDecoded(decoded, jwk)
      return true
    } catch (thrown) {
      if (thrown instanceof JwsError) return false
      throw thrown
    }
  }
  const keys = ofIssuer.filter(({ jwk }) => kid === undefined || jwk.kid === undefined || jwk.kid === kid)
  if (!keys.some(({ jwk }) => isSignedBy(jwk))) throw refused('it is signed with no key of its issuer')
}
