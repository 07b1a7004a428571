WITH
  "found" AS (
    SELECT
      id,
      evidence,
      NULL::text AS evidence_key,
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
  evidence_key AS "evidenceKey",
  expires_at AS "expiresAt"
FROM
  "found"
