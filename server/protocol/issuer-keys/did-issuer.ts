import { type DidKeys, findVerificationMethod, onlyVerificationMethod } from '../did/did-document.js'
import { DidResolutionError } from '../did/did-resolution-error.js'
import { didOf } from '../did/did-url.js'
import type { Jwk } from '../jose/jwk.js'
import { IssuerKeyError } from './issuer-key-error.js'

/** Whether a `kid` can name a method of this DID: the `kid` is absent, relative (`#0`), or a DID URL of this DID. */
export function belongsTo(kid: string | undefined, did: string): boolean {
  return kid === undefined || kid.startsWith('#') || didOf(kid) === did
}

/**
 * The key of a DID issuer: the `assertionMethod` of the DID that `kid` names, or the only `assertionMethod` if there is
 * no `kid`. Throws IssuerKeyError.
 */
export async function didIssuerKey(
  iss: string,
  kid: string | undefined,
  io: { resolveDid(did: string): Promise<DidKeys> },
): Promise<Jwk> {
  // A key of any other DID would let anyone sign as this issuer.
  if (!belongsTo(kid, iss)) throw new IssuerKeyError(`The kid does not belong to the issuer ${iss}.`)
  try {
    return selectMethod(await io.resolveDid(iss), iss, kid)
  } catch (error) {
    if (error instanceof DidResolutionError) throw new IssuerKeyError(error.message, { cause: error })
    throw error
  }
}

function selectMethod(document: DidKeys, iss: string, kid: string | undefined): Jwk {
  if (document.id !== iss) throw new IssuerKeyError(`The DID document of ${iss} is that of another DID.`)
  if (kid === undefined) {
    const method = onlyVerificationMethod(document, 'assertionMethod')
    if (method === undefined) throw new IssuerKeyError(`Without kid, ${iss} must have exactly one assertionMethod.`)
    return method.jwk
  }
  const method = findVerificationMethod(document, kid, 'assertionMethod')
  if (method === undefined) throw new IssuerKeyError(`The kid is no assertionMethod of the issuer ${iss}.`)
  return method.jwk
}
