import { createHash } from 'node:crypto'
import { type DecodedJws, type Jwk, readPublicJwk, thumbprint } from '../jose/jws.js'
import { isObject } from '../json/json-object.js'
import { assertSigned, assertTimes, decoded, numberOf } from './attestation-jwt.js'
import { type AttestationStatus, attestationStatuses } from './attestation-statuses.js'
import {
  ATTESTATION_ALGORITHMS,
  AttestationError,
  type AttestationTrust,
  type Attester,
  attesterOf,
} from './attester.js'

/** Allowed distance of a proof's `iat` from the current time, in seconds, in both directions. */
export const POP_IAT_SECONDS = 60
const MAX_LENGTH = 16_384
const MAX_JTI_LENGTH = 256

export interface WalletAttestationOptions {
  readonly trust: AttestationTrust
  /** The issuer identifier of the authorization server: the `aud` of the proof. */
  readonly audience: string
  readonly now: Date
}

/** A wallet instance that its provider attests. The instance has proven that it holds its key. */
export interface WalletAttestation {
  /** `sub` */
  readonly clientId: string
  /** Thumbprint of the key of this instance. */
  readonly instanceJkt: string
  /** `wallet_name` */
  readonly walletName: string | undefined
  /** Its positions in status lists, for the caller to check. */
  readonly statuses: readonly AttestationStatus[]
  /** The signer of the attestation, for the check of `statuses`. */
  readonly attester: Attester
  /** Whether certificates in the attestation prove the signer's key. */
  readonly certified: boolean
  /** `challenge` of the proof; undefined if it has none. */
  readonly challenge: string | undefined
  /** Identifies the proof, which is valid once: the caller stores it as used. */
  readonly jtiHash: string
  readonly expiresAt: Date
}

/** Attestation-Based Client Authentication §5.1: the wallet, and the key of this instance. */
function attested({ header, payload }: DecodedJws, now: Date): { clientId: string; instance: Jwk } {
  const what = 'wallet attestation'
  if (header.typ !== 'oauth-client-attestation+jwt')
    throw new AttestationError(`The typ of the ${what} must be oauth-client-attestation+jwt.`)
  const { sub, exp, cnf } = payload
  if (typeof sub !== 'string' || sub === '') throw new AttestationError(`The ${what} has no sub.`)
  if (exp === undefined) throw new AttestationError(`The ${what} has no exp.`)
  assertTimes(payload, what, now)
  const instance = isObject(cnf) ? readPublicJwk(cnf.jwk) : undefined
  if (instance === undefined) throw new AttestationError(`The ${what} has no cnf.jwk that is a supported public key.`)
  return { clientId: sub, instance }
}

/** §5.2: the proof of possession. It is signed with the attested key, made for this server, and recent. */
function assertProof(
  { header, payload }: DecodedJws,
  clientId: string,
  { audience, now }: WalletAttestationOptions,
): number {
  const what = 'proof of the wallet attestation'
  if (header.typ !== 'oauth-client-attestation-pop+jwt')
    throw new AttestationError(`The typ of the ${what} must be oauth-client-attestation-pop+jwt.`)
  const { iss, aud, jti, iat } = payload
  if (iss !== undefined && iss !== clientId)
    throw new AttestationError(`The iss of the ${what} is not the sub of the wallet attestation.`)
  if (![aud].flat().includes(audience))
    throw new AttestationError(`The aud of the ${what} is not this authorization server.`)
  if (typeof jti !== 'string' || jti === '' || jti.length > MAX_JTI_LENGTH)
    throw new AttestationError(`The ${what} needs a jti of 1 to ${MAX_JTI_LENGTH} characters.`)
  const issuedAt = numberOf(iat, 'iat', what)
  if (Math.abs(issuedAt - now.getTime() / 1000) > POP_IAT_SECONDS)
    throw new AttestationError(`The iat of the ${what} must lie within ${POP_IAT_SECONDS} seconds of now.`)
  assertTimes(payload, what, now)
  return issuedAt
}

/**
 * The trusted providers for one wallet: a provider with configured keys may attest only the wallet that it is
 * registered for.
 */
const trustFor = (clientId: string, trust: AttestationTrust): AttestationTrust => ({
  ...trust,
  providers: trust.providers.filter((provider) => provider.clientId === clientId),
})

/**
 * Verifies a wallet attestation with its proof of possession (OpenID4VCI 1.0 Appendix E; Attestation-Based Client
 * Authentication, draft 07, §5, §6.2). The caller checks the `challenge`, the `statuses`, and whether the proof was used
 * before.
 *
 * @throws AttestationError
 */
export function verifyWalletAttestation(
  attestation: string,
  proof: string,
  options: WalletAttestationOptions,
): WalletAttestation {
  const jwt = decoded(attestation, 'wallet attestation', MAX_LENGTH)
  const pop = decoded(proof, 'proof of the wallet attestation', MAX_LENGTH)
  const { clientId, instance } = attested(jwt, options.now)
  const attester = attesterOf(
    jwt.header,
    jwt.payload,
    trustFor(clientId, options.trust),
    options.now,
    'wallet attestation',
  )
  assertSigned(jwt, attester.jwk, 'wallet attestation', ATTESTATION_ALGORITHMS)
  const issuedAt = assertProof(pop, clientId, options)
  assertSigned(pop, instance, 'proof of the wallet attestation', ATTESTATION_ALGORITHMS)
  const { wallet_name: name } = jwt.payload
  const { jti, challenge } = pop.payload
  const instanceJkt = thumbprint(instance)
  return {
    clientId,
    instanceJkt,
    walletName: typeof name === 'string' ? name : undefined,
    statuses: attestationStatuses(jwt.payload, 'wallet attestation'),
    certified: jwt.header.x5c !== undefined,
    attester,
    challenge: typeof challenge === 'string' ? challenge : challenge === undefined ? undefined : '',
    jtiHash: createHash('sha256')
      .update(`attestation ${instanceJkt} ${String(jti)}`)
      .digest('base64url'),
    expiresAt: new Date((issuedAt + POP_IAT_SECONDS + 1) * 1000),
  }
}
