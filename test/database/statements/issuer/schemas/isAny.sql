SELECT
  id
FROM
  schemas
WHERE
  withdrawn_at IS NULL
LIMIT
  1
