SELECT
  i.id,
  k.x5c
FROM
  issuers i
  JOIN LATERAL (
    SELECT
      *
    FROM
      keys
    WHERE
      keys.key_set_id = i.key_set_id
      AND keys.retired_at IS NULL
    ORDER BY
      keys.created_at DESC,
      keys.id DESC
    LIMIT
      1
  ) k ON TRUE
WHERE
  NOT i.is_default
  AND k.x5c IS NOT NULL
ORDER BY
  i.created_at DESC
LIMIT
  $1
