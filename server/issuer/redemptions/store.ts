import { type Fragment, fragment } from '../../database/fragment.js'

/** One redemption of an offering, as it is put on record with its credential. */
export interface NewRedemption {
  readonly id: string
  readonly offeringId: string
  readonly recipientDid: string | null
  readonly redeemedBy: string | null
}

/**
 * `admitted`: one row, where the offering has not expired and another redemption of it may be made, which is then counted.
 * Under its row lock where there is a limit; an offering without one is merely looked at. The same for every door, so that a
 * limit of N gives N redemptions over all of them together.
 *
 * @param condition a query that must have a row, or nothing is counted.
 */
export function countRedemption(offeringId: string, now: Date, condition: Fragment): Fragment {
  const open = fragment`
    id = ${offeringId} AND (expires_at IS NULL OR expires_at > ${now}) AND EXISTS (${condition})`
  return fragment`
    counted AS (
      UPDATE offerings SET redemption_count = redemption_count + 1
      WHERE redemption_count < redemption_limit AND ${open}
      RETURNING id),
    admitted AS (
      SELECT id FROM counted UNION ALL SELECT id FROM offerings WHERE redemption_limit IS NULL AND ${open})`
}

/** `redeemed`: the redemption of the credential in `target`, where there is a row in it. */
export function insertRedemption(redemption: NewRedemption, now: Date): Fragment {
  const { id, offeringId, recipientDid, redeemedBy } = redemption
  return fragment`
    redeemed AS (
      INSERT INTO redemptions (id, offering_id, credential_id, recipient_did, redeemed_by, redeemed_at)
      SELECT ${id}, ${offeringId}, target.id, ${recipientDid}, ${redeemedBy}, ${now} FROM target)`
}
