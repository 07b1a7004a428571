SELECT
  id
FROM
  status_lists
ORDER BY
  created_at DESC,
  id DESC
LIMIT
  $1
