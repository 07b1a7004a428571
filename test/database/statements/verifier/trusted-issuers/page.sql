SELECT
  id,
  issuer,
  note,
  created_by AS "createdBy",
  created_at AS "createdAt"
FROM
  trusted_issuers
WHERE
  TRUE
ORDER BY
  created_at DESC,
  id DESC
LIMIT
  $1
