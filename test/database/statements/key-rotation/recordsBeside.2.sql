SELECT
  r.kind,
  r.id,
  r.method,
  r.created_by AS "createdBy",
  r.key_set_id AS "keySetId",
  k.id AS "keyId",
  k.alg,
  k.public_jwk AS "publicJwk",
  k.provider,
  k.x5c IS NOT NULL AS certified,
  r.is_default AS "isDefault",
  w.did AS "didWeb"
FROM
  (
    SELECT
      'issuer' AS kind,
      id,
      method,
      created_by,
      key_set_id,
      created_at,
      is_default
    FROM
      issuers
    UNION ALL
    SELECT
      'verifier',
      id,
      method,
      created_by,
      key_set_id,
      created_at,
      is_default
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
  LEFT JOIN dids w ON w.key_set_id = r.key_set_id
  AND w.method = 'web'
WHERE
  r.key_set_id = (
    SELECT
      key_set_id
    FROM
      verifiers
    WHERE
      id = $1
  )
ORDER BY
  r.created_at,
  r.id
