SELECT
  v.did AS "verifierDid",
  k.id AS "keyId",
  k.public_jwk AS "publicJwk",
  k.x5c,
  coalesce(
    (
      SELECT
        json_agg(
          json_build_object(
            'id',
            r.id,
            'certificate',
            r.certificate,
            'status',
            r.status,
            'checkedAt',
            r.checked_at,
            'failedCheck',
            r.failed_check,
            'failure',
            r.failure
          )
          ORDER BY
            r.issued_at DESC,
            r.id
        )
      FROM
        registration_certificates r
      WHERE
        r.verifier_id = v.id
    ),
    '[]'::json
  ) AS registrations,
  ARRAY(
    SELECT DISTINCT
      s.name
    FROM
      schemas s
    ORDER BY
      s.name
  ) AS "typeNames",
  q.query,
  q.purpose
FROM
  verifiers v
  LEFT JOIN vp_queries q ON q.id = $1
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
