SELECT
  l.id,
  l.size,
  l.version,
  l.bits,
  l.key_id AS "keyId",
  k.public_jwk AS "publicJwk",
  k.x5c,
  i.method AS "issuerMethod",
  i.did AS "issuerDid"
FROM
  status_lists l
  JOIN keys k ON k.id = l.key_id
  JOIN issuers i ON i.id = l.issuer_id
WHERE
  l.id = $1
