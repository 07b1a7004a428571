SELECT
  id,
  created_by AS "createdBy",
  kind,
  subject,
  from_at AS "from",
  to_at AS "to",
  schema,
  format,
  created_at AS "createdAt",
  expires_at AS "expiresAt",
  count,
  finished_at AS "finishedAt"
FROM
  exports
WHERE
  id = $1
  AND created_by IS NOT DISTINCT FROM $2
  AND expires_at > $3
