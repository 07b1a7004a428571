SELECT
  private_jwk AS "privateJwk",
  retired_at AS "retiredAt"
FROM
  keys
WHERE
  id = $1
  AND key_set_id = $2
  AND (
    retired_at IS NULL
    OR retired_at > $3
  )
