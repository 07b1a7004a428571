SELECT
  c.id,
  c.status_note AS note,
  NULL::text AS key
FROM
  credentials c
WHERE
  c.id = ANY ($1::TEXT[])
  AND c.status_note IS NOT NULL
