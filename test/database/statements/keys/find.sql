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
  keys k
WHERE
  k.id = $1
