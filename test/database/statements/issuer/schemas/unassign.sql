WITH
  "target" AS (
    SELECT
      s.id,
      (
        t.created_by = $1
        OR $2::boolean
      ) AS permitted
    FROM
      schemas s
      JOIN credential_types t ON t.name = s.name
    WHERE
      s.id = $3
  ),
  "removed" AS (
    DELETE FROM schema_issuers a USING "target"
    WHERE
      permitted
      AND a.schema_id = "target"."id"
      AND a.issuer_id = $4
    RETURNING
      a.schema_id AS id
  ),
  "audited" AS (
    INSERT INTO
      audit_events (actor, action, subject, subject_id)
    SELECT
      $5,
      $6,
      $7,
      "removed"."id"
    FROM
      "removed"
  )
SELECT
  permitted,
  TRUE AS "issuerFound"
FROM
  "target"
