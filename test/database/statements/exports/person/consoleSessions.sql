SELECT
  c.id_hash AS id,
  c.content,
  c.last_seen_at AS "createdAt",
  c.ends_at AS "endsAt",
  c.expires_at AS "expiresAt"
FROM
  console_sessions c
WHERE
  c.expires_at > $1
ORDER BY
  c.last_seen_at DESC,
  c.id_hash DESC
LIMIT
  $2
