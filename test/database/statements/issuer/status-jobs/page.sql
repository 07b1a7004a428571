SELECT
  j.id,
  j.created_by AS "createdBy",
  j.action,
  j.reason,
  j.scope,
  j.state,
  j.matched,
  j.changed,
  j.unchanged,
  j.revoked,
  j.not_suspendable AS "notSuspendable",
  j.removed,
  j.created_at AS "createdAt",
  j.ended_at AS "endedAt"
FROM
  credential_status_jobs j
WHERE
  TRUE
ORDER BY
  j.created_at DESC,
  j.id DESC
LIMIT
  $1
