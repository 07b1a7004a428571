import { errors } from '../../api/errors.js'
import type { Deps } from '../../deps.js'
import type { Binding } from '../../formats/issuing.js'
import { onlyVerificationMethod } from '../../protocol/did/did-document.js'
import { DidResolutionError } from '../../protocol/did/did-resolution-error.js'
import type { Jwk } from '../../protocol/jose/jws.js'

async function holderKeyOf(deps: Pick<Deps, 'resolver'>, holder: string): Promise<Jwk> {
  try {
    const method = onlyVerificationMethod(await deps.resolver.resolve(holder), 'authentication')
    if (method !== undefined) return method.jwk
  } catch (thrown) {
    if (!(thrown instanceof DidResolutionError)) throw thrown
    throw errors.badRequest(`holder cannot be resolved: ${thrown.message}`)
  }
  throw errors.badRequest('holder must be a DID with exactly one authentication key')
}

/**
 * The binding to a holder's DID: the DID itself and the key that it authenticates with.
 *
 * @throws 400 where the DID has no such key or cannot be resolved, or names someone other than the subject.
 */
export async function holderBinding(
  deps: Deps,
  holder: string | undefined,
  subjectId: string | undefined,
): Promise<Binding> {
  if (holder === undefined) return { subjectId }
  if (subjectId !== undefined && subjectId !== holder)
    throw errors.badRequest('credential_subject.id must be the holder')
  return { subjectId: holder, holderKey: await holderKeyOf(deps, holder) }
}
