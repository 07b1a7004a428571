SELECT
  c.id,
  c.names,
  NULL::text AS "namesKey"
FROM
  credentials c
WHERE
  c.id = ANY ($1::TEXT[])
  AND c.names IS NOT NULL
