SELECT
  id,
  name,
  purpose,
  query,
  created_at AS "createdAt"
FROM
  vp_queries
WHERE
  id = $1
