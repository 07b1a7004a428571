WITH
  "removed" AS (
    DELETE FROM registration_certificates
    WHERE
      id = $1
      AND verifier_id = $2
      AND NOT from_file
    RETURNING
      id
  ),
  "audited" AS (
    INSERT INTO
      audit_events (actor, action, subject, subject_id)
    SELECT
      $3,
      $4,
      $5,
      "removed"."id"
    FROM
      "removed"
  )
SELECT
  id
FROM
  "removed"
