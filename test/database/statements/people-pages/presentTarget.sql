SELECT
  s.id AS "sessionId",
  s.expires_at AS "expiresAt",
  p.browser_hash AS "browserHash"
FROM
  pages p
  JOIN verification_sessions s ON s.id = p.verification_session_id
WHERE
  p.id = $1
