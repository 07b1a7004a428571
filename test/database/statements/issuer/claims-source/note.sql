UPDATE claims_sources
SET
  last_success_at = GREATEST(last_success_at, $1::timestamptz)
WHERE
  schema_id = $2
