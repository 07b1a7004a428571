SELECT
  CASE
    WHEN r.issuer_id IS NULL THEN 'verifier'
    ELSE 'issuer'
  END AS party,
  coalesce(r.issuer_id, r.verifier_id) AS "partyId",
  r.certificate,
  r.intended_use AS "intendedUse",
  r.subject,
  r.ends_at AS "endsAt",
  k.x5c,
  r.status,
  r.checked_at AS "checkedAt",
  r.failed_check AS "failedCheck",
  r.failure
FROM
  (
    SELECT DISTINCT
      ON (
        r.issuer_id,
        r.verifier_id,
        r.subject,
        coalesce(r.intended_use, ''),
        CASE
          WHEN r.issuer_id IS NULL THEN ''
          ELSE r.id
        END
      ) r.*
    FROM
      registration_certificates r
    ORDER BY
      r.issuer_id,
      r.verifier_id,
      r.subject,
      coalesce(r.intended_use, ''),
      CASE
        WHEN r.issuer_id IS NULL THEN ''
        ELSE r.id
      END,
      r.issued_at DESC,
      r.id
    LIMIT
      $1
  ) r,
  LATERAL (
    SELECT
      v.key_set_id
    FROM
      verifiers v
    WHERE
      v.id = r.verifier_id
    UNION ALL
    SELECT
      i.key_set_id
    FROM
      issuers i
    WHERE
      r.verifier_id IS NULL
      AND i.is_default
  ) s
  JOIN LATERAL (
    SELECT
      *
    FROM
      keys
    WHERE
      keys.key_set_id = s.key_set_id
      AND keys.retired_at IS NULL
    ORDER BY
      keys.created_at DESC,
      keys.id DESC
    LIMIT
      1
  ) k ON TRUE
ORDER BY
  r.issuer_id,
  r.verifier_id,
  r.subject,
  coalesce(r.intended_use, ''),
  r.issued_at DESC,
  r.id
