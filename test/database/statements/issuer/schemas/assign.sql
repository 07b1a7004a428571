WITH
  "issuer" AS (
    SELECT
      i.id
    FROM
      issuers i
    WHERE
      i.id = $1
      AND (
        i.created_by = $2
        OR (
          i.is_default
          AND $3::boolean
        )
      )
  ),
  "target" AS (
    SELECT
      s.id,
      (
        t.created_by = $4
        OR $5::boolean
      ) AS permitted
    FROM
      schemas s
      JOIN credential_types t ON t.name = s.name
    WHERE
      s.id = $6
  ),
  "assigned" AS (
    INSERT INTO
      schema_issuers (schema_id, issuer_id)
    SELECT
      "target"."id",
      "issuer"."id"
    FROM
      "target",
      "issuer"
    WHERE
      permitted
    ON CONFLICT (schema_id, issuer_id) DO NOTHING
    RETURNING
      schema_id AS id
  ),
  "audited" AS (
    INSERT INTO
      audit_events (actor, action, subject, subject_id)
    SELECT
      $7,
      $8,
      $9,
      "assigned"."id"
    FROM
      "assigned"
  )
SELECT
  permitted,
  EXISTS (
    SELECT
      1
    FROM
      "issuer"
  ) AS "issuerFound"
FROM
  "target"
