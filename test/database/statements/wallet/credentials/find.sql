SELECT
  c.id,
  c.format,
  c.content,
  c.created_at AS "createdAt",
  p.id AS "copyId",
  p.compact,
  p.kid,
  p.key_id AS "keyId",
  p.private_jwk AS "privateJwk"
FROM
  wallet_credentials c
  JOIN LATERAL (
    SELECT
      *
    FROM
      wallet_credential_copies w
    WHERE
      w.credential_id = c.id
    ORDER BY
      w.presented_at NULLS FIRST,
      w.id
    LIMIT
      1
  ) p ON TRUE
WHERE
  c.id = $1
  AND c.holder_id = $2
