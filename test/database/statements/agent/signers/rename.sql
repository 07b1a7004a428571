WITH
  "renamed" AS (
    UPDATE issuers r
    SET
      display = $1::jsonb
    WHERE
      r.id = $2
      AND (
        r.created_by = $3
        OR r.is_default
      )
      AND coalesce(r.display, '[]'::jsonb) = $4::jsonb
    RETURNING
      r.id
  ),
  "audited" AS (
    INSERT INTO
      audit_events (actor, action, subject, subject_id)
    SELECT
      $5,
      $6,
      $7,
      "renamed"."id"
    FROM
      "renamed"
  )
SELECT
  EXISTS (
    SELECT
      1
    FROM
      issuers r
    WHERE
      r.id = $8
      AND (
        r.created_by = $9
        OR r.is_default
      )
  ) AS found,
  EXISTS (
    SELECT
      1
    FROM
      "renamed"
  ) AS done
