import type { Config } from '../../config/config.js'
import type { DidResolver } from '../../dids/resolver.js'
import type { Log } from '../../log/log.js'
import { findVerificationMethod } from '../../protocol/did/did-document.js'
import { DidResolutionError } from '../../protocol/did/did-resolution-error.js'
import { didOf } from '../../protocol/did/did-url.js'
import { SIGNATURE_ALGORITHMS } from '../../protocol/jose/algorithms.js'
import { type Jwk, thumbprint } from '../../protocol/jose/jws.js'
import { OAuthError } from '../../protocol/oauth/error.js'
import { AttestationError } from '../../protocol/openid4vci/attester.js'
import {
  KEY_ATTESTATION_TYPE,
  type KeyAttestation,
  verifyKeyAttestation,
} from '../../protocol/openid4vci/key-attestation.js'
import { bareKeyOf, type KeyProof, type ProvenKey, verifyKeyProof } from '../../protocol/openid4vci/key-proof.js'
import { BATCH_SIZE, type RequestedProofs } from '../../protocol/openid4vci/proofs.js'
import type { Work } from '../../protocol/work.js'
import { type WatchedStatus, watchedOf } from '../attestation-watch/watched.js'
import type { AttestationStatuses, AttestationStatusesOf } from './attestation-status.js'
import { attestsWallets } from './client-authentication.js'
import { isHaip } from './haip.js'
import { assertRecipient } from './recipient.js'
import { type ResolveRequestDid, requestDids } from './request-dids.js'
import { createRequestNonces, type RequestNonces } from './request-nonces.js'
import type { Seals } from './sealed.js'
import type { Openid4vciStore } from './store.js'
import type { TokenContext } from './tokens/store.js'
import type { UsedOnce } from './used-once-store.js'

/** The result of the proofs of a credential request. */
export interface Proven {
  /** The keys for the credentials, one key for each credential. All keys are different. */
  readonly keys: readonly [ProvenKey, ...ProvenKey[]]
  /** The nonces that the issuance still has to mark as used. */
  readonly nonces: readonly UsedOnce[]
  /** The statuses of the key attestations that are looked at again after the issuance. */
  readonly statuses: readonly WatchedStatus[]
}

/**
 * The `typ` of key attestations in 1.0 (Appendix D.1) and in drafts. The drafts' `typ` is accepted under every profile, because
 * a common wallet library (`@openid4vc/openid4vci` 0.4.6) writes this `typ` in 1.0 too. The two kinds of attestations
 * differ only in the `typ`.
 */
const KEY_ATTESTATION_TYPES = [KEY_ATTESTATION_TYPE, 'keyattestation+jwt'] as const

/** Dependencies of {@link createProvenKeys}. */
export interface ProvenKeysPorts {
  readonly config: Pick<Config, 'attestationTrust' | 'issuerBaseUrl' | 'issuerProfile'>
  readonly seals: Pick<Seals, 'nonceExpiresAt' | 'nonceIssuedAt'>
  readonly store: Pick<Openid4vciStore, 'useNonce'>
  readonly resolver: DidResolver
  readonly statusesOf: AttestationStatusesOf
  readonly log: Pick<Log, 'warn'>
}

type ProvingToken = Pick<TokenContext, 'clientId' | 'keyAttestation' | 'profile' | 'recipient'>

/** The keys that a request proves or attests. The checks that need other hosts follow later. */
interface Claimed {
  readonly keys: readonly ProvenKey[]
  /** The nonces of the proofs. Attestations have their own nonces. */
  readonly nonces: readonly string[]
  /** The attestations. An attestation is listed once, even if several proofs contain it. */
  readonly attestations: readonly KeyAttestation[]
}

const invalidProof = (description: string, cause?: unknown) => new OAuthError('invalid_proof', description, { cause })

async function resolveKey(resolve: ResolveRequestDid, kid: string, nonce: string): Promise<{ id: string; jwk: Jwk }> {
  const document = await resolve(didOf(kid) ?? kid, [nonce])
  const method = findVerificationMethod(document, kid, 'authentication')
  if (method === undefined) throw new DidResolutionError('its DID does not list it for authentication.')
  return method
}

/** In a batch, the refusal names the number of the failed proof. */
function numbered(thrown: unknown, position: number, count: number): unknown {
  if (count === 1 || !(thrown instanceof OAuthError)) return thrown
  return new OAuthError(thrown.error, `Key proof ${position + 1} of ${count}: ${thrown.message}`, { cause: thrown })
}

/** §8.3: each key is bound to at most one credential. Each signing key and each attested key gets a credential (Appendix F.1). */
function keysOf(proofs: readonly KeyProof[]): readonly ProvenKey[] {
  const keys = new Map<string, ProvenKey>()
  for (const jwk of proofs.flatMap(({ attestation }) => attestation?.keys ?? []))
    keys.set(thumbprint(jwk), bareKeyOf(jwk))
  // A key with a proof is bound in the form that its proof names.
  for (const { key } of proofs) keys.set(thumbprint(key.jwk), key)
  return [...keys.values()]
}

function assertDistinct(proofs: readonly KeyProof[]): void {
  if (new Set(proofs.map(({ key }) => thumbprint(key.jwk))).size < proofs.length)
    throw invalidProof('Each key proof of a batch must be made with a key of its own.')
}

