UPDATE offer_batches b
SET
  cancel_done_at = COALESCE(b.cancel_done_at, $1)
WHERE
  b.id = $2
  AND b.cancelled_at IS NOT NULL
  AND NOT EXISTS (
    SELECT
      1
    FROM
      credential_offer_sessions
    WHERE
      id IN (
        SELECT
          o.id
        FROM
          offerings o
        WHERE
          o.batch_id = b.id
      )
      AND state = ANY ($3::TEXT[])
      AND expires_at > $4
      AND tx_code_attempts < $5::int
  )
RETURNING
  b.id
