SELECT
  s.id,
  s.result,
  NULL::text AS key,
  s.discarded,
  s.checks
FROM
  verification_sessions s
WHERE
  s.id = ANY ($1::TEXT[])
