SELECT
  v.id,
  v.verifier_id AS "verifierId",
  v.ended_at AS "createdAt",
  v.ended_at AS "endedAt"
FROM
  verification_sessions v
WHERE
  v.result IS NOT NULL
  AND v.ended_at IS NOT NULL
ORDER BY
  v.ended_at DESC,
  v.id DESC
LIMIT
  $1
