SELECT
  id
FROM
  schemas
WHERE
  id = $1
  OR name = $2
LIMIT
  1
