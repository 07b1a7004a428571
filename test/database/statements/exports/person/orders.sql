SELECT
  e.id,
  e.kind,
  e.subject,
  e.created_by AS "createdBy",
  e.created_at AS "createdAt",
  e.expires_at AS "expiresAt"
FROM
  exports e
WHERE
  TRUE
ORDER BY
  e.created_at DESC,
  e.id DESC
LIMIT
  $1
