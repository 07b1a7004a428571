import type { Deps } from '../../deps.js'
import { findVerificationMethod } from '../../protocol/did/did-document.js'
import { DidResolutionError } from '../../protocol/did/did-resolution-error.js'
import { didOf } from '../../protocol/did/did-url.js'
import { SIGNATURE_ALGORITHMS } from '../../protocol/jose/algorithms.js'
import { type Jwk, thumbprint } from '../../protocol/jose/jws.js'
import { OAuthError } from '../../protocol/oauth/error.js'
import { type KeyProof, type ProvenKey, verifyKeyProof } from '../../protocol/openid4vci/key-proof.js'
import type { RequestedProofs } from '../../protocol/openid4vci/proofs.js'
import { assertRecipient } from './recipient.js'
import { RequestDids } from './request-dids.js'
import { RequestNonces } from './request-nonces.js'
import type { TokenContext } from './store.js'

/** What the proofs of a credential request give. */
export interface Proven {
  /** The keys that credentials are bound to, one credential each. All are different. */
  readonly keys: readonly [ProvenKey, ...ProvenKey[]]
  /** Hashes of the nonces that are still to be used up, with the issuance. */
  readonly nonceHashes: readonly string[]
}

async function resolveKey(dids: RequestDids, kid: string, nonce: string): Promise<{ id: string; jwk: Jwk }> {
  const document = await dids.resolve(didOf(kid) ?? kid, [nonce])
  const method = findVerificationMethod(document, kid, 'authentication')
  if (method === undefined) throw new DidResolutionError('its DID does not list it for authentication.')
  return method
}

/** In a batch the refusal says which of the proofs it is about. */
function numbered(thrown: unknown, position: number, count: number): unknown {
  if (count === 1 || !(thrown instanceof OAuthError)) return thrown
  return new OAuthError(thrown.error, `Key proof ${position + 1} of ${count}: ${thrown.message}`, { cause: thrown })
}

async function verifiedProofs(
  deps: Pick<Deps, 'config' | 'seals'>,
  dids: RequestDids,
  proofs: readonly string[],
  clientId: string | null,
  now: Date,
): Promise<KeyProof[]> {
  const options = {
    audience: deps.config.issuerBaseUrl,
    ...(clientId === null ? {} : { clientId }),
    now,
    algorithms: SIGNATURE_ALGORITHMS,
    nonceIssuedAt: deps.seals.nonceIssuedAt,
    resolveKey: (kid: string, nonce: string) => resolveKey(dids, kid, nonce),
  }
  const results = await Promise.allSettled(proofs.map((proof) => verifyKeyProof(proof, options)))
  return results.map((result, position) => {
    if (result.status === 'rejected') throw numbered(result.reason, position, proofs.length)
    return result.value
  })
}

/** §8.3: each key is bound to at most one credential. */
function distinctKeys(proofs: readonly KeyProof[]): Proven['keys'] {
  const [first, ...others] = proofs.map(({ key }) => key)
  if (first === undefined) throw new Error('A request without proofs was let through.')
  const keys = [first, ...others] as const
  if (new Set(keys.map(({ jwk }) => thumbprint(jwk))).size < keys.length)
    throw new OAuthError('invalid_proof', 'Each key proof of a batch must be made with a key of its own.')
  return [...keys]
}

/**
 * Verifies the key proofs of a request (OpenID4VCI 1.0 Appendix F.4), and that their keys may have what the token is good
 * for.
 *
 * @throws OAuthError `invalid_proof` or `invalid_nonce` for the first proof that fails, or where two prove one key;
 *   `credential_request_denied` where the offer is for another recipient.
 */
export async function provenKeys(
  deps: Pick<Deps, 'config' | 'log' | 'resolver' | 'seals' | 'stores'>,
  token: Pick<TokenContext, 'clientId' | 'recipient'>,
  { jwts }: RequestedProofs,
  now: Date,
): Promise<Proven> {
  const requestNonces = new RequestNonces(deps, now)
  const dids = new RequestDids(deps, requestNonces)
  const proofs = await verifiedProofs(deps, dids, jwts, token.clientId, now)
  const keys = distinctKeys(proofs)
  const nonces = proofs.map(({ nonce }) => nonce)
  await assertRecipient(deps, dids, token.recipient, { keys, nonces })
  return { keys, nonceHashes: requestNonces.unused(nonces) }
}
