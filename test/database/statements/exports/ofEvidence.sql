SELECT
  e.id,
  e.evidence,
  NULL::text AS key,
  e.created_at AS "createdAt",
  e.expires_at AS "expiresAt"
FROM
  verification_evidence e
WHERE
  e.id = $1
