import { emptyFragment, fragment, Step } from '../../database/fragment.js'

/** A redemption of an offering, to be stored with its credential. */
export interface NewRedemption {
  readonly id: string
  readonly offeringId: string
  readonly recipientDid: string | null
  readonly redeemedBy: string | null
}

/** A redemption to be counted. */
export interface CountedRedemption {
  readonly offeringId: string
  readonly now: Date
  /** When the offering's claims are to be erased if this is its last redemption; null if they stay. */
  readonly claimsDueAt: Date | null
}

/**
 * The step that admits and counts a redemption. It returns one row if the offering has claims, has not expired and its limit is
 * not reached. For an offering with a limit, the step locks and updates the offering's row. Otherwise the step locks the row
 * against an erasure of its claims, and redemptions do not wait for each other. Every way to redeem uses this step, so a limit
 * of N gives N redemptions in total.
 *
 * @param after a step; the redemption is counted only if this step returns a row
 */
export function countRedemption({ offeringId, now, claimsDueAt }: CountedRedemption, after?: Step): Step<'id'> {
  const open = fragment`
    id = ${offeringId} AND claims_erased_at IS NULL AND (expires_at IS NULL OR expires_at > ${now})
    ${after === undefined ? emptyFragment : fragment`AND EXISTS (SELECT 1 FROM ${after})`}`
  const counted = new Step<'id'>(
    'counted',
    fragment`
      UPDATE offerings SET redemption_count = redemption_count + 1,
        claims_due_at = CASE WHEN redemption_count + 1 < redemption_limit THEN claims_due_at ELSE ${claimsDueAt}::timestamptz END
      WHERE redemption_count < redemption_limit AND ${open} RETURNING id`,
  )
  const unlimited = new Step<'id'>(
    'unlimited',
    fragment`SELECT id FROM offerings WHERE redemption_limit IS NULL AND ${open} FOR SHARE`,
  )
  return new Step<'id'>(
    'admitted',
    fragment`SELECT ${counted.column('id')} FROM ${counted} UNION ALL SELECT ${unlimited.column('id')} FROM ${unlimited}`,
  )
}

/** The step that inserts the redemption of a new credential. */
export function insertRedemption(redemption: NewRedemption, now: Date, credential: Step<'id'>): Step {
  const { id, offeringId, recipientDid, redeemedBy } = redemption
  return new Step(
    'redeemed',
    fragment`
      INSERT INTO redemptions (id, offering_id, credential_id, recipient_did, redeemed_by, redeemed_at)
      SELECT ${id}, ${offeringId}, ${credential.column('id')}, ${recipientDid}, ${redeemedBy}, ${now} FROM ${credential}`,
  )
}
