WITH
  "moved" AS (
    UPDATE credential_status_jobs j
    SET
      state = CASE
        WHEN counted THEN 'running'
        ELSE 'counting'
      END
    WHERE
      j.id = $1
      AND j.state = ANY ($2::TEXT[])
    RETURNING
      j.*
  ),
  "audited" AS (
    INSERT INTO
      audit_events (actor, action, subject, subject_id)
    SELECT
      $3,
      $4,
      $5,
      "moved"."id"
    FROM
      "moved"
  )
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
  "moved" j
