SELECT
  r.id,
  r.certificate,
  r.from_file AS "fromFile",
  r.created_at AS "createdAt",
  r.status,
  r.checked_at AS "checkedAt",
  r.failed_check AS "failedCheck",
  r.failure
FROM
  registration_certificates r
WHERE
  r.verifier_id = $1
ORDER BY
  r.issued_at DESC,
  r.id
LIMIT
  $2
