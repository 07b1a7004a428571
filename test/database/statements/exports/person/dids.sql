SELECT
  d.did AS id,
  d.method,
  d.purpose,
  d.created_by AS "createdBy",
  d.holder_id AS "holderId",
  d.created_at AS "createdAt"
FROM
  dids d
WHERE
  d.holder_id = $1
ORDER BY
  d.created_at DESC,
  d.did DESC
LIMIT
  $2
