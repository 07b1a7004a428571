SELECT
  id,
  vc
FROM
  credentials
WHERE
  id = ANY ($1::TEXT[])
