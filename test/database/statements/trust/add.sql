WITH
  "added" AS (
    INSERT INTO
      trust_lists (
        id,
        url,
        kind,
        profile,
        purpose,
        types,
        service_types,
        signer,
        max_age_hours,
        territory,
        note,
        created_by
      )
    VALUES
      (
        $1,
        $2,
        $3,
        $4,
        $5,
        $6::json,
        $7::json,
        $8::json,
        $9,
        $10,
        $11,
        $12
      )
    ON CONFLICT (url, purpose) DO NOTHING
    RETURNING
      *
  ),
  "audited" AS (
    INSERT INTO
      audit_events (actor, action, subject, subject_id)
    SELECT
      $13,
      $14,
      $15,
      "added"."id"
    FROM
      "added"
  )
SELECT
  id,
  url,
  kind,
  profile,
  purpose,
  types,
  service_types AS "serviceTypes",
  signer,
  max_age_hours AS "maxAgeHours",
  territory,
  note,
  created_by AS "createdBy",
  created_at AS "createdAt"
FROM
  "added"
