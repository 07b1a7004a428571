WITH
  "moved" AS (
    UPDATE credential_status_jobs j
    SET
      state = 'cancelled',
      ended_at = $1,
      confidential = NULL
    WHERE
      j.id = $2
      AND j.state = ANY ($3::TEXT[])
    RETURNING
      j.*
  ),
  "audited" AS (
    INSERT INTO
      audit_events (actor, action, subject, subject_id)
    SELECT
      $4,
      $5,
      $6,
      "moved"."id"
    FROM
      "moved"
  ),
  "content_keys_forgotten" AS (
    DELETE FROM content_keys k USING "moved"
    WHERE
      k.row_id = "moved"."id"
      AND k.column_name = $7
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
