SELECT
  c.revoked_at AS "revokedAt",
  c.suspended_at AS "suspendedAt",
  c.status_reason AS reason,
  c.status_note AS note,
  NULL::text AS "noteKey"
FROM
  credentials c
WHERE
  c.id = $1
