SELECT
  created_by AS "createdBy"
FROM
  verification_sessions
WHERE
  id = $1
UNION ALL
SELECT
  created_by
FROM
  verification_evidence
WHERE
  id = $2
LIMIT
  1
