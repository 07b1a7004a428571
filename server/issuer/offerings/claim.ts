import type { Caller } from '../../auth/caller.js'
import type { Deps } from '../../deps.js'
import { errors } from '../../errors.js'
import { type Issued, issueToCaller } from '../issuance/issue.js'
import type { OfferingIssuance } from '../issuance/store.js'

const isExpired = (offering: OfferingIssuance, now: Date) => offering.expiresAt !== null && offering.expiresAt <= now

const isUsedUp = (offering: OfferingIssuance) =>
  offering.redemptionLimit !== null && offering.redemptionCount >= offering.redemptionLimit

/** The recipient, else who the offering's subject says it is, else the caller's DID where there is exactly one. */
function subjectIdOf(offering: OfferingIssuance, callerDids: readonly string[]): string | undefined {
  if (offering.recipient !== null) return offering.recipient
  if (typeof offering.credentialSubject.id === 'string') return offering.credentialSubject.id
  const [only, ...others] = callerDids
  return others.length === 0 ? only : undefined
}

/**
 * Issues a credential from an offering to an authenticated caller: one redemption.
 *
 * @throws 404, 410 `Offering has expired.`, 409 `Offering redemption limit reached.`, 403 `Offering is for another recipient.`
 */
export async function claim(deps: Deps, caller: Caller, offeringId: string): Promise<Issued> {
  const offering = await deps.stores.issuance.offeringContext(offeringId, caller.sub)
  if (offering === undefined) throw errors.offeringNotFound()
  if (isExpired(offering, deps.clock())) throw errors.offeringExpired()
  if (isUsedUp(offering)) throw errors.redemptionLimitReached()
  const callerDids = [...new Set([...caller.tokenDids, ...offering.callerDids])]
  if (offering.recipient !== null && !callerDids.includes(offering.recipient)) throw errors.anotherRecipient()
  const subjectId = subjectIdOf(offering, callerDids)
  const issued = await issueToCaller(deps, {
    context: offering,
    subject: offering.credentialSubject,
    format: 'jwt_vc_json',
    binding: { subjectId },
    owner: caller.sub,
    holderDid: subjectId?.startsWith('did:') === true ? subjectId : undefined,
    action: 'credential.claimed',
    redemption: { offeringId },
  })
  // Others were faster between the look and the count.
  if (issued === undefined)
    throw isExpired(offering, deps.clock()) ? errors.offeringExpired() : errors.redemptionLimitReached()
  return issued
}
