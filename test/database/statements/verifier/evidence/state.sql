SELECT
  coalesce(s.created_by, e.created_by) AS "createdBy",
  coalesce(s.ended_at, e.created_at) AS "endedAt",
  s.evidence_seconds AS "evidenceSeconds",
  e.expires_at AS "expiresAt"
FROM
  (
    SELECT
      *
    FROM
      verification_sessions
    WHERE
      id = $1
  ) s
  FULL JOIN (
    SELECT
      *
    FROM
      verification_evidence
    WHERE
      id = $2
  ) e ON e.id = s.id
