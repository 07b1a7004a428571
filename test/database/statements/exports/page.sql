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
  created_by = $1
  AND expires_at > $2
ORDER BY
  created_at DESC,
  id DESC
LIMIT
  $3
