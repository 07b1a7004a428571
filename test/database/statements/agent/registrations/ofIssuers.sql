SELECT
  r.certificate,
  r.status,
  r.checked_at AS "checkedAt",
  r.failed_check AS "failedCheck",
  r.failure
FROM
  registration_certificates r
WHERE
  r.issuer_id IS NOT NULL
ORDER BY
  r.issued_at DESC,
  r.id
LIMIT
  $1
