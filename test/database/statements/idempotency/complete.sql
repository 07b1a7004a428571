UPDATE idempotency_keys
SET
  answered_at = $1,
  answer = $2::text
WHERE
  id = $3
  AND claim = $4
RETURNING
  id
