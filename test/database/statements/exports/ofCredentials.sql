SELECT
  c.id,
  c.vc,
  NULL::text AS key
FROM
  credentials c
WHERE
  c.id = ANY ($1::TEXT[])
