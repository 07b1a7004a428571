import { errors } from '../../api/errors.js'
import type { DidResolver } from '../../dids/resolver.js'
import type { Binding } from '../../formats/issuing.js'
import { onlyVerificationMethod } from '../../protocol/did/did-document.js'
import { DidResolutionError } from '../../protocol/did/did-resolution-error.js'
import type { Jwk } from '../../protocol/jose/jws.js'

/** The `id` of a subject, if it has one. */
export const idOf = (subject: Readonly<Record<string, unknown>>) =>
  typeof subject.id === 'string' ? subject.id : undefined

/** The id of a subject if it is a DID; otherwise undefined. */
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
 * The binding to a holder's DID: the DID itself and its authentication key.
 *
 * @throws 400 if the DID does not have exactly one authentication key, cannot be resolved, or differs from the subject's id
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