/** Checks the status of an attestation. Its nonce is marked as used before the status list is fetched. */
async function assertStatus(
  statuses: AttestationStatuses,
  nonces: RequestNonces,
  attestation: KeyAttestation,
): Promise<void> {
  try {
    await statuses.assertValid(attestation, 'key attestation', () => nonces.use([attestation.nonce]))
  } catch (cause) {
    if (cause instanceof AttestationError) throw invalidProof(cause.message, cause)
    throw cause
  }
}

/** @throws OAuthError `invalid_proof` if there are more keys than a batch may have. */
function batchOf([first, ...others]: readonly ProvenKey[]): Proven['keys'] {
  if (first === undefined) throw new Error('A request without keys was let through.')
  if (others.length >= BATCH_SIZE) throw invalidProof(`A request can have at most ${BATCH_SIZE} keys.`)
  return [first, ...others]
}

/**
 * Verifies the key proofs of a request (OpenID4VCI 1.0 Appendix F.4), or its key attestation. If the offer has a
 * recipient, it also checks that the keys belong to the recipient.
 *
 * @throws OAuthError `invalid_proof` or `invalid_nonce` for the first proof that fails, or if two proofs have the same key;
 *   `credential_request_denied` if the offer is for another recipient.
 */
export type ProvenKeys = (
  token: ProvingToken,
  proofs: RequestedProofs,
  request: { readonly now: Date; readonly work: Work },
) => Promise<Proven>

/** Creates the check of key proofs for the credential endpoint. */
export function createProvenKeys({ config, seals, resolver, store, statusesOf, log }: ProvenKeysPorts): ProvenKeys {
  const noncesOfRequest = createRequestNonces({ store, seals })

  /** Verifies the key attestations of a request, each once. */
  const attestationReader = (token: ProvingToken, now: Date, inProof: boolean) => {
    const options = {
      trust: config.attestationTrust,
      types: KEY_ATTESTATION_TYPES,
      now,
      nonceIssuedAt: seals.nonceIssuedAt,
      inProof,
      required: token.keyAttestation,
      certified: isHaip({ config }, token),
    }
    const known = new Map<string, KeyAttestation>()
    return (jwt: string): KeyAttestation => {
      const attestation = known.get(jwt) ?? verifyKeyAttestation(jwt, options)
      known.set(jwt, attestation)
      return attestation
    }
  }

  const verifiedProofs = async (
    resolve: ResolveRequestDid,
    token: ProvingToken,
    proofs: readonly string[],
    now: Date,
  ): Promise<KeyProof[]> => {
    const options = {
      audience: config.issuerBaseUrl,
      ...(token.clientId === null ? {} : { clientId: token.clientId }),
      now,
      algorithms: SIGNATURE_ALGORITHMS,
      nonceIssuedAt: seals.nonceIssuedAt,
      resolveKey: (kid: string, nonce: string) => resolveKey(resolve, kid, nonce),
      attestationOf: attestsWallets(config) ? attestationReader(token, now, true) : undefined,
    }
    const results = await Promise.allSettled(proofs.map((proof) => verifyKeyProof(proof, options)))
    return results.map((result, position) => {
      if (result.status === 'rejected') throw numbered(result.reason, position, proofs.length)
      return result.value
    })
  }

  const claimedByProofs = async (
    resolve: ResolveRequestDid,
    token: ProvingToken,
    jwts: readonly string[],
    now: Date,
  ): Promise<Claimed> => {
    const proofs = await verifiedProofs(resolve, token, jwts, now)
    assertDistinct(proofs)
    if (token.keyAttestation !== null && proofs.some(({ attestation }) => attestation === undefined))
      throw invalidProof(
        'The credential needs a key attestation: the proof contains no key attestation of a trusted provider.',
      )
    return {
      keys: keysOf(proofs),
      nonces: proofs.map(({ nonce }) => nonce),
      attestations: [...new Set(proofs.flatMap(({ attestation }) => attestation ?? []))],
    }
  }

  /** Appendix F.3: a key attestation, without a proof of possession for any of its keys. */
  const claimedByAttestation = (token: ProvingToken, jwts: readonly string[], now: Date): Claimed => {
    const attestations = jwts.map(attestationReader(token, now, false))
    return { keys: attestations.flatMap(({ keys }) => keys.map(bareKeyOf)), nonces: [], attestations }
  }

  return async (token, { type, jwts }, { now, work }) => {
    const requestNonces = noncesOfRequest()
    const resolve = requestDids(resolver, requestNonces)
    const claimed =
      type === 'jwt' ? await claimedByProofs(resolve, token, jwts, now) : claimedByAttestation(token, jwts, now)
    const keys = batchOf(claimed.keys)
    const nonces = [...claimed.nonces, ...claimed.attestations.map(({ nonce }) => nonce)]
    const statuses = statusesOf(work, now)
    await Promise.all(claimed.attestations.map((attestation) => assertStatus(statuses, requestNonces, attestation)))
    await assertRecipient({ resolve, log }, token.recipient, { keys, nonces })
    const watched = claimed.attestations.flatMap((attestation) => watchedOf(attestation, 'key'))
    return { keys, nonces: requestNonces.unused(nonces), statuses: watched }
  }
}
