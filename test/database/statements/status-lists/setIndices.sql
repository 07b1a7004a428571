SELECT
  status_index AS index,
  revoked_at IS NOT NULL AS revoked,
  suspended_at IS NOT NULL AS suspended
FROM
  credential_instances
WHERE
  status_list_id = $1
  AND (
    revoked_at IS NOT NULL
    OR suspended_at IS NOT NULL
  )
