SELECT
  id,
  name,
  purpose,
  query,
  created_at AS "createdAt"
FROM
  vp_queries
WHERE
  TRUE
ORDER BY
  created_at DESC,
  id DESC
LIMIT
  $1
