WITH
  "found" AS (
    SELECT
      id,
      evidence,
      expires_at
    FROM
      verification_evidence
    WHERE
      id = $1
      AND expires_at > $2
  ),
  "audited" AS (
    INSERT INTO
      audit_events (actor, action, subject, subject_id)
    SELECT
      $3,
      $4,
      $5,
      "found"."id"
    FROM
      "found"
  )
SELECT
  evidence,
  expires_at AS "expiresAt"
FROM
  "found"
