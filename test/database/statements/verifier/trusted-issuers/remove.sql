WITH
  "removed" AS (
    DELETE FROM trusted_issuers
    WHERE
      id = $1
    RETURNING
      id,
      issuer
  ),
  "audited" AS (
    INSERT INTO
      audit_events (actor, action, subject, subject_id)
    SELECT
      $2,
      $3,
      $4,
      "removed"."issuer"
    FROM
      "removed"
  )
SELECT
  id
FROM
  "removed"
