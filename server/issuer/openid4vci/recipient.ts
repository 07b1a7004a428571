import type { Log } from '../../log/log.js'
import { type DidKeys, findVerificationMethod } from '../../protocol/did/did-document.js'
import { DidResolutionError } from '../../protocol/did/did-resolution-error.js'
import { thumbprint } from '../../protocol/jose/jws.js'
import { OAuthError } from '../../protocol/oauth/error.js'
import type { ProvenKey } from '../../protocol/openid4vci/key-proof.js'
import type { ResolveRequestDid } from './request-dids.js'

function authenticationKeys(document: DidKeys): Set<string> {
  const thumbprints = (document.authentication ?? []).flatMap((entry) => {
    try {
      const id = typeof entry === 'string' ? entry : entry.id
      const method = findVerificationMethod(document, id, 'authentication')
      return method === undefined ? [] : [thumbprint(method.jwk)]
    } catch (thrown) {
      // A key of an unknown kind does not make the other keys unusable.
      if (thrown instanceof DidResolutionError) return []
      throw thrown
    }
  })
  return new Set(thumbprints)
}

/** Dependencies of {@link assertRecipient}. */
interface RecipientPorts {
  readonly resolve: ResolveRequestDid
  readonly log: Pick<Log, 'warn'>
}

async function keysOf({ resolve, log }: RecipientPorts, did: string, nonces: readonly string[]): Promise<Set<string>> {
  try {
    return authenticationKeys(await resolve(did, nonces))
  } catch (thrown) {
    if (!(thrown instanceof DidResolutionError)) throw thrown
    log.warn({ reason: thrown.message }, 'recipient DID cannot be resolved')
    return new Set()
  }
}

/**
 * Asserts that all keys belong to the recipient of an offering. A key belongs to the recipient if its proof names the
 * key by the DID. A key without a DID belongs to the recipient if the DID document lists the key.
 *
 * @param recipient the DID; null for an offering without a recipient
 * @throws OAuthError `credential_request_denied`
 */
export async function assertRecipient(
  ports: RecipientPorts,
  recipient: string | null,
  { keys, nonces }: { readonly keys: readonly ProvenKey[]; readonly nonces: readonly string[] },
): Promise<void> {
  if (recipient === null) return
  const others = keys.filter((key) => key.did !== recipient)
  if (others.length === 0) return
  const own = others.some((key) => key.kid !== undefined) ? new Set() : await keysOf(ports, recipient, nonces)
  if (others.every((key) => own.has(thumbprint(key.jwk)))) return
  throw new OAuthError(
    'credential_request_denied',
    'The offer is for another recipient: prove a key of the DID that the offer is bound to.',
  )
}
