SELECT
  r.id,
  r.did,
  r.method,
  coalesce(r.display, '[]'::jsonb) AS display,
  r.branding,
  r.is_default AS "isDefault",
  r.created_by AS "createdBy",
  r.created_at AS "createdAt",
  r.key_set_id AS "keySetId",
  k.alg,
  k.public_jwk AS "publicJwk",
  k.x5c,
  NULL AS signing
FROM
  verifiers r
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
WHERE
  TRUE
ORDER BY
  r.created_at DESC,
  r.id DESC
LIMIT
  $1
