SELECT
  status_index AS index
FROM
  credential_instances
WHERE
  status_list_id = $1
  AND revoked_at IS NOT NULL
