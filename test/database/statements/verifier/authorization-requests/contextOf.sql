SELECT
  v.did AS "verifierDid",
  k.id AS "keyId",
  k.public_jwk AS "publicJwk",
  k.x5c,
  ARRAY(
    SELECT DISTINCT
      s.name
    FROM
      schemas s
    ORDER BY
      s.name
  ) AS "typeNames",
  q.query,
  q.purpose
FROM
  verifiers v
  LEFT JOIN vp_queries q ON q.id = $1
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
  v.is_default
