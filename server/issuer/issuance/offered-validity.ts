import { errors } from '../../api/errors.js'
import { type Retained, retentionFault } from './retention.js'
import { rulesOfOffer, type ValidityRules, validityFault } from './validity.js'

/** The members of a request for an offer that decide about the validity of its credentials. */
interface OfferedValidity {
  readonly expiresInDays?: number | undefined
  /** RFC 3339 */
  readonly validFrom?: string | undefined
}

/**
 * The validity that an offer gives its credentials. Null: its type decides.
 *
 * @throws 400 if its credentials would expire before they are valid, or after their records are removed
 */
export function validityOfOffer(
  { expiresInDays, validFrom }: OfferedValidity,
  type: ValidityRules & Retained,
  now: Date,
): ValidityRules {
  const offer = {
    expiresInDays: expiresInDays ?? null,
    validFrom: validFrom === undefined ? null : new Date(validFrom),
  }
  const rules = rulesOfOffer(offer, type)
  const ofRecord =
    type.retention === null ? undefined : retentionFault(type.retention, rules.expiresInDays ?? undefined)
  const fault = validityFault(rules, now) ?? ofRecord
  if (fault !== undefined) throw errors.badRequest(fault)
  return offer
}
