SELECT
  k.provider,
  k.reference,
  k.public_jwk AS "publicJwk"
FROM
  (
    SELECT
      key_set_id
    FROM
      issuers
    UNION ALL
    SELECT
      key_set_id
    FROM
      verifiers
  ) r
  JOIN LATERAL (
    SELECT
      *
    FROM
      keys
    WHERE
      keys.key_set_id = r.key_set_id
      AND keys.retired_at IS NULL
    ORDER BY
      keys.created_at DESC,
      keys.id DESC
    LIMIT
      1
  ) k ON TRUE
WHERE
  k.provider IS NOT NULL
LIMIT
  $1
