SELECT
  lpad(a.id::text, 19, '0') AS id,
  a.at AS "createdAt",
  a.actor,
  a.action,
  a.subject,
  a.subject_id AS "subjectId",
  a.detail
FROM
  audit_events a
WHERE
  (
    a.subject = 'credential'
    AND a.subject_id = $1
  )
  OR (
    a.subject = 'offering'
    AND a.subject_id = $2
  )
ORDER BY
  a.at DESC,
  a.id DESC
LIMIT
  $3
