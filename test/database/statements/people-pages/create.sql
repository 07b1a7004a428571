WITH
  "paged" AS (
    INSERT INTO
      pages (
        id,
        kind,
        verification_session_id,
        offering_id,
        made_by,
        title,
        text,
        type_names,
        in_qr_code,
        created_at,
        expires_at
      )
    VALUES
      (
        $1,
        $2,
        $3,
        $4,
        $5,
        $6,
        $7,
        $8::TEXT[],
        $9,
        $10,
        $11
      )
    ON CONFLICT (offering_id, made_by) DO UPDATE
    SET
      title = excluded.title,
      text = excluded.text
    RETURNING
      id
  ),
  "audited" AS (
    INSERT INTO
      audit_events (actor, action, subject, subject_id)
    SELECT
      $12,
      $13,
      $14,
      $15
    FROM
      "paged"
  )
SELECT
  id
FROM
  "paged"
