SELECT
  h.id,
  h.method,
  h.name,
  h.created_at AS "createdAt"
FROM
  holders h
WHERE
  h.created_by = $1
ORDER BY
  h.created_at DESC,
  h.id DESC
LIMIT
  $2
