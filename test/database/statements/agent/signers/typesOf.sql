SELECT DISTINCT
  s.name
FROM
  schema_issuers a
  JOIN schemas s ON s.id = a.schema_id
WHERE
  a.issuer_id = $1
  AND s.withdrawn_at IS NULL
ORDER BY
  s.name
LIMIT
  $2
