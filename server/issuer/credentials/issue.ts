import type { z } from 'zod'
import type { Caller } from '../../auth/caller.js'
import type { Deps } from '../../deps.js'
import type { Work } from '../../protocol/work.js'
import { issueToCaller } from '../issuance/issue.js'
import { issuanceContext } from '../issuance/issuer-context.js'
import { assertSubject } from '../issuance/subject.js'
import type { createCredential } from './credentials.contract.js'
import { didIn, idOf } from './subject-id.js'

/**
 * Issues a credential to its caller, in the primary format, bound to no key.
 *
 * @throws 400 for a type, an issuer or a subject that it cannot have.
 */
export async function issueStandalone(
  deps: Deps,
  caller: Caller,
  request: z.output<typeof createCredential.input>,
  work: Work,
) {
  const subject = request.credential_subject
  const context = await issuanceContext(deps, request.type, request.issuerId, caller)
  await assertSubject(deps.formats, context, subject, 'credential_subject', work)
  const subjectId = idOf(subject)
  const issued = await issueToCaller(deps, {
    context,
    subject,
    format: deps.formats.primary,
    binding: { subjectId },
    owner: caller.sub,
    holderDid: didIn(subjectId),
    action: 'credential.issued',
  })
  if (issued === undefined) throw new Error('A standalone credential was not recorded.')
  return { id: issued.id, vc: issued.vc }
}
