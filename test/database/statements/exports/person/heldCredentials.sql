SELECT
  w.id,
  w.holder_id AS "holderId",
  w.format,
  w.content,
  w.created_at AS "createdAt"
FROM
  wallet_credentials w
WHERE
  w.holder_id = $1
ORDER BY
  w.created_at DESC,
  w.id DESC
LIMIT
  $2
