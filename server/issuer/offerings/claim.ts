import { errors, type ServiceError } from '../../api/errors.js'
import type { Caller } from '../../auth/caller.js'
import type { Formats } from '../../formats/registry.js'
import { didIn } from '../credentials/holder-binding.js'
import type { Issuance } from '../issuance/issuance.js'
import type { Issued } from '../issuance/issue.js'
import type { OfferingIssuance } from '../issuance/store.js'

const isExpired = (offering: OfferingIssuance, now: Date) => offering.expiresAt !== null && offering.expiresAt <= now

const isUsedUp = (offering: OfferingIssuance) =>
  offering.redemptionLimit !== null && offering.redemptionCount >= offering.redemptionLimit

/** The subject's DID: the recipient, else the `id` of the offering's subject, else the caller's only DID. */
function subjectIdOf(offering: OfferingIssuance, callerDids: readonly string[]): string | undefined {
  if (offering.recipient !== null) return offering.recipient
  if (typeof offering.credentialSubject.id === 'string') return offering.credentialSubject.id
  const [only, ...others] = callerDids
  return others.length === 0 ? only : undefined
}

/** The reason why a caller with these DIDs cannot claim an offering now; undefined if the caller can. */
export function claimRefusal(
  offering: OfferingIssuance,
  callerDids: readonly string[],
  now: Date,
): ServiceError | undefined {
  if (offering.claimsErasedAt !== null) return errors.offeringErased()
  if (isExpired(offering, now)) return errors.offeringExpired()
  if (isUsedUp(offering)) return errors.redemptionLimitReached()
  const isRecipient = offering.recipient === null || callerDids.includes(offering.recipient)
  return isRecipient ? undefined : errors.anotherRecipient()
}

/** Dependencies of {@link createClaim}. */
export interface ClaimPorts {
  readonly offeringContext: Issuance['offeringContext']
  readonly issue: Issuance['issue']
  readonly formats: Pick<Formats, 'primary'>
  readonly clock: () => Date
}

/** @param did the caller's DID that claims the offering; by default any of the caller's DIDs */
export type Claim = (caller: Caller, offeringId: string, did?: string) => Promise<Pick<Issued, 'id' | 'vc'>>

/**
 * Issues a credential from an offering to an authenticated caller. The credential counts as one redemption.
 *
 * @throws 404, 410 `Offering has expired.` or `Claims of the offering were erased.`, 409 `Offering redemption limit reached.`, 403 `Offering is for another recipient.`
 */
export function createClaim({ offeringContext, issue, formats, clock }: ClaimPorts): Claim {
  return async (caller, offeringId, did) => {
    const offering = await offeringContext(offeringId, caller.sub)
    if (offering === undefined) throw errors.offeringNotFound()
    const callerDids = did === undefined ? [...new Set([...caller.tokenDids, ...offering.callerDids])] : [did]
    const refusal = claimRefusal(offering, callerDids, clock())
    if (refusal !== undefined) throw refusal
    const subjectId = subjectIdOf(offering, callerDids)
    const issued = await issue({
      context: offering,
      subject: offering.credentialSubject,
      format: formats.primary,
      binding: { subjectId },
      owner: caller.sub,
      holderDid: didIn(subjectId),
      names: offering.names,
      claimedBy: caller.sub,
      action: 'credential.claimed',
      redemption: { offeringId },
    })
    // After the offering was read here, it was used up or expired.
    if (issued === undefined)
      throw isExpired(offering, clock()) ? errors.offeringExpired() : errors.redemptionLimitReached()
    return { id: issued.id, vc: issued.vc }
  }
}
