SELECT
  erase_claims (c.id, NULL, $1, $2) AS at
FROM
  credentials c
WHERE
  c.id = $3
  AND TRUE
