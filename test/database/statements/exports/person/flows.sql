SELECT
  f.id,
  f.type,
  f.state,
  f.did,
  f.holder_id AS "holderId",
  f.content,
  f.error_message AS "errorMessage",
  f.created_at AS "createdAt",
  f.expires_at AS "expiresAt"
FROM
  flows f
WHERE
  f.created_by = $1
ORDER BY
  f.created_at DESC,
  f.id DESC
LIMIT
  $2
