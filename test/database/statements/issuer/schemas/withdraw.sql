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
  "withdrawn" AS (
    UPDATE schemas s
    SET
      withdrawn_at = $4,
      offered_until = (
        SELECT
          max(coalesce(o.expires_at, 'infinity'))
        FROM
          offerings o
        WHERE
          o.schema_id = s.id
          AND (
            o.redemption_limit IS NULL
            OR o.redemption_count < o.redemption_limit
          )
      )
    FROM
      "target"
    WHERE
      permitted
      AND s.id = "target"."id"
      AND s.withdrawn_at IS NULL
    RETURNING
      s.id
  ),
  "audited" AS (
    INSERT INTO
      audit_events (actor, action, subject, subject_id)
    SELECT
      $5,
      $6,
      $7,
      "withdrawn"."id"
    FROM
      "withdrawn"
  )
SELECT
  permitted,
  TRUE AS "issuerFound"
FROM
  "target"
