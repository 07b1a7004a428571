SELECT
  erase_claims (NULL, o.id, $1, $2) AS at
FROM
  offerings o
WHERE
  o.id = $3
  AND NOT o.is_session
  AND NOT o.of_authorization
