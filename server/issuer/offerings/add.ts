import type { z } from 'zod'
import { errors } from '../../api/errors.js'
import type { Caller } from '../../auth/caller.js'
import type { Formats } from '../../formats/registry.js'
import type { NameIndex } from '../../names/names.js'
import type { Work } from '../../protocol/work.js'
import type { Issuance } from '../issuance/issuance.js'
import { validityOfOffer } from '../issuance/offered-validity.js'
import { offeredClaimsDueAt, type RetentionConfig } from '../issuance/retention.js'
import { assertSubject } from '../issuance/subject.js'
import type { createOffering } from './offerings.contract.js'
import type { OfferingRow, OfferingStore } from './store.js'

type OfferingRequest = z.output<typeof createOffering.input>

function assertFuture(expiresAt: Date | undefined, now: Date): void {
  if (expiresAt !== undefined && expiresAt <= now) throw errors.badRequest('expires_at must lie in the future')
}

function assertSameSubject(subjectId: unknown, recipient: string | undefined): void {
  if (subjectId !== undefined && recipient !== undefined && subjectId !== recipient) {
    throw errors.badRequest('credential_subject.id must be the recipient')
  }
}

/** Dependencies of {@link createAddOffering}. */
export interface AddOfferingPorts {
  readonly store: Pick<OfferingStore, 'insert'>
  readonly context: Issuance['context']
  readonly formats: Pick<Formats, 'issued'>
  readonly config: RetentionConfig
  readonly names: Pick<NameIndex, 'hashed'>
  readonly clock: () => Date
  readonly newId: () => string
}

/** @param caller the user who creates the offering; undefined for a client secret */
export type AddOffering = (caller: Caller | undefined, request: OfferingRequest, work: Work) => Promise<OfferingRow>

/**
 * Stores an offering of one credential type.
 *
 * @throws 400 for an invalid type, issuer, subject or expiry time
 */
export function createAddOffering(ports: AddOfferingPorts): AddOffering {
  const { store, context: contextOf, formats, config, names, clock, newId } = ports

  return async (caller, request, work) => {
    const now = clock()
    const expiresAt = request.expires_at == null ? undefined : new Date(request.expires_at)
    assertFuture(expiresAt, now)
    assertSameSubject(request.credential_subject.id, request.recipient)
    const context = await contextOf(request.credential_type, request.issuerId, 'client')
    await assertSubject(formats, context, request.credential_subject, 'credential_subject', work)
    const offering = {
      id: newId(),
      credentialSubject: request.credential_subject,
      recipient: request.recipient ?? null,
      redemptionLimit: request.redemption_limit ?? null,
      expiresAt: expiresAt ?? null,
      createdAt: now,
      names: names.hashed(request),
    }
    const { id: schemaId, issuerId } = context
    const claimsDueAt = offeredClaimsDueAt(context, config, offering.expiresAt)
    const validity = validityOfOffer(request, context, now)
    await store.insert({ ...offering, ...validity, schemaId, issuerId, claimsDueAt }, caller?.sub ?? null)
    return {
      ...offering,
      claimsErasedAt: null,
      schemaName: context.name,
      asMdoc: context.mdoc !== null && context.x5c !== null,
      schemaTitle: context.title,
      schemaDisplay: context.display,
    }
  }
}
