SELECT DISTINCT
  ON (
    r.verifier_id,
    r.subject,
    coalesce(r.intended_use, '')
  ) r.verifier_id AS "verifierId",
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
  r.verifier_id,
  r.subject,
  coalesce(r.intended_use, ''),
  r.issued_at DESC,
  r.id
LIMIT
  $1
