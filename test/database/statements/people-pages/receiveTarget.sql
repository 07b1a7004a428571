SELECT
  x.id AS "sessionId",
  x.expires_at AS "expiresAt",
  p.browser_hash AS "browserHash"
FROM
  pages p
  JOIN credential_offer_sessions x ON x.id = p.offering_id
WHERE
  p.id = $1
