import type { z } from 'zod'
import { errors } from '../../api/errors.js'
import type { Caller } from '../../auth/caller.js'
import type { DidResolver } from '../../dids/resolver.js'
import type { IssuedFormat } from '../../formats/format.js'
import type { Binding } from '../../formats/issuing.js'
import type { Formats } from '../../formats/registry.js'
import type { NameIndex } from '../../names/names.js'
import { CredentialError } from '../../protocol/credential/verification.js'
import type { Work } from '../../protocol/work.js'
import { issuabilityOf } from '../issuance/configurations.js'
import type { Issuance } from '../issuance/issuance.js'
import type { IssuanceContext } from '../issuance/store.js'
import { assertSubject } from '../issuance/subject.js'
import type { signCredential } from './credentials.contract.js'
import { didIn, holderBinding, idOf } from './holder-binding.js'

type SignRequest = z.output<ReturnType<typeof signCredential>['input']>

/** @throws 400 if the type is not issued in the format, or the format needs a holder */
function assertSignable({ name, issuing }: IssuedFormat, holder: string | undefined, context: IssuanceContext): void {
  const lacking = issuing.lacks(issuabilityOf(context))
  if (lacking !== undefined) throw errors.badRequest(`format ${name} needs ${lacking}`)
  if (issuing.needsHolder && holder === undefined) throw errors.badRequest(`holder must be given with format ${name}`)
}

/** @throws 400 for a holder whose key the format does not support */
async function assertHolderKey({ issuing }: IssuedFormat, { holderKey }: Binding): Promise<void> {
  if (holderKey === undefined || !('kty' in holderKey)) return
  try {
    await issuing.checkHolderKey?.(holderKey)
  } catch (thrown) {
    if (!(thrown instanceof CredentialError)) throw thrown
    throw errors.badRequest(`holder cannot have it: ${thrown.message}`)
  }
}

/** Dependencies of {@link createSignForCaller}. */
export interface SignForCallerPorts {
  readonly context: Issuance['context']
  readonly issue: Issuance['issue']
  readonly formats: Pick<Formats, 'issued' | 'named'>
  readonly resolver: Pick<DidResolver, 'resolve'>
  readonly names: Pick<NameIndex, 'hashed'>
}

export function createSignForCaller({ context: contextOf, issue, formats, resolver, names }: SignForCallerPorts) {
  /**
   * Signs a credential in the format that its caller names. If the caller names a holder, the credential is bound to
   * the holder's key.
   *
   * @throws 400 for an invalid type, issuer, subject, format or holder
   */
  return async function signForCaller(caller: Caller, request: SignRequest, work: Work) {
    const subject = request.credential_subject
    const context = await contextOf(request.type, request.issuerId, caller)
    const format = formats.named(request.format)
    assertSignable(format, request.holder, context)
    await assertSubject(formats, context, subject, 'credential_subject', work)
    const binding = await holderBinding(resolver, request.holder, idOf(subject))
    await assertHolderKey(format, binding)
    const issued = await issue({
      context,
      subject,
      format,
      binding,
      owner: caller.sub,
      holderDid: didIn(binding.subjectId),
      names: names.hashed(request),
      action: 'credential.signed',
    })
    if (issued === undefined) throw new Error('A signed credential was not recorded.')
    return { id: issued.id, format: request.format, credential: issued.compact }
  }
}
