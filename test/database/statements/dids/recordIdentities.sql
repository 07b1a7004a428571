SELECT
  r.did,
  r.purpose,
  k.id AS "keyId",
  k.public_jwk AS "publicJwk",
  k.x5c
FROM
  (
    SELECT
      did,
      key_set_id,
      created_at,
      'issuer' AS purpose
    FROM
      issuers
    UNION ALL
    SELECT
      did,
      key_set_id,
      created_at,
      'verifier'
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
ORDER BY
  r.created_at,
  r.did
