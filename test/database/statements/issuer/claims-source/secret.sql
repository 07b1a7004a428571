SELECT
  secret
FROM
  claims_sources
WHERE
  schema_id = $1
