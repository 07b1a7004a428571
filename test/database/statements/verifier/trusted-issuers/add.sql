WITH
  "added" AS (
    INSERT INTO
      trusted_issuers (id, issuer, note, created_by)
    VALUES
      ($1, $2, $3, $4)
    ON CONFLICT (issuer) DO NOTHING
    RETURNING
      *
  ),
  "audited" AS (
    INSERT INTO
      audit_events (actor, action, subject, subject_id)
    SELECT
      $5,
      $6,
      $7,
      "added"."issuer"
    FROM
      "added"
  )
SELECT
  id,
  issuer,
  note,
  created_by AS "createdBy",
  created_at AS "createdAt"
FROM
  "added"
