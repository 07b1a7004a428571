SELECT
  COALESCE(max(id), 0)::float8 AS id
FROM
  audit_events
