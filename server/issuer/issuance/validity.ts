const DAY_MS = 24 * 60 * 60 * 1000

/** Times in the copies for wallets may be rounded down to this unit, in milliseconds. */
export const ROUNDED_TO_MS = 60 * 60 * 1000

/** The rules of a type or of an offer for the validity of credentials. */
export interface ValidityRules {
  /** Days from issuance to expiry; null for credentials that do not expire. */
  readonly expiresInDays: number | null
  /** Credentials are not valid before this time; null if they are valid when they are issued. */
  readonly validFrom: Date | null
}

/** The validity of one instance. All times are in whole seconds. */
export interface Validity {
  readonly issuedAt: Date
  /** Absent if the instance is valid when it is issued. */
  readonly validFrom?: Date
  readonly expiresAt?: Date
}

/** Rounds a time down to whole seconds. So `nbf` and `issuanceDate` are equal, and neither is in the future. */
const wholeSeconds = (date: Date): Date => new Date(Math.floor(date.getTime() / 1000) * 1000)

/** The validity of an instance that is issued at a moment. A time `validFrom` in the past has no effect. */
export function validityOf({ expiresInDays, validFrom }: ValidityRules, now: Date): Validity {
  const issuedAt = wholeSeconds(now)
  const start = validFrom === null ? issuedAt : wholeSeconds(validFrom)
  return {
    issuedAt,
    ...(start > issuedAt ? { validFrom: start } : {}),
    ...(expiresInDays === null ? {} : { expiresAt: new Date(issuedAt.getTime() + expiresInDays * DAY_MS) }),
  }
}

/** The validity of a credential, for the columns of its record. */
export interface RecordedValidity {
  /** Null if it is valid when it is issued. */
  readonly validFrom: Date | null
  /** Null if it does not expire. */
  readonly expiresAt: Date | null
}

/** The validity of a credential that is issued at a moment, for the columns of its record. */
export function recordedValidity(rules: ValidityRules, now: Date): RecordedValidity {
  const { validFrom = null, expiresAt = null } = validityOf(rules, now)
  return { validFrom, expiresAt }
}

/** The rules for an offer: its own rules, and the rules of its type for what it leaves out. */
export const rulesOfOffer = (offer: ValidityRules, type: ValidityRules): ValidityRules => ({
  expiresInDays: offer.expiresInDays ?? type.expiresInDays,
  validFrom: offer.validFrom ?? type.validFrom,
})

/** The reason why credentials that are issued from now on cannot have a validity; undefined if they can. */
export function validityFault({ expiresInDays, validFrom }: ValidityRules, now: Date): string | undefined {
  if (expiresInDays === null || validFrom === null) return undefined
  const issuedAt = Math.floor(now.getTime() / ROUNDED_TO_MS) * ROUNDED_TO_MS
  if (issuedAt + expiresInDays * DAY_MS > validFrom.getTime()) return undefined
  return `validFrom must lie before the end of the validity: a credential expires ${expiresInDays} days after its issuance`
}
