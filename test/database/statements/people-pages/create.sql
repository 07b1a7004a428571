WITH
  "paged" AS (
    INSERT INTO
      pages (
        id,
        kind,
        verification_session_id,
        offering_id,
        made_by,
        texts,
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
        $6::json,
        $7::TEXT[],
        $8,
        $9,
        $10
      )
    ON CONFLICT (offering_id, made_by) DO UPDATE
    SET
      kind = excluded.kind
    RETURNING
      id
  ),
  "audited" AS (
    INSERT INTO
      audit_events (actor, action, subject, subject_id)
    SELECT
      $11,
      $12,
      $13,
      $14
    FROM
      "paged"
  )
SELECT
  id
FROM
  "paged"
