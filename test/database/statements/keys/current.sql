SELECT
  k.id,
  k.key_set_id AS "keySetId",
  k.alg,
  k.public_jwk AS "publicJwk",
  k.x5c,
  k.private_jwk AS "privateJwk",
  k.provider,
  k.reference
FROM
  key_sets s
  JOIN LATERAL (
    SELECT
      *
    FROM
      keys
    WHERE
      keys.key_set_id = s.id
      AND keys.retired_at IS NULL
    ORDER BY
      keys.created_at DESC,
      keys.id DESC
    LIMIT
      1
  ) k ON TRUE
WHERE
  s.id = $1
