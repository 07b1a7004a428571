SELECT
  c.revoked_at AS "revokedAt",
  c.suspended_at AS "suspendedAt",
  c.status_reason AS reason,
  c.status_note AS note,
  c.expired_at AS "expiredAt",
  c.superseded_by AS "supersededBy",
  (
    SELECT
      count(*)::int
    FROM
      credential_instances i
    WHERE
      i.credential_id = c.id
      AND i.revoked_at IS DISTINCT FROM c.revoked_at
  ) AS "supersededInstances",
  NULL::text AS "noteKey"
FROM
  credentials c
WHERE
  c.id = $1
