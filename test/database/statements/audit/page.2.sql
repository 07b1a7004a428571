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
  TRUE
  AND a.actor = $1
  AND (a.at, lpad(a.id::text, 19, '0')) < ($2::timestamptz, $3::text)
ORDER BY
  a.at DESC,
  lpad(a.id::text, 19, '0') DESC
LIMIT
  $4
