import type { Deps } from '../../deps.js'
import { type DidKeys, findVerificationMethod } from '../../protocol/did/did-document.js'
import { DidResolutionError } from '../../protocol/did/did-resolution-error.js'
import { didOf } from '../../protocol/did/did-url.js'
import { SIGNATURE_ALGORITHMS } from '../../protocol/jose/algorithms.js'
import { type Jwk, thumbprint } from '../../protocol/jose/jws.js'
import { OAuthError } from '../../protocol/oauth/error.js'
import { type ProvenKey, verifyKeyProof } from '../../protocol/openid4vci/key-proof.js'
import type { RequestDids } from './request-dids.js'

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

/**
 * Verifies the key proofs of a request (OpenID4VCI 1.0 Appendix F.4).
 *
 * @param clientId of the access token; null where it has none
 * @throws OAuthError `invalid_proof` or `invalid_nonce` for the first proof that fails, or where two prove one key.
 */
export async function provenKeys(
  deps: Pick<Deps, 'config' | 'seals'>,
  dids: RequestDids,
  proofs: readonly string[],
  clientId: string | null,
  now: Date,
): Promise<ProvenKey[]> {
  const options = {
    audience: deps.config.issuerBaseUrl,
    ...(clientId === null ? {} : { clientId }),
    now,
    algorithms: SIGNATURE_ALGORITHMS,
    nonceIssuedAt: deps.seals.nonceIssuedAt,
    resolveKey: (kid: string, nonce: string) => resolveKey(dids, kid, nonce),
  }
  const results = await Promise.allSettled(proofs.map((proof) => verifyKeyProof(proof, options)))
  const keys = results.map((result, position) => {
    if (result.status === 'rejected') throw numbered(result.reason, position, proofs.length)
    return result.value
  })
  // §8.3: each key is bound to at most one credential.
  if (new Set(keys.map(({ jwk }) => thumbprint(jwk))).size < keys.length) {
    throw new OAuthError('invalid_proof', 'Each key proof of a batch must be made with a key of its own.')
  }
  return keys
}

function authenticationKeys(document: DidKeys): Set<string> {
  const thumbprints = (document.authentication ?? []).flatMap((entry) => {
    try {
      const id = typeof entry === 'string' ? entry : entry.id
      const method = findVerificationMethod(document, id, 'authentication')
      return method === undefined ? [] : [thumbprint(method.jwk)]
    } catch (thrown) {
      // A key of an unknown kind does not make the others unusable.
      if (thrown instanceof DidResolutionError) return []
      throw thrown
    }
  })
  return new Set(thumbprints)
}

async function keysOf(
  deps: Pick<Deps, 'log'>,
  dids: RequestDids,
  did: string,
  nonces: readonly string[],
): Promise<Set<string>> {
  try {
    return authenticationKeys(await dids.resolve(did, nonces))
  } catch (thrown) {
    if (!(thrown instanceof DidResolutionError)) throw thrown
    deps.log.warn({ reason: thrown.message }, 'recipient DID cannot be resolved')
    return new Set()
  }
}

/**
 * A recipient-bound offering is released only to keys of that DID: named by it, or bare and listed by it.
 *
 * @throws OAuthError `credential_request_denied`
 */
export async function assertRecipient(
  deps: Deps,
  dids: RequestDids,
  recipient: string | null,
  keys: readonly ProvenKey[],
): Promise<void> {
  if (recipient === null) return
  const others = keys.filter((key) => key.did !== recipient)
  if (others.length === 0) return
  const nonces = others.map(({ nonce }) => nonce)
  const own = others.some((key) => key.kid !== undefined) ? new Set() : await keysOf(deps, dids, recipient, nonces)
  if (others.every((key) => own.has(thumbprint(key.jwk)))) return
  throw new OAuthError(
    'credential_request_denied',
    'The offer is for another recipient: prove a key of the DID that it is bound to.',
  )
}
