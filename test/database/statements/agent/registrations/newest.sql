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
  ) CASE
    WHEN r.issuer_id IS NULL THEN 'verifier'
    ELSE 'issuer'
  END AS party,
  coalesce(r.issuer_id, r.verifier_id) AS "partyId",
  r.certificate,
  r.intended_use AS "intendedUse",
  r.subject,
  r.ends_at AS "endsAt",
  r.status,
  r.checked_at AS "checkedAt",
  r.failed_check AS "failedCheck",
  r.failure
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
