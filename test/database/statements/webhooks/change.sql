WITH
  "changed" AS (
    UPDATE webhooks w
    SET
      created_at = w.created_at,
      payload = $1,
      active = $2,
      disabled_at = NULL,
      failures = 0,
      failing_since = NULL
    WHERE
      w.id = $3
      AND TRUE
    RETURNING
      *
  ),
  "woken" AS (
    UPDATE webhook_lines l
    SET
      next_at = '-infinity',
      tries = 0
    FROM
      (
        SELECT
          o.webhook_id,
          o.subject
        FROM
          webhook_lines o
          JOIN "changed" ON "changed"."id" = o.webhook_id
        LIMIT
          $4
        FOR UPDATE OF
          o SKIP LOCKED
      ) due
    WHERE
      l.webhook_id = due.webhook_id
      AND l.subject = due.subject
  ),
  "audited" AS (
    INSERT INTO
      audit_events (actor, action, subject, subject_id)
    SELECT
      $5,
      $6,
      $7,
      "changed"."id"
    FROM
      "changed"
  )
SELECT
  w.id,
  w.url,
  w.events,
  w.description,
  w.payload,
  w.signature,
  w.active
  AND w.disabled_at IS NULL AS active,
  w.public_key AS "publicKey",
  w.created_by AS "createdBy",
  w.created_at AS "createdAt",
  w.disabled_at AS "disabledAt",
  w.failing_since AS "failingSince",
  w.last_success_at AS "lastSuccessAt",
  w.last_error AS "lastError",
  w.last_error_at AS "lastErrorAt"
FROM
  "changed" w
