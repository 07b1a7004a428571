import type { z } from 'zod'
import { errors } from '../../api/errors.js'
import type { Caller } from '../../auth/caller.js'
import type { Deps } from '../../deps.js'
import type { Work } from '../../protocol/work.js'
import { issuanceContext } from '../issuance/issuer-context.js'
import { assertSubject } from '../issuance/subject.js'
import { detailView } from './offering-json.js'
import type { createOffering } from './offerings.contract.js'

type OfferingRequest = z.output<typeof createOffering.input>

function assertFuture(expiresAt: Date | undefined, now: Date): void {
  if (expiresAt !== undefined && expiresAt <= now) throw errors.badRequest('expires_at must lie in the future')
}

function assertSameSubject(subjectId: unknown, recipient: string | undefined): void {
  if (subjectId !== undefined && recipient !== undefined && subjectId !== recipient) {
    throw errors.badRequest('credential_subject.id must be the recipient')
  }
}

/**
 * Stores an offering of one credential type.
 *
 * @param caller the user behind it; undefined for a client secret
 * @throws 400 for a type, an issuer, a subject or an end that it cannot have.
 */
export async function addOffering(deps: Deps, caller: Caller | undefined, request: OfferingRequest, work: Work) {
  const now = deps.clock()
  const expiresAt = request.expires_at == null ? undefined : new Date(request.expires_at)
  assertFuture(expiresAt, now)
  assertSameSubject(request.credential_subject.id, request.recipient)
  const context = await issuanceContext(deps, request.credential_type, request.issuerId, 'client')
  await assertSubject(deps.formats, context, request.credential_subject, 'credential_subject', work)
  const offering = {
    id: deps.newId(),
    credentialSubject: request.credential_subject,
    recipient: request.recipient ?? null,
    redemptionLimit: request.redemption_limit ?? null,
    expiresAt: expiresAt ?? null,
    createdAt: now,
  }
  const inserted = { ...offering, schemaId: context.id, issuerId: context.issuerId }
  await deps.stores.offerings.insert(inserted, caller?.sub ?? null)
  const row = {
    ...offering,
    schemaName: context.name,
    asMdoc: context.mdoc !== null && context.x5c !== null,
    schemaTitle: context.title,
    schemaDisplay: context.display,
  }
  return detailView(deps, row, true)
}
