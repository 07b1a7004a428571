SELECT
  s.id,
  s.names,
  NULL::text AS "namesKey"
FROM
  verification_sessions s
WHERE
  s.id = ANY ($1::TEXT[])
  AND s.names IS NOT NULL
