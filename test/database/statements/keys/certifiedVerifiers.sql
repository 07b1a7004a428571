SELECT
  v.id,
  k.x5c
FROM
  verifiers v
  JOIN LATERAL (
    SELECT
      *
    FROM
      keys
    WHERE
      keys.key_set_id = v.key_set_id
      AND keys.retired_at IS NULL
    ORDER BY
      keys.created_at DESC,
      keys.id DESC
    LIMIT
      1
  ) k ON TRUE
WHERE
  NOT v.is_default
  AND k.x5c IS NOT NULL
ORDER BY
  v.created_at DESC
LIMIT
  $1
