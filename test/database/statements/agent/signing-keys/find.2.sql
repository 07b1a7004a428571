SELECT
  r.kind,
  r.id,
  r.did,
  coalesce(r.display, '[]'::jsonb) AS display,
  r.branding,
  r.is_default AS "isDefault",
  r.created_by AS "createdBy",
  r.signing,
  r.created_at AS "createdAt",
  k.alg,
  k.public_jwk AS "publicJwk",
  k.x5c,
  k.provider,
  k.reference,
  k.created_at AS "keyCreatedAt",
  (
    SELECT
      count(*)::int
    FROM
      keys f
    WHERE
      f.key_set_id = r.key_set_id
      AND f.retired_at IS NOT NULL
      AND EXISTS (
        SELECT
          1
        FROM
          status_lists l
        WHERE
          l.key_id = f.id
      )
  ) AS "formerKeys"
FROM
  (
    SELECT
      $1 AS kind,
      id,
      did,
      display,
      branding,
      is_default,
      created_by,
      created_at,
      NULL AS signing,
      key_set_id
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
WHERE
  r.id = $2
