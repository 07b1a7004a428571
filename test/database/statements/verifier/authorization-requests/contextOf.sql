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
  (
    SELECT
      q.query
    FROM
      vp_queries q
    WHERE
      q.id = $1
  ) AS query
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
  v.is_default
