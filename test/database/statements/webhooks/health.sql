SELECT
  url,
  disabled_at IS NOT NULL AS disabled,
  CASE
    WHEN failing_since IS NOT NULL
    OR disabled_at IS NOT NULL THEN last_error
  END AS "lastError"
FROM
  webhooks
WHERE
  active
ORDER BY
  disabled_at IS NULL,
  failing_since IS NULL,
  created_at
LIMIT
  $1
