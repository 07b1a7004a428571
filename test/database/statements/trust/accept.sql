WITH
  "changed" AS (
    UPDATE trust_list_documents
    SET
      content = decode($1, 'base64'),
      version = version + 1,
      sequence_number = $2::float8::bigint,
      issued_at = $3,
      next_update = $4,
      etag = $5,
      last_modified = $6,
      read_at = $7,
      checked_at = $8,
      due_at = $9,
      leased_until = NULL,
      failed_check = NULL,
      failure = NULL,
      failed_at = NULL,
      alert = $10::text,
      alert_at = CASE
        WHEN $11::text IS NULL THEN NULL
        ELSE COALESCE(alert_at, $12::timestamptz)
      END
    WHERE
      id = $13
      AND version = $14
    RETURNING
      id
  ),
  "audited" AS (
    INSERT INTO
      audit_events (actor, action, subject, subject_id)
    SELECT
      $15,
      $16,
      $17,
      "changed"."id"
    FROM
      "changed"
  )
SELECT
  id
FROM
  "changed"
