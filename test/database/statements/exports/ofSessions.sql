SELECT
  id,
  result,
  discarded,
  checks
FROM
  verification_sessions
WHERE
  id = ANY ($1::TEXT[])
