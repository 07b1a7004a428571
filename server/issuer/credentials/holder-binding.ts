import { errors } from '../../api/errors.js'
import type { DidResolver } from '../../dids/resolver.js'
import type { Binding } from '../../formats/issuing.js'
import { onlyVerificationMethod } from '../../protocol/did/did-document.js'
import { DidResolutionError } from '../../protocol/did/did-resolution-error.js'
import type { Jwk } from '../../protocol/jose/jws.js'

/** A subject may name itself by its `id`. */
export const idOf = (subject: Readonly<Record<string, unknown>>) =>
  typeof subject.id === 'string' ? subject.id : undefined

/** The DID that a subject is called by; undefined where it is called otherwise. */
export const didIn = (id: string | undefined) => (id?.startsWith('did:') === true ? id : undefined)

async function holderKeyOf(resolver: Pick<DidResolver, 'resolve'>, holder: string): Promise<Jwk> {
  try {
    const method = onlyVerificationMethod(await resolver.resolve(holder), 'authentication')
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
  resolver: Pick<DidResolver, 'resolve'>,
  holder: string | undefined,
  subjectId: string | undefined,
): Promise<Binding> {
  if (holder === undefined) return { subjectId }
  if (subjectId !== undefined && subjectId !== holder)
    throw errors.badRequest('credential_subject.id must be the holder')
  return { subjectId: holder, holderKey: await holderKeyOf(resolver, holder) }
}
