SELECT
  alg,
  public_jwk AS "publicJwk",
  created_at AS "createdAt",
  retired_at AS "retiredAt"
FROM
  keys
WHERE
  key_set_id = $1
ORDER BY
  created_at DESC,
  id DESC
LIMIT
  $2
