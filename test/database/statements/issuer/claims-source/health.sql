SELECT
  s.name,
  c.last_failure_at AS "lastFailureAt",
  c.last_failure AS "lastFailure",
  c.last_failure_at IS NOT NULL
  AND (
    c.last_success_at IS NULL
    OR c.last_failure_at > c.last_success_at
  ) AS failing
FROM
  claims_sources c
  JOIN schemas s ON s.id = c.schema_id
WHERE
  s.withdrawn_at IS NULL
  AND NOT EXISTS (
    SELECT
      1
    FROM
      schemas newer
    WHERE
      newer.name = s.name
      AND newer.version > s.version
      AND newer.withdrawn_at IS NULL
  )
ORDER BY
  failing DESC,
  s.name
LIMIT
  $1
