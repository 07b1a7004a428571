import { OutboundError } from '../../outbound/outbound-error.js'
import { CredentialError } from '../../protocol/credential/verification.js'
import { findVerificationMethod, onlyVerificationMethod } from '../../protocol/did/did-document.js'
import { didJwk } from '../../protocol/did/did-jwk.js'
import { DidResolutionError } from '../../protocol/did/did-resolution-error.js'
import { type Jwk, readPublicJwk } from '../../protocol/jose/jws.js'
import type { JsonObject } from '../../protocol/json/json-object.js'
import type { HolderKey } from '../../protocol/jwt-vc/presentation.js'
import type { Verification } from '../verify/verification.js'

interface Resolution {
  readonly fetches: Pick<Verification['fetches'], 'resolveDid'>
}

async function authenticationKey({ fetches }: Resolution, did: string, kid: string | undefined): Promise<Jwk> {
  try {
    const document = await fetches.resolveDid(did)
    const method =
      kid === undefined
        ? onlyVerificationMethod(document, 'authentication')
        : findVerificationMethod(document, kid, 'authentication')
    if (method !== undefined) return method.jwk
  } catch (thrown) {
    if (!(thrown instanceof DidResolutionError || thrown instanceof OutboundError)) throw thrown
    throw new CredentialError(`Holder key cannot be resolved: ${thrown.message}`, { cause: thrown })
  }
  throw new CredentialError('Holder key is no authentication key of the holder.')
}

/** Resolves the key of a DID URL, such as the `cnf.kid` of a credential (RFC 7800 §3.4). */
export function holderKeyOfKid(verification: Resolution, kid: string): Promise<Jwk> {
  const [did = ''] = kid.split('#', 1)
  if (!did.startsWith('did:')) throw new CredentialError('Credential cnf.kid is not a DID URL.')
  return authenticationKey(verification, did, kid)
}

/**
 * The key that signed a VP JWT, and its holder. The key is an authentication key of the DID in `kid` or `iss`. If
 * neither names a DID, the key is the `jwk` of the header. The holder's only name is then the `did:jwk` of this key.
 */
export async function holderKeyOfPresentation(
  verification: Resolution,
  header: JsonObject,
  payload: JsonObject,
): Promise<HolderKey> {
  const { kid, jwk } = header
  const { iss } = payload
  if (typeof kid === 'string' && kid.startsWith('did:')) {
    const [did = ''] = kid.split('#', 1)
    return { jwk: await authenticationKey(verification, did, kid), holder: did }
  }
  if (typeof iss === 'string' && iss.startsWith('did:')) {
    const name = typeof kid === 'string' ? kid : undefined
    return { jwk: await authenticationKey(verification, iss, name), holder: iss }
  }
  const own = readPublicJwk(jwk)
  if (own === undefined) throw new CredentialError('Presentation names no holder key: it has neither kid nor jwk.')
  // `iss` is ignored here. Otherwise a holder could claim another DID and sign with their own key.
  return { jwk: own, holder: didJwk(own) }
}
